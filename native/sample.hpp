// Some documents kept beside the counts, chosen by their content alone (leave-one-out needs documents, not only sums).
//
// A document is kept when its content hash has `bits` leading zeros; `bits` rises until the rows fit. The rows that fit
// are a function of the set of documents, whatever the order, the batches or the machines they came in.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "pages.hpp"

namespace priori {

inline constexpr size_t kSampleRows = 20'000;
inline constexpr size_t kSampleEntries = size_t{1} << 22;

template <class Term>
struct Sample {
    int bits = 0;  // leading zeros asked of a hash
    std::vector<uint64_t> hash;
    std::vector<int32_t> cls;
    std::vector<int64_t> copies;  // total weight of identical documents of one class
    std::vector<int64_t> offsets = {0};
    LargeVector<Term> term;  // ascending within a row
    LargeVector<int32_t> count;

    size_t rows() const { return hash.size(); }
    bool keeps(uint64_t h) const { return bits == 0 || (bits < 64 && h >> (64 - bits) == 0); }

    void push(uint64_t h, int32_t c, int64_t weight, const Term* terms, const int32_t* counts, size_t size) {
        hash.push_back(h);
        cls.push_back(c);
        copies.push_back(weight);
        make_room(term, size);
        make_room(count, size);
        term.insert(term.end(), terms, terms + size);
        count.insert(count.end(), counts, counts + size);
        offsets.push_back(static_cast<int64_t>(term.size()));
    }

    void reserve(size_t rows, size_t entries) {
        hash.reserve(rows);
        cls.reserve(rows);
        copies.reserve(rows);
        offsets.reserve(rows + 1);
        term.reserve(entries);
        count.reserve(entries);
    }

    void sort_row(size_t row) {
        std::vector<std::pair<Term, int32_t>> entries;
        const auto begin = static_cast<size_t>(offsets[row]), end = static_cast<size_t>(offsets[row + 1]);
        for (size_t i = begin; i < end; ++i) entries.emplace_back(term[i], count[i]);
        std::sort(entries.begin(), entries.end());
        for (size_t i = begin; i < end; ++i) std::tie(term[i], count[i]) = entries[i - begin];
    }

    std::strong_ordering compare(size_t a, size_t b) const {
        if (auto order = hash[a] <=> hash[b]; order != 0) return order;
        if (auto order = cls[a] <=> cls[b]; order != 0) return order;
        const auto first = [&](size_t row) { return term.begin() + offsets[row]; };
        const auto last = [&](size_t row) { return term.begin() + offsets[row + 1]; };
        if (auto order = std::lexicographical_compare_three_way(first(a), last(a), first(b), last(b)); order != 0) {
            return order;
        }
        return std::lexicographical_compare_three_way(count.begin() + offsets[a], count.begin() + offsets[a + 1],
                                                      count.begin() + offsets[b], count.begin() + offsets[b + 1]);
    }

    // Rows sorted (each must have its terms ascending), equal rows added up, rows that are no more dropped, and as few
    // leading zeros as fit.
    Sample canonical() const {
        std::vector<size_t> order;
        for (size_t row = 0; row < rows(); ++row) {
            if (keeps(hash[row])) order.push_back(row);
        }
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return compare(a, b) < 0; });
        std::vector<size_t> row_of;  // first of each group of equals
        std::vector<int64_t> weight_of;
        for (size_t i = 0; i < order.size();) {
            int64_t weight = 0;
            size_t j = i;
            for (; j < order.size() && compare(order[i], order[j]) == 0; ++j) weight += copies[order[j]];
            if (weight > 0) {
                row_of.push_back(order[i]);
                weight_of.push_back(weight);
            }
            i = j;
        }
        Sample result;
        result.bits = bits;
        const auto size_of = [&](size_t row) { return static_cast<size_t>(offsets[row + 1] - offsets[row]); };
        size_t entries = 0;
        for (size_t row : row_of) entries += size_of(row);
        while (row_of.size() > kSampleRows || entries > kSampleEntries) {
            ++result.bits;  // rows are sorted by hash: those to go are at the end
            while (!row_of.empty() && !result.keeps(hash[row_of.back()])) {
                entries -= size_of(row_of.back());
                row_of.pop_back();
            }
        }
        result.reserve(row_of.size(), entries);
        for (size_t i = 0; i < row_of.size(); ++i) {
            const size_t row = row_of[i];
            result.push(hash[row], cls[row], weight_of[i], term.data() + offsets[row], count.data() + offsets[row],
                        size_of(row));
        }
        return result;
    }
};

// The sample of a running count. Texts that come again are recognised by a hash of their bytes, so that repeated
// documents cost little; whatever else is equal is added up by canonical().
class SampleBuilder {
  public:
    bool keeps(uint64_t hash) const { return sample_.keeps(hash); }

    // True if the row was there already and has been counted once more.
    bool again(uint64_t hash, int32_t cls, uint64_t raw, int64_t weight) {
        const auto found = rows_.find(hash + static_cast<uint64_t>(cls));
        if (found == rows_.end() || found->second.raw != raw || sample_.cls[found->second.row] != cls) return false;
        sample_.copies[found->second.row] += weight;
        return true;
    }

    void push(uint64_t hash, int32_t cls, uint64_t raw, int64_t weight, const std::vector<uint64_t>& terms,
              const std::vector<int32_t>& counts) {
        rows_.try_emplace(hash + static_cast<uint64_t>(cls), Place{raw, sample_.rows()});
        raw_.push_back(raw);
        sample_.push(hash, cls, weight, terms.data(), counts.data(), terms.size());
        // An eighth more than will be kept: where doubles in other spellings fill up a sample that just fits, making it
        // canonical for each of them would cost milliseconds a document.
        if (sample_.rows() > kSampleRows + kSampleRows / 8 || sample_.term.size() > kSampleEntries + kSampleEntries / 8)
            tighten();
    }

    // As pushed: the reader renames the terms, sorts them and makes the rows canonical.
    const Sample<uint64_t>& rows() const { return sample_; }

  private:
    struct Place {
        uint64_t raw;
        size_t row;
    };
    Sample<uint64_t> sample_;  // terms as level << 32 | id
    std::vector<uint64_t> raw_;
    std::unordered_map<uint64_t, Place> rows_;

    static uint64_t key_of(const Sample<uint64_t>& sample, size_t row) {
        return sample.hash[row] + static_cast<uint64_t>(sample.cls[row]);
    }

    // Rows come with their terms in any order; only rows of one hash need theirs sorted to be compared.
    void sort_doubles() {
        std::unordered_map<uint64_t, size_t> times;
        for (size_t row = 0; row < sample_.rows(); ++row) ++times[key_of(sample_, row)];
        for (size_t row = 0; row < sample_.rows(); ++row) {
            if (times[key_of(sample_, row)] > 1) sample_.sort_row(row);
        }
    }

    void tighten() {
        sort_doubles();
        std::unordered_map<uint64_t, uint64_t> raw_of;
        for (size_t row = 0; row < sample_.rows(); ++row) raw_of[key_of(sample_, row)] = raw_[row];
        sample_ = sample_.canonical();
        rows_.clear();
        raw_.clear();
        // subtle: with n-grams, documents of the same words in another order share a hash but not a row, and which text
        // was whose is not known any more; those come in again as new rows, and are added up when it is canonical
        std::unordered_map<uint64_t, size_t> times;
        for (size_t row = 0; row < sample_.rows(); ++row) ++times[key_of(sample_, row)];
        for (size_t row = 0; row < sample_.rows(); ++row) {
            const uint64_t key = key_of(sample_, row);
            raw_.push_back(raw_of[key]);
            if (times[key] == 1) rows_.try_emplace(key, Place{raw_of[key], row});
        }
    }
};

}  // namespace priori
