// What EM does for every entry of a block: adds a term's row of a table to the document's scores (E), and the
// document's shares to the term's row (M), with as many components in registers as find room.
//
// To leave out responsibilities near zero was tried, and is slower: a row of 20 is five registers, and to ask which of
// them matter costs more than to add them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "blocked_rows.hpp"
#include "simd.hpp"

namespace priori::mixture {

constexpr size_t kWidest = 32;  // components that are added up in registers

// So many numbers in registers: a plain array would be kept in memory. Each is worked on by itself, so results do not
// depend on how many a register holds. Inlined into the clones below, where the width is a constant.
template <size_t kWidth>
struct Lanes {
    typedef double Quad __attribute__((vector_size(32), aligned(8), may_alias));
    static constexpr size_t kQuads = kWidth / 4, kRest = kWidth % 4;
    Quad quads[kQuads + 1];
    double rest[kRest + 1];

    PRIORI_INLINE void clear() {
#pragma GCC unroll 8
        for (size_t q = 0; q < kQuads; ++q) quads[q] = Quad{};
#pragma GCC unroll 3
        for (size_t c = 0; c < kRest; ++c) rest[c] = 0;
    }
    PRIORI_INLINE void load(const double* from) {
#pragma GCC unroll 8
        for (size_t q = 0; q < kQuads; ++q) quads[q] = *reinterpret_cast<const Quad*>(from + 4 * q);
#pragma GCC unroll 3
        for (size_t c = 0; c < kRest; ++c) rest[c] = from[4 * kQuads + c];
    }
    PRIORI_INLINE void store(double* to) const {
#pragma GCC unroll 8
        for (size_t q = 0; q < kQuads; ++q) *reinterpret_cast<Quad*>(to + 4 * q) = quads[q];
#pragma GCC unroll 3
        for (size_t c = 0; c < kRest; ++c) to[4 * kQuads + c] = rest[c];
    }
    PRIORI_INLINE void add(double n, const Lanes& other) {
#pragma GCC unroll 8
        for (size_t q = 0; q < kQuads; ++q) quads[q] += n * other.quads[q];
#pragma GCC unroll 3
        for (size_t c = 0; c < kRest; ++c) rest[c] += n * other.rest[c];
    }
};

constexpr size_t kAhead = BlockedRows::kRunsAhead;  // rows of a table are fetched before they are needed

template <size_t kWidth>
PRIORI_INLINE void fetch(const double* row) {
    for (size_t c = 0; c < kWidth; c += 8) __builtin_prefetch(row + c);
}

template <size_t kWidth>
PRIORI_INLINE void score_runs(const BlockedRows& rows, size_t block, size_t components, const double* table,
                              double* scores) {
    Lanes<kWidth> row, s;
    for (size_t run = rows.block_runs[block]; run < rows.block_runs[block + 1]; ++run) {
        fetch<kWidth>(table + static_cast<size_t>(rows.run_term[run + kAhead]) * components);
        row.load(table + static_cast<size_t>(rows.run_term[run]) * components);
        const BlockedRows::Entry* end = rows.entries.data() + rows.run_begin[run + 1];
        for (const BlockedRows::Entry* e = rows.entries.data() + rows.run_begin[run]; e != end; ++e) {
            double* to = scores + e->document * components;
            s.load(to);
            s.add(e->count, row);
            s.store(to);
        }
    }
}

// fresh: what was gathered before is nothing, and is not read.
template <size_t kWidth>
PRIORI_INLINE void gather_runs(const BlockedRows& rows, size_t first, size_t last, size_t components,
                               const double* shares, double* gathered, bool fresh) {
    Lanes<kWidth> row, share;
    for (size_t run = first; run < last; ++run) {
        double* to = gathered + static_cast<size_t>(rows.run_term[run]) * components;
        fetch<kWidth>(gathered + static_cast<size_t>(rows.run_term[run + kAhead]) * components);
        if (fresh) {
            row.clear();
        } else {
            row.load(to);
        }
        const BlockedRows::Entry* end = rows.entries.data() + rows.run_begin[run + 1];
        for (const BlockedRows::Entry* e = rows.entries.data() + rows.run_begin[run]; e != end; ++e) {
            share.load(shares + e->document * components);
            row.add(e->count, share);
        }
        row.store(to);
    }
}

template <size_t... kWidths>
PRIORI_INLINE void score_width(std::index_sequence<kWidths...>, size_t width, const BlockedRows& rows, size_t block,
                               size_t components, const double* table, double* scores) {
    ((width == kWidths + 1 ? score_runs<kWidths + 1>(rows, block, components, table, scores) : void()), ...);
}

template <size_t... kWidths>
PRIORI_INLINE void gather_width(std::index_sequence<kWidths...>, size_t width, const BlockedRows& rows, size_t first,
                                size_t last, size_t components, const double* shares, double* gathered, bool fresh) {
    ((width == kWidths + 1 ? gather_runs<kWidths + 1>(rows, first, last, components, shares, gathered, fresh) : void()),
     ...);
}

// s += n times the table's row, for every entry of the block.
PRIORI_CLONES inline void score_block(const BlockedRows& rows, size_t block, size_t components, const double* table,
                                      double* scores) {
    for (size_t first = 0; first < components; first += kWidest) {
        score_width(std::make_index_sequence<kWidest>(), std::min(kWidest, components - first), rows, block, components,
                    table + first, scores + first);
    }
}

// gathered += n times the document's shares, for every entry of the block whose term is in [low, high). In the first
// block nothing has been gathered: it clears the terms that it has not.
PRIORI_CLONES inline void gather_block(const BlockedRows& rows, size_t block, int32_t low, int32_t high,
                                       size_t components, const double* shares, double* gathered) {
    const int32_t* terms = rows.run_term.data();
    const int32_t* end = terms + rows.block_runs[block + 1];
    const int32_t* begin = std::lower_bound(terms + rows.block_runs[block], end, low);
    end = std::lower_bound(begin, end, high);
    int32_t next = block == 0 ? low : high;
    for (const int32_t* term = begin; next < high; ++term) {
        const int32_t there = term < end ? *term : high;
        std::fill(gathered + static_cast<size_t>(next) * components, gathered + static_cast<size_t>(there) * components,
                  0.0);
        next = there + 1;
    }
    for (size_t first = 0; first < components; first += kWidest) {
        gather_width(std::make_index_sequence<kWidest>(), std::min(kWidest, components - first), rows,
                     static_cast<size_t>(begin - terms), static_cast<size_t>(end - terms), components, shares + first,
                     gathered + first, block == 0);
    }
}

}  // namespace priori::mixture
