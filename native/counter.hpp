// One pass over documents: occurrences and documents per (term, class), lengths and documents per class, and a sample.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analyzer.hpp"
#include "forms.hpp"
#include "sample.hpp"
#include "table.hpp"

namespace priori {

// A stretch of a document: its text, and what is put before each of its words ("subject:").
struct Segment {
    std::string_view prefix, text;
};

using Vocabulary = std::unordered_set<std::string>;

inline constexpr int64_t kLargestCount = 1'000'000;

inline void check_counts(std::span<const int64_t> counts) {
    for (const int64_t count : counts) {
        if (count < 0 || count > kLargestCount) {
            throw std::invalid_argument("a count is negative or over a million; counts are whole numbers from 0");
        }
    }
}

// Labels are looked up without making a string of them.
struct LabelHash {
    using is_transparent = void;
    size_t operator()(std::string_view label) const { return std::hash<std::string_view>{}(label); }
};

class Counter {
  public:
    // `vocabulary` may be null: every term counts. `keep_sample` false keeps no documents.
    Counter(std::shared_ptr<const Analyzer> analyzer, std::shared_ptr<const Vocabulary> vocabulary, bool keep_sample)
        : analyzer_(std::move(analyzer)), vocabulary_(std::move(vocabulary)), keep_sample_(keep_sample) {
        const AnalyzerOptions& options = analyzer_->options();
        const bool words = options.features == Features::words;
        first_level_ = words ? static_cast<size_t>(options.ngram_min) - 1 : 0;
        levels_.resize(words ? static_cast<size_t>(options.ngram_max) : 1);
    }

    void add_text(std::string_view label, std::span<const Segment> segments, int64_t weight) {
        if (!begin(label, weight)) return;
        for (const Segment& segment : segments) {
            analyzer_->spans(segment.text, segment.prefix, scratch_);
            count_words({scratch_.spans.begin(), scratch_.spans.end()}, segment.prefix.size());
        }
        finish_document([&] {
            uint64_t raw = 0;
            for (const Segment& segment : segments) {
                raw = mix(raw ^ kSeed1,
                          hash_term(reinterpret_cast<const uint8_t*>(segment.text.data()), segment.text.size()));
            }
            return raw;
        });
    }

    // Words already told apart. Each needs kPadding readable bytes.
    void add_words(std::string_view label, std::span<const Span> words, int64_t weight) {
        if (!begin(label, weight)) return;
        analyzer_->take_words(words, scratch_);
        count_words({scratch_.spans.begin(), scratch_.spans.end()}, 0);
        finish_document([&] {
            uint64_t raw = 0;
            for (const Span& word : words) raw = mix(raw ^ kSeed1, hash_term(word.data, word.length));
            return raw;
        });
    }

    // Terms already counted: they are taken as they are, without n-grams. Each needs kPadding readable bytes.
    void add_counts(std::string_view label, std::span<const Span> terms, const int64_t* counts, int64_t weight) {
        check_counts({counts, terms.size()});
        if (!begin(label, weight)) return;
        auto& ids = levels_[0].ids;
        uint64_t raw = 0;
        for (size_t i = 0; i < terms.size(); ++i) {
            const Probe probe = Probe::of_word(terms[i].data, terms[i].length);
            content_ += probe.hash * static_cast<uint64_t>(counts[i]);
            raw = mix(raw ^ kSeed1, probe.hash ^ static_cast<uint64_t>(counts[i]));
            if (counts[i] == 0) continue;
            const uint32_t id = word_id(probe, levels_[0].table.candidate(probe));
            for (int64_t n = 0; n < counts[i]; ++n) ids.push_back(id);
        }
        count_ids(0, 0);
        finish_document([&] { return raw; });
    }

    // The words as they were written; none where stems are not asked for.
    TermCounts forms() const { return finish_forms(forms_, levels_[0].table); }

  private:
    friend class Finisher;

    static constexpr int64_t kShortLength = 4096;
    static constexpr size_t kBlock = 128;

    // All terms of one n-gram order; the words first.
    struct Level {
        TermTable table;
        PairTable pairs;
        HotCounts hot;
        Count* hot_row = nullptr;  // of the current class
        uint32_t hot_terms = 0;
        std::vector<uint64_t> seen = std::vector<uint64_t>(HotCounts::kMost / 64 + 1);  // hot terms of this document
        Buffer<uint32_t> ids;  // of the current document, in order
        // Clears what the last document left: its own bits, or all of them if they are as many.
        void forget_document() {
            if (ids.size() < seen.size()) {
                for (const uint32_t id : ids) seen[std::min(id, hot_terms) >> 6] = 0;
            } else {
                std::fill(seen.begin(), seen.end(), 0);
            }
            ids.clear();
        }

        Buffer<uint32_t> rare;  // those among them that have no place in hot
    };
    struct ClassState {
        int64_t documents = 0;
        std::vector<int64_t> lengths;             // documents by length, short ones
        std::map<int64_t, int64_t> long_lengths;  // and long ones
    };

    std::shared_ptr<const Analyzer> analyzer_;
    std::shared_ptr<const Vocabulary> vocabulary_;
    bool keep_sample_;
    size_t first_level_;
    Scratch scratch_;
    std::vector<Level> levels_;
    FormTable forms_;  // where words are counted by their stems
    // The current document: its number, class, weight, features so far, and the sum of the hashes of its words, an
    // order-free hash of its content.
    uint32_t document_ = 0, cls_ = 0;
    int64_t weight_ = 1, length_ = 0;
    uint64_t content_ = 0;
    std::unordered_map<std::string, uint32_t, LabelHash, std::equal_to<>> class_ids_;
    std::vector<std::string> labels_;
    std::vector<ClassState> classes_;
    SampleBuilder sample_;
    Buffer<Span> new_words_;     // those whose stems are asked for
    Buffer<uint32_t> prefixes_;  // of the n-grams being counted
    std::vector<uint32_t> places_;
    std::vector<uint64_t> row_terms_;
    std::vector<int32_t> row_counts_;

    bool has_ngrams() const { return levels_.size() > 1; }

    uint32_t class_id(std::string_view label) {
        if (!labels_.empty() && labels_[cls_] == label) return cls_;
        const auto place = class_ids_.find(label);
        if (place != class_ids_.end()) return place->second;
        if (!is_valid_utf8(label)) {
            throw std::invalid_argument("a label is not valid UTF-8; name the file's encoding with --encoding");
        }
        const auto cls = static_cast<uint32_t>(labels_.size());
        class_ids_.emplace(label, cls);
        labels_.emplace_back(label);
        classes_.emplace_back();
        return cls;
    }

    // False for a document of no weight: zero entries vanish, and so does it.
    bool begin(std::string_view label, int64_t weight) {
        if (weight == 0) return false;
        if (weight < 0) {
            throw std::invalid_argument(
                "a document weight is negative; to forget documents, subtract their statistics from the total");
        }
        cls_ = class_id(label);
        if (++document_ == 0) restart_stamps();
        for (Level& level : levels_) {
            level.forget_document();
            level.hot_row = level.hot.row(cls_);
            level.hot_terms = HotCounts::terms(cls_);
        }
        weight_ = weight;
        length_ = 0;
        content_ = 0;
        return true;
    }

    void restart_stamps() {
        for (Level& level : levels_) level.table.clear_stamps();
        document_ = 1;
    }

    uint32_t word_id(const Probe& probe, uint32_t candidate) {
        TermTable& table = levels_[0].table;
        if (table.is(candidate, probe)) [[likely]]
            return candidate;
        const size_t before = table.size();
        const uint32_t id = table.find_or_insert(probe);
        if (vocabulary_ && table.size() != before && !vocabulary_->contains(std::string(table.word(id)))) {
            table.tally(id).cls = kForbidden;
        }
        return id;
    }

    // The words of a segment, each after a prefix of so many bytes.
    void count_words(std::span<const Span> spans, size_t prefix) {
        const size_t first = levels_[0].ids.size();
        if (analyzer_->stems() == nullptr) {
            find_words(spans);
        } else {
            find_stems(spans, prefix);
        }
        // subtle: n-grams first, for counting takes words outside the vocabulary out, and n-grams go over all words
        if (has_ngrams()) count_ngrams(first);
        if (first_level_ == 0) count_ids(0, first);
    }

    // Hash a block of words, then look them up: two short loops, so that memory is waited for once per block.
    void find_words(std::span<const Span> spans) {
        Probe probes[kBlock];
        uint32_t candidates[kBlock];
        auto& ids = levels_[0].ids;
        const size_t first = ids.size();
        ids.resize(first + spans.size());
        for (size_t base = 0; base < spans.size(); base += kBlock) {
            const size_t size = std::min(kBlock, spans.size() - base);
            for (size_t i = 0; i < size; ++i) {
                probes[i] = Probe::of_word(spans[base + i].data, spans[base + i].length);
                content_ += probes[i].hash;
                levels_[0].table.prefetch(probes[i].hash);
            }
            uint32_t* out = ids.data() + first + base;
            for (size_t i = 0; i < size; ++i) candidates[i] = levels_[0].table.candidate(probes[i]);
            for (size_t i = 0; i < size; ++i) {
                out[i] = word_id(probes[i], candidates[i]);
                prefetch_count(levels_[0], out[i]);
            }
        }
    }

    // The same by way of the words as they are written, which know the place of their stem.
    void find_stems(std::span<const Span> spans, size_t prefix) {
        Probe probes[kBlock];
        auto& ids = levels_[0].ids;
        const size_t first = ids.size();
        ids.resize(first + spans.size());
        for (size_t base = 0; base < spans.size(); base += kBlock) {
            const size_t size = std::min(kBlock, spans.size() - base);
            for (size_t i = 0; i < size; ++i) {
                probes[i] = Probe::of_word(spans[base + i].data, spans[base + i].length);
                content_ += probes[i].hash;
                forms_.words.prefetch(probes[i].hash);
            }
            for (size_t i = 0; i < size; ++i) ids[first + base + i] = forms_.words.find_or_insert(probes[i]);
        }
        if (forms_.words.size() > forms_.size()) stem_new_words(prefix);
        for (size_t i = first; i < ids.size(); ++i) {
            forms_.occurrences[ids[i]] += weight_;
            ids[i] = forms_.stem[ids[i]];
            prefetch_count(levels_[0], ids[i]);
        }
    }

    void stem_new_words(size_t prefix) {
        const size_t begin = forms_.size(), end = forms_.words.size();
        size_t bytes = 0;
        for (size_t id = begin; id < end; ++id) bytes += forms_.words.word(static_cast<uint32_t>(id)).size();
        std::vector<uint8_t> texts(bytes + kPadding);
        uint8_t* out = texts.data();
        new_words_.resize(end - begin);
        for (size_t id = begin; id < end; ++id) {
            const std::string_view word = forms_.words.word(static_cast<uint32_t>(id)).substr(prefix);
            if (word.find('\0') != std::string_view::npos) {
                throw std::invalid_argument("a word holds a NUL character, so it has no stem; take such words out");
            }
            std::copy(word.begin(), word.end(), out);
            new_words_[id - begin] = {out, static_cast<uint32_t>(word.size())};
            out += word.size();
        }
        const std::string_view before = forms_.words.word(static_cast<uint32_t>(begin)).substr(0, prefix);
        analyzer_->stems()->replace(new_words_, scratch_.stem_ids, scratch_.stems);
        for (const Span& stem : new_words_) {
            std::vector<uint8_t> term(prefix + stem.length + kPadding);
            std::copy(before.begin(), before.end(), term.begin());
            std::copy(stem.data, stem.data + stem.length, term.begin() + static_cast<int64_t>(prefix));
            const Probe probe = Probe::of_word(term.data(), static_cast<uint32_t>(prefix) + stem.length);
            forms_.stem.push_back(word_id(probe, levels_[0].table.candidate(probe)));
            forms_.prefix.push_back(static_cast<uint32_t>(prefix));
            forms_.occurrences.push_back(0);
        }
    }

    // An n-gram is (id of its first n - 1 words, id of its last): tuples of ids, never joined text. `first` is where
    // the words of this segment begin: n-grams do not cross segments.
    void count_ngrams(size_t first) {
        Probe probes[kBlock];
        uint32_t candidates[kBlock];
        const auto& words = levels_[0].ids;
        auto& prefixes = prefixes_;
        prefixes.resize(words.size() - first);
        std::copy(words.begin() + first, words.end(), prefixes.begin());
        const size_t total = prefixes.size();
        for (size_t n = 1; n < levels_.size() && total > n; ++n) {
            Level& level = levels_[n];
            const size_t start = level.ids.size(), size = total - n;
            level.ids.resize(start + size);
            for (size_t base = 0; base < size; base += kBlock) {
                const size_t count = std::min(kBlock, size - base);
                for (size_t i = 0; i < count; ++i) {
                    probes[i] = Probe::of_ngram(uint64_t{prefixes[base + i]} << 32 | words[first + base + i + n]);
                    level.table.prefetch(probes[i].hash);
                }
                for (size_t i = 0; i < count; ++i) candidates[i] = level.table.candidate(probes[i]);
                for (size_t i = 0; i < count; ++i) {
                    const uint32_t id = ngram_id(n, probes[i], candidates[i]);
                    prefixes[base + i] = level.ids[start + base + i] = id;
                    prefetch_count(level, id);
                }
            }
            if (n >= first_level_) count_ids(n, start);
        }
    }

    uint32_t ngram_id(size_t n, const Probe& probe, uint32_t candidate) {
        TermTable& table = levels_[n].table;
        if (table.is(candidate, probe)) [[likely]]
            return candidate;
        const size_t before = table.size();
        const uint32_t id = table.find_or_insert(probe);
        if (vocabulary_ && table.size() != before && !vocabulary_->contains(text(n, id)))
            table.tally(id).cls = kForbidden;
        return id;
    }

    std::string text(size_t n, uint32_t id) const {
        if (n == 0) return std::string(levels_[0].table.word(id));
        const uint64_t pair = levels_[n].table.pair(id);
        return text(n - 1, static_cast<uint32_t>(pair >> 32)) + ' ' + text(0, static_cast<uint32_t>(pair));
    }

    void prefetch_count(const Level& level, uint32_t id) const {
        if (id < level.hot_terms) {
            __builtin_prefetch(level.hot_row + id, 1);
        } else {
            level.table.prefetch_tally(id);
        }
    }

    // The ids of a level from `first` on into the counts of the current class.
    void count_ids(size_t n, size_t first) {
        Level& level = levels_[n];
        if (vocabulary_) drop_forbidden(level, first);
        const bool binary = analyzer_->options().binary;
        Count nowhere;
        Count* hot = level.hot_row == nullptr ? &nowhere : level.hot_row;
        const uint32_t hot_terms = level.hot_terms;
        level.rare.resize(level.ids.size() + 1);
        uint32_t* rare = level.rare.data();
        int64_t length = 0;
        // Frequent terms are counted at once, the others noted. Masks, not branches: neither whether a term is frequent
        // nor whether it is new in its document can be predicted.
        const int64_t weight = weight_, every = binary ? 0 : -1;
        uint64_t* seen = level.seen.data();
        for (size_t i = first; i < level.ids.size(); ++i) {
            const uint32_t id = level.ids[i];
            const bool is_hot = id < hot_terms;
            const uint32_t place = is_hot ? id : hot_terms;
            const int64_t counted = -static_cast<int64_t>(is_hot);
            const uint64_t bit = uint64_t{1} << (place & 63);
            const int64_t fresh = -static_cast<int64_t>((seen[place >> 6] & bit) == 0);
            seen[place >> 6] |= bit;
            hot[place].occurrences += weight & counted & (fresh | every);
            hot[place].documents += weight & counted & fresh;
            length -= counted & (fresh | every);
            *rare = id;
            rare += !is_hot;
        }
        level.rare.resize(static_cast<size_t>(rare - level.rare.data()));
        for (const uint32_t id : level.rare) {
            const uint32_t cls = level.table.tally(id).cls;
            if (cls != cls_ && cls != kNoClass) level.pairs.prefetch(id, cls_);
        }
        for (const uint32_t id : level.rare) length += count_rare(level, id, binary);
        length_ += length;
    }

    int64_t count_rare(Level& level, uint32_t id, bool binary) {
        Tally& tally = level.table.tally(id);
        const bool fresh = tally.stamp != document_;
        if (!fresh && binary) return 0;
        tally.stamp = document_;
        if (tally.cls == kNoClass) tally.cls = cls_;
        Count& count = tally.cls == cls_ ? tally.count : level.pairs.at(id, cls_);
        count.occurrences += weight_;
        if (fresh) count.documents += weight_;
        return 1;
    }

    static void drop_forbidden(Level& level, size_t first) {
        uint32_t* end = std::remove_if(level.ids.begin() + first, level.ids.end(),
                                       [&](uint32_t id) { return level.table.tally(id).cls == kForbidden; });
        level.ids.resize(static_cast<size_t>(end - level.ids.begin()));
    }

    // `raw_hash` is asked for only when the document may be in the sample.
    template <class RawHash>
    void finish_document(RawHash raw_hash) {
        ClassState& state = classes_[cls_];
        state.documents += weight_;
        if (length_ >= kShortLength) {
            state.long_lengths[length_] += weight_;
        } else {
            if (static_cast<size_t>(length_) >= state.lengths.size())
                state.lengths.resize(static_cast<size_t>(length_) + 1);
            state.lengths[static_cast<size_t>(length_)] += weight_;
        }
        if (!keep_sample_) return;
        const uint64_t hash = mix(content_ ^ kSeed0, kSeed1);
        if (!sample_.keeps(hash)) return;
        const uint64_t raw = raw_hash();
        if (!sample_.again(hash, static_cast<int32_t>(cls_), raw, weight_)) push_row(hash, raw);
    }

    void push_row(uint64_t hash, uint64_t raw) {
        row_terms_.clear();
        row_counts_.clear();
        const bool binary = analyzer_->options().binary;
        for (size_t n = first_level_; n < levels_.size(); ++n) {
            const auto& ids = levels_[n].ids;
            const size_t mask = std::bit_ceil(2 * ids.size() + 1) - 1;
            places_.assign(mask + 1, kAbsent);  // a small table of the document's distinct terms
            for (const uint32_t id : ids) {
                const uint64_t term = n << 32 | id;
                size_t i = hash_pair(term) & mask;
                while (places_[i] != kAbsent && row_terms_[places_[i]] != term) i = (i + 1) & mask;
                if (places_[i] == kAbsent) {
                    places_[i] = static_cast<uint32_t>(row_terms_.size());
                    row_terms_.push_back(term);
                    row_counts_.push_back(1);
                } else if (!binary) {
                    ++row_counts_[places_[i]];
                }
            }
        }
        sample_.push(hash, static_cast<int32_t>(cls_), raw, weight_, row_terms_, row_counts_);
    }
};

}  // namespace priori
