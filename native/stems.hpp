// Words to their stems: each distinct word is asked for once, however often it comes and in whichever thread.
#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "buffer.hpp"
#include "span.hpp"
#include "table.hpp"

namespace priori {

class Stems {
  public:
    using Words = std::vector<std::string>;
    // Calls `ask` for the words, then `tell` with their stems; one thread at a time does so.
    using Stemmer = std::function<void(const std::function<Words()>& ask, const std::function<void(Words)>& tell)>;

    explicit Stems(Stemmer stemmer) : stemmer_(std::move(stemmer)) {}

    // Puts in place of each word its stem, whose bytes are written to `bytes`.
    void replace(Buffer<Span>& words, Buffer<uint32_t>& ids, Buffer<uint8_t>& bytes) {
        for (bool first = true; !find(words, ids, bytes); first = false) ask_for(words, first);
    }

    // Stems that are known from elsewhere. Words as bytes with kPadding to spare.
    void know(const Span& word, std::string_view stem) {
        const std::unique_lock lock(mutex_);
        insert(Probe::of_word(word.data, word.length), stem);
    }

  private:
    static constexpr size_t kBlock = 128;             // words looked up together, so that memory is waited for once
    static constexpr size_t kMost = size_t{1} << 22;  // words that are kept in mind: a server sees new ones for ever

    Stemmer stemmer_;
    std::shared_mutex mutex_;  // subtle: never held while the stemmer is waited for, which holds a lock of its own
    TermTable words_;
    std::string text_;                               // of all stems
    std::vector<std::pair<size_t, uint32_t>> stem_;  // by word: where its stem starts in text_, and its length

    // False if there is a word whose stem is not known.
    bool find(Buffer<Span>& words, Buffer<uint32_t>& ids, Buffer<uint8_t>& bytes) {
        const std::shared_lock lock(mutex_);
        ids.resize(words.size());
        size_t total = 0;
        Probe probes[kBlock];
        for (size_t base = 0; base < words.size(); base += kBlock) {
            const size_t size = std::min(kBlock, words.size() - base);
            for (size_t i = 0; i < size; ++i) {
                probes[i] = Probe::of_word(words[base + i].data, words[base + i].length);
                words_.prefetch(probes[i].hash);
            }
            for (size_t i = 0; i < size; ++i) ids[base + i] = words_.candidate(probes[i]);
            for (size_t i = 0; i < size; ++i) {
                uint32_t& id = ids[base + i];
                if (!words_.is(id, probes[i])) id = words_.find(probes[i]);
                if (id == kAbsent) return false;
                total += stem_[id].second;
            }
        }
        bytes.resize(total + kPadding);
        uint8_t* out = bytes.data();
        for (size_t i = 0; i < words.size(); ++i) {
            const auto [start, length] = stem_[ids[i]];
            std::memcpy(out, text_.data() + start, length);
            words[i] = {out, length};
            out += length;
        }
        return true;
    }

    void ask_for(const Buffer<Span>& words, bool may_forget) {
        std::vector<Span> asked;
        const auto ask = [&] {
            const std::shared_lock lock(mutex_);
            TermTable once;
            Words texts;
            for (const Span& word : words) {
                const Probe probe = Probe::of_word(word.data, word.length);
                if (words_.find(probe) != kAbsent || once.find_or_insert(probe) != asked.size()) continue;
                asked.push_back(word);
                texts.emplace_back(reinterpret_cast<const char*>(word.data), word.length);
            }
            return texts;
        };
        const auto tell = [&](const Words& stems) {
            if (stems.size() != asked.size())
                throw std::invalid_argument("the stemmer gave not one stem for each word");
            const std::unique_lock lock(mutex_);
            if (may_forget && words_.size() + asked.size() > kMost) forget();
            for (size_t i = 0; i < asked.size(); ++i) {
                const Span& word = asked[i];
                const std::string_view itself(reinterpret_cast<const char*>(word.data), word.length);
                insert(Probe::of_word(word.data, word.length), stems[i].empty() ? itself : std::string_view(stems[i]));
            }
        };
        stemmer_(ask, tell);
    }

    void insert(const Probe& word, std::string_view stem) {
        if (words_.find_or_insert(word) != stem_.size()) return;
        stem_.emplace_back(text_.size(), static_cast<uint32_t>(stem.size()));
        text_ += stem;
    }

    void forget() {
        words_ = TermTable();
        text_.clear();
        stem_.clear();
    }
};

}  // namespace priori
