// Documents by blocks, and within a block by term: each term's row of a table is touched once for a block, and what
// belongs to the block's documents stays in the cache meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "pages.hpp"

namespace priori {

struct BlockedRows {
    static constexpr size_t kMostDocuments = 0x10000;  // of a block: an entry has 16 bits for its document

    struct Entry {
        uint16_t document;  // within the block
        uint16_t count;     // a larger count has several entries
    };
    static constexpr int32_t kMost = 0xffff;

    size_t size, terms, block;             // block: documents of each, but for the last
    std::vector<double> length;            // by document: features
    std::vector<size_t> block_runs = {0};  // by block: its runs
    LargeVector<int32_t> run_term;         // by run: the term, ascending within a block
    LargeVector<int64_t> run_begin;        // by run, and one more: its entries, documents ascending
    LargeVector<Entry> entries;

    static constexpr size_t kRunsAhead = 4;  // runs after the last that may be looked at: their term is the last one's

    size_t blocks() const { return block_runs.size() - 1; }

    BlockedRows(size_t rows, size_t vocabulary, const int64_t* offsets, const int32_t* term, const int32_t* count,
                size_t documents)
        : size(rows), terms(vocabulary), block(std::clamp<size_t>(documents, 1, kMostDocuments)), length(rows, 0) {
        size_t all = 0;
        for (int64_t e = 0; e < offsets[rows]; ++e) all += entries_of(count[e]);
        entries.resize(all);
        std::vector<int64_t> place(terms, 0);
        for (size_t first = 0; first < rows; first += block) {
            const size_t last = std::min(rows, first + block);
            sort_block(first, last, offsets, term, count, place);
            block_runs.push_back(run_term.size());
        }
        run_begin.push_back(static_cast<int64_t>(entries.size()));
        for (size_t k = 0; k < kRunsAhead; ++k) run_term.push_back(run_term.empty() ? 0 : run_term.back());
    }

  private:
    static size_t entries_of(int32_t count) { return static_cast<size_t>(count / kMost + (count % kMost != 0)); }

    void sort_block(size_t first, size_t last, const int64_t* offsets, const int32_t* term, const int32_t* count,
                    std::vector<int64_t>& place) {
        std::fill(place.begin(), place.end(), 0);
        for (int64_t e = offsets[first]; e < offsets[last]; ++e) {
            place[static_cast<size_t>(term[e])] += static_cast<int64_t>(entries_of(count[e]));
        }
        for (size_t j = 0; j < terms; ++j) {
            const int64_t found = place[j];
            place[j] = filled_;
            if (found == 0) continue;
            run_term.push_back(static_cast<int32_t>(j));
            run_begin.push_back(filled_);
            filled_ += found;
        }
        for (size_t i = first; i < last; ++i) {
            for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
                length[i] += count[e];
                for (int32_t left = count[e]; left > 0; left -= kMost) {
                    const auto to = static_cast<size_t>(place[static_cast<size_t>(term[e])]++);
                    entries[to] = {static_cast<uint16_t>(i - first), static_cast<uint16_t>(std::min(left, kMost))};
                }
            }
        }
    }

    int64_t filled_ = 0;
};

}  // namespace priori
