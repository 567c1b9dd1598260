// Words that do not count, taken out of a text before anything is made of its words.
//
// An entry is a word, or a run of words: an analyzer sees "don't" as "don t", and takes out that run, never the word
// "don" alone. Where several runs begin, the longest goes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "buffer.hpp"
#include "span.hpp"
#include "table.hpp"

namespace priori {

class StopWords {
  public:
    // Each entry is a word, or several with a space between two.
    explicit StopWords(const std::vector<std::string>& entries) {
        for (const std::string& entry : entries) add(entry);
    }

    void take_out_of(Buffer<Span>& words) const {
        size_t kept = 0;
        for (size_t i = 0; i < words.size();) {
            const size_t run = longest_run(words, i);
            if (run == 0) {
                words[kept++] = words[i++];
            } else {
                i += run;
            }
        }
        words.resize(kept);
    }

  private:
    TermTable words_;
    std::vector<uint32_t> first_;                    // by word: the run of it alone, kAbsent where none begins with it
    std::unordered_map<uint64_t, uint32_t> longer_;  // (run, word) to the run with that word at its end
    std::vector<uint8_t> is_entry_, goes_on_;        // by run

    void add(std::string_view entry) {
        uint32_t run = kAbsent;
        while (!entry.empty()) {
            const size_t length = std::min(entry.find(' '), entry.size());
            run =
                run == kAbsent ? first(word_id(entry.substr(0, length))) : next(run, word_id(entry.substr(0, length)));
            entry.remove_prefix(std::min(length + 1, entry.size()));
        }
        if (run != kAbsent) is_entry_[run] = 1;
    }

    uint32_t word_id(std::string_view word) {
        std::vector<uint8_t> padded(word.size() + kPadding);
        std::copy(word.begin(), word.end(), padded.begin());
        const uint32_t id = words_.find_or_insert(Probe::of_word(padded.data(), static_cast<uint32_t>(word.size())));
        if (id == first_.size()) first_.push_back(kAbsent);
        return id;
    }

    uint32_t first(uint32_t word) {
        if (first_[word] == kAbsent) first_[word] = new_run();
        return first_[word];
    }

    uint32_t next(uint32_t run, uint32_t word) {
        goes_on_[run] = 1;
        const auto [place, fresh] = longer_.try_emplace(uint64_t{run} << 32 | word, kAbsent);
        if (fresh) place->second = new_run();
        return place->second;
    }

    uint32_t new_run() {
        is_entry_.push_back(0);
        goes_on_.push_back(0);
        return static_cast<uint32_t>(is_entry_.size() - 1);
    }

    uint32_t find(const Span& word) const { return words_.find(Probe::of_word(word.data, word.length)); }

    // How many words the longest entry has that stands at `begin`; 0 if none does.
    size_t longest_run(const Buffer<Span>& words, size_t begin) const {
        uint32_t word = find(words[begin]);
        if (word == kAbsent) return 0;
        uint32_t run = first_[word];
        size_t longest = 0;
        for (size_t length = 1; run != kAbsent; ++length) {
            if (is_entry_[run]) longest = length;
            if (!goes_on_[run] || begin + length == words.size()) break;
            word = find(words[begin + length]);
            const auto place = word == kAbsent ? longer_.end() : longer_.find(uint64_t{run} << 32 | word);
            run = place == longer_.end() ? kAbsent : place->second;
        }
        return longest;
    }
};

}  // namespace priori
