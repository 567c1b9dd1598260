// From a counter's tables to counts in canonical order.
//
// Words are sorted by their bytes. An n-gram is sorted by (rank of its first n - 1 words, rank of its last word), so
// orders sort as integers; a walk over that tree, parents first, visits all terms in the order of their bytes, because
// the joining space sorts before every byte of a word.
#pragma once

#include <bit>

#include "counter.hpp"
#include "counts.hpp"
#include "printable.hpp"

namespace priori {

struct Finished {
    TermCounts counts;
    std::vector<std::string> labels;
    std::vector<int64_t> class_documents;
    std::vector<int32_t> length_class;
    std::vector<int64_t> length, length_documents;
    Sample<int32_t> sample;
};

// Least-significant-digit radix sort of (key, value) by key; passes in which all digits agree are skipped.
inline void radix_sort(std::vector<std::pair<uint64_t, uint32_t>>& items) {
    std::vector<std::pair<uint64_t, uint32_t>> other(items.size());
    for (int shift = 0; shift < 64; shift += 11) {
        std::vector<size_t> start(2049, 0);
        for (const auto& item : items) ++start[(item.first >> shift & 2047) + 1];
        if (std::find(start.begin(), start.end(), items.size()) != start.end()) continue;
        for (size_t digit = 0; digit < 2048; ++digit) start[digit + 1] += start[digit];
        for (const auto& item : items) other[start[item.first >> shift & 2047]++] = item;
        items.swap(other);
    }
}

// The first eight bytes as a number that compares as they do.
inline uint64_t first_bytes(std::string_view text) {
    uint64_t word = 0;
    if (text.empty()) return word;  // its data may be null, which memcpy must not be given even for no bytes
    std::memcpy(&word, text.data(), std::min<size_t>(8, text.size()));
    return __builtin_bswap64(word);
}

class Finisher {
  public:
    explicit Finisher(const Counter& counter) : counter_(counter), levels_(counter.levels_.size()) {}

    Finished finish() {
        sort_classes();
        sort_words();
        for (size_t level = 1; level < levels_; ++level) sort_ngrams(level);
        for (size_t level = 0; level < levels_; ++level) group_pairs(level);
        walk();
        collect_lengths();
        collect_sample();
        return std::move(out_);
    }

  private:
    struct Level {
        std::vector<std::pair<uint64_t, uint32_t>> sorted;  // (key, id) by rank; key >> 32 is the rank of the parent
        std::vector<uint32_t> rank;                         // by id
        std::vector<int32_t> place;                         // by id: index among the terms, or -1
        std::vector<uint64_t> pair_start;                   // by id, into pairs
        std::vector<PairCount> pairs;
        size_t cursor = 0;
    };

    const Counter& counter_;
    size_t levels_;
    std::vector<Level> level_ = std::vector<Level>(levels_);
    std::vector<int32_t> class_rank_;
    Finished out_;
    std::string text_;  // of the term being visited
    std::string word_text_;
    std::vector<size_t> word_start_;  // by rank, into word_text_
    static constexpr size_t kAhead = 16;

    void sort_classes() {
        std::vector<uint32_t> order(counter_.labels_.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(),
                  [&](uint32_t a, uint32_t b) { return counter_.labels_[a] < counter_.labels_[b]; });
        class_rank_.resize(order.size());
        for (size_t rank = 0; rank < order.size(); ++rank) {
            class_rank_[order[rank]] = static_cast<int32_t>(rank);
            out_.labels.push_back(counter_.labels_[order[rank]]);
            out_.class_documents.push_back(counter_.classes_[order[rank]].documents);
        }
    }

    void sort_words() {
        const TermTable& table = counter_.levels_[0].table;
        auto& sorted = level_[0].sorted;
        sorted.resize(table.size());
        for (uint32_t id = 0; id < table.size(); ++id) {
            const std::string_view word = table.word(id);
            sorted[id] = {first_bytes(word), id};
        }
        std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : table.word(a.second) < table.word(b.second);
        });
        if (levels_ > 1) refuse_spaces(table);
        rank_ids(level_[0]);
        copy_words(table);
    }

    // The words once more, in order: they stand in memory in the order they were first seen, far from each other.
    void copy_words(const TermTable& table) {
        const auto& sorted = level_[0].sorted;
        word_start_.reserve(sorted.size() + 1);
        word_start_.push_back(0);
        for (size_t rank = 0; rank < sorted.size(); ++rank) {
            if (rank + 2 * kAhead < sorted.size()) table.prefetch_origin(sorted[rank + 2 * kAhead].second);
            if (rank + kAhead < sorted.size()) table.prefetch_word(sorted[rank + kAhead].second);
            word_text_ += table.word(sorted[rank].second);
            word_start_.push_back(word_text_.size());
        }
    }

    std::string_view word_of_rank(size_t rank) const {
        return std::string_view(word_text_).substr(word_start_[rank], word_start_[rank + 1] - word_start_[rank]);
    }

    void refuse_spaces(const TermTable& table) const {
        for (uint32_t id = 0; id < table.size(); ++id) {
            for (const char c : table.word(id)) {
                if (static_cast<uint8_t>(c) <= ' ') {
                    throw std::invalid_argument(
                        "the word '" + printable(table.word(id)) +
                        "' holds a space or control character, so its n-grams would be ambiguous; "
                        "take such characters out of the words, or count single words only");
                }
            }
        }
    }

    static void rank_ids(Level& level) {
        level.rank.resize(level.sorted.size());
        for (uint32_t rank = 0; rank < level.sorted.size(); ++rank) level.rank[level.sorted[rank].second] = rank;
        level.place.assign(level.sorted.size(), -1);
    }

    void sort_ngrams(size_t n) {
        const TermTable& table = counter_.levels_[n].table;
        auto& sorted = level_[n].sorted;
        sorted.resize(table.size());
        for (uint32_t id = 0; id < table.size(); ++id) {
            const uint64_t key = table.pair(id);
            const uint64_t parent = level_[n - 1].rank[key >> 32], word = level_[0].rank[static_cast<uint32_t>(key)];
            sorted[id] = {parent << 32 | word, id};
        }
        radix_sort(sorted);
        rank_ids(level_[n]);
    }

    void group_pairs(size_t n) {
        Level& level = level_[n];
        level.pair_start.assign(level.sorted.size() + 1, 0);
        const auto count = [&](uint32_t id, uint32_t, const Count&) { ++level.pair_start[id + 1]; };
        counter_.levels_[n].pairs.each(count);
        counter_.levels_[n].hot.each(count);
        for (size_t id = 0; id + 1 < level.pair_start.size(); ++id) level.pair_start[id + 1] += level.pair_start[id];
        level.pairs.resize(level.pair_start.back());
        std::vector<uint64_t> next = level.pair_start;
        const auto put = [&](uint32_t id, uint32_t cls, const Count& count) {
            level.pairs[next[id]++] = {count, static_cast<uint64_t>(class_rank_[cls])};
        };
        counter_.levels_[n].pairs.each(put);
        counter_.levels_[n].hot.each(put);
    }

    void walk() {
        reserve();
        for (size_t rank = 0; rank < level_[0].sorted.size(); ++rank) visit(0, rank);
    }

    void reserve() {
        size_t terms = 0, pairs = 0;
        for (size_t n = counter_.first_level_; n < levels_; ++n) {
            terms += level_[n].sorted.size();
            pairs += level_[n].sorted.size() + level_[n].pairs.size();
        }
        out_.counts.term_offsets.reserve(terms + 1);
        out_.counts.pair_offsets.reserve(terms + 1);
        out_.counts.pair_class.reserve(pairs);
        out_.counts.pair_occurrences.reserve(pairs);
        out_.counts.pair_documents.reserve(pairs);
    }

    void visit(size_t n, size_t rank) {
        const Level& level = level_[n];
        const size_t before = text_.size();
        if (n != 0) text_ += ' ';
        text_ += word_of_rank(n == 0 ? rank : static_cast<uint32_t>(level.sorted[rank].first));
        if (rank + kAhead < level.sorted.size()) {
            const uint32_t soon = level.sorted[rank + kAhead].second;
            counter_.levels_[n].table.prefetch_tally(soon);
            __builtin_prefetch(&level.pair_start[soon]);
        }
        if (n >= counter_.first_level_) emit(n, level.sorted[rank].second);
        if (n + 1 < levels_) {
            Level& next = level_[n + 1];
            while (next.cursor < next.sorted.size() && next.sorted[next.cursor].first >> 32 == rank)
                visit(n + 1, next.cursor++);
        }
        text_.resize(before);
    }

    void emit(size_t n, uint32_t id) {
        Level& level = level_[n];
        const Tally& tally = counter_.levels_[n].table.tally(id);
        const auto begin = level.pairs.begin() + static_cast<int64_t>(level.pair_start[id]);
        const auto end = level.pairs.begin() + static_cast<int64_t>(level.pair_start[id + 1]);
        if (begin == end && tally.cls >= kForbidden) return;
        std::sort(begin, end, [](const PairCount& a, const PairCount& b) { return a.key < b.key; });
        const int32_t own = tally.cls < kForbidden ? class_rank_[tally.cls] : INT32_MAX;
        auto pair = begin;
        for (; pair != end && static_cast<int32_t>(pair->key) < own; ++pair) push(*pair);
        if (tally.cls < kForbidden) out_.counts.push_pair(own, tally.count.occurrences, tally.count.documents);
        for (; pair != end; ++pair) push(*pair);
        const auto place = static_cast<int64_t>(out_.counts.term_offsets.size()) - 1;
        if (place > INT32_MAX - 1)
            throw std::length_error(
                "more than two billion distinct terms; use shorter n-grams, a longer minimum length or a vocabulary");
        level.place[id] = static_cast<int32_t>(place);
        out_.counts.close_term(text_);
    }

    void push(const PairCount& pair) {
        out_.counts.push_pair(static_cast<int32_t>(pair.key), pair.occurrences, pair.documents);
    }

    void collect_lengths() {
        std::vector<uint32_t> order(class_rank_.size());
        for (uint32_t id = 0; id < class_rank_.size(); ++id) order[static_cast<size_t>(class_rank_[id])] = id;
        for (size_t rank = 0; rank < order.size(); ++rank) {
            const auto& state = counter_.classes_[order[rank]];
            const auto push_length = [&](int64_t length, int64_t documents) {
                if (documents == 0) return;
                out_.length_class.push_back(static_cast<int32_t>(rank));
                out_.length.push_back(length);
                out_.length_documents.push_back(documents);
            };
            for (size_t length = 0; length < state.lengths.size(); ++length) {
                push_length(static_cast<int64_t>(length), state.lengths[length]);
            }
            for (const auto& [length, documents] : state.long_lengths) push_length(length, documents);
        }
    }

    void collect_sample() {
        const Sample<uint64_t>& rows = counter_.sample_.rows();
        Sample<int32_t> mapped;
        mapped.bits = rows.bits;
        mapped.reserve(rows.rows(), rows.term.size());
        std::vector<uint64_t> entries;  // term, then count: one number sorts faster than two
        std::vector<int32_t> terms, counts;
        const std::vector<size_t> order = by_hash(rows);
        for (const size_t row : order) {
            entries.clear();
            for (auto i = static_cast<size_t>(rows.offsets[row]); i < static_cast<size_t>(rows.offsets[row + 1]); ++i) {
                const uint64_t term = rows.term[i];
                const auto place = static_cast<uint64_t>(level_[term >> 32].place[static_cast<uint32_t>(term)]);
                entries.push_back(place << 32 | static_cast<uint32_t>(rows.count[i]));
            }
            std::sort(entries.begin(), entries.end());
            terms.resize(entries.size());
            counts.resize(entries.size());
            for (size_t i = 0; i < entries.size(); ++i) {
                terms[i] = static_cast<int32_t>(entries[i] >> 32);
                counts[i] = static_cast<int32_t>(static_cast<uint32_t>(entries[i]));
            }
            mapped.push(rows.hash[row], class_rank_[static_cast<size_t>(rows.cls[row])], rows.copies[row], terms.data(),
                        counts.data(), terms.size());
        }
        out_.sample = is_canonical(mapped) ? std::move(mapped) : mapped.canonical();
    }

    static std::vector<size_t> by_hash(const Sample<uint64_t>& rows) {
        std::vector<size_t> order(rows.rows());
        std::iota(order.begin(), order.end(), size_t{0});
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows.hash[a] < rows.hash[b]; });
        return order;
    }

    // Whether rows in the order of their hashes are as they must be, as they nearly always are: all different, few
    // enough, and each with its hash under the threshold.
    static bool is_canonical(const Sample<int32_t>& sample) {
        const auto& hash = sample.hash;
        return sample.rows() <= kSampleRows && sample.term.size() <= kSampleEntries &&
               std::adjacent_find(hash.begin(), hash.end()) == hash.end() &&
               (hash.empty() || sample.keeps(hash.back())) &&
               std::all_of(sample.copies.begin(), sample.copies.end(), [](int64_t copies) { return copies > 0; });
    }
};

inline Finished finish(const Counter& counter) { return Finisher(counter).finish(); }

}  // namespace priori
