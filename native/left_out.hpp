// Counts without each block of documents: what leave-one-out, leave-a-group-out and k-fold read.
//
// A block is a set of rows that are left out together: one document, its copies, all of an author's, a fold. For every
// block the (term, class) pairs it touches are gathered once with what is left of them; scores under any prior are then
// read off what was gathered, so that a grid of priors costs one gathering.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "pages.hpp"

namespace priori {

// All that was learned, in documents (not in units).
struct WholeCounts {
    size_t terms, classes;
    const int64_t* pair_offsets;  // by term
    const int32_t* pair_class;    // ascending within a term
    const double* occurrences;
    const double* documents;
    const double* class_occurrences;
    const double* class_documents;
    const uint8_t* stays;  // by term: has a place even where nothing is left of it; null: none has
    bool keep_all;         // the vocabulary is fixed
};

// Documents as rows of (term, count), the rows of a block one after the other.
struct LeftRows {
    size_t size;
    const int64_t* offsets;
    const int32_t* term;
    const int32_t* count;
    const int32_t* cls;      // -1: it was never learned, so nothing of it is taken away
    const double* weight;    // how often it was learned; 0: nothing of it is taken away either
    const int32_t* block;    // ascending
    const int64_t* unknown;  // features without a place in the model; null: none
    const int64_t* number;   // what a row is called in messages
};

struct LeftOut {
    size_t classes = 0, terms = 0;  // of all that was learned
    bool keep_all = false;
    std::vector<double> class_occurrences, class_documents;
    std::vector<int64_t> class_pairs;  // pairs of each class, those of other terms too

    // The terms that the rows have, under numbers of their own.
    std::vector<int32_t> term_ids;
    std::vector<int64_t> pair_ids, pair_offsets = {0};
    std::vector<int32_t> pair_class;
    std::vector<double> occurrences, documents, term_occurrences;

    // The rows, and which touched pairs each of their entries has.
    std::vector<int64_t> offsets = {0};
    LargeVector<int64_t> touch_begin;
    LargeVector<int32_t> term, count, touch_count;
    LargeVector<uint8_t> vanished;  // by entry: nothing is left of its term, so it would be unknown
    std::vector<int64_t> unknown;   // by row

    // What the blocks touch, by term and class.
    struct Touch {
        double occurrences, documents;  // left
        int32_t term, pair;
        bool vanished;
    };
    LargeVector<Touch> touches;
    std::vector<int64_t> block_touches = {0}, block_rows = {0};

    // What the blocks take from the classes, and the terms that are no more without them.
    struct Taken {
        int32_t cls;
        double occurrences, documents;
    };
    std::vector<Taken> taken;
    std::vector<int64_t> block_taken = {0};
    std::vector<int32_t> gone;
    std::vector<int64_t> block_gone = {0};

    size_t rows() const { return offsets.size() - 1; }
    size_t blocks() const { return block_rows.size() - 1; }

    LeftOut(const WholeCounts& whole, const LeftRows& from)
        : classes(whole.classes),
          terms(whole.terms),
          keep_all(whole.keep_all),
          class_occurrences(whole.class_occurrences, whole.class_occurrences + whole.classes),
          class_documents(whole.class_documents, whole.class_documents + whole.classes),
          class_pairs(whole.classes, 0) {
        const int64_t pairs = whole.pair_offsets[whole.terms];
        for (int64_t p = 0; p < pairs; ++p) ++class_pairs[static_cast<size_t>(whole.pair_class[p])];
        number_terms(whole, from);
        copy_rows(from);
        touches.reserve(count.size());
        std::vector<Removed> removed;
        for (size_t first = 0; first < from.size;) {
            size_t last = first + 1;
            while (last < from.size && from.block[last] == from.block[first]) ++last;
            if (last - first == 1) {
                settle_one(whole, from, first);
            } else {
                take_away(from, first, last, removed);
                settle(whole, from, first, last, removed);
            }
            finish_block(from, first, last);
            first = last;
        }
    }

  private:
    struct Removed {
        int32_t term, cls;
        double occurrences, documents;
        size_t row;
    };

    void number_terms(const WholeCounts& whole, const LeftRows& from) {
        std::vector<int32_t> place(whole.terms, 0);
        const int64_t entries = from.offsets[from.size];
        for (int64_t e = 0; e < entries; ++e) place[static_cast<size_t>(from.term[e])] = 1;
        size_t used = 0, pairs = 0;
        for (size_t t = 0; t < whole.terms; ++t) {
            used += place[t] != 0;
            if (place[t] != 0) pairs += static_cast<size_t>(whole.pair_offsets[t + 1] - whole.pair_offsets[t]);
        }
        term_ids.reserve(used);
        term_occurrences.reserve(used);
        pair_offsets.reserve(used + 1);
        pair_ids.reserve(pairs);
        pair_class.reserve(pairs);
        occurrences.reserve(pairs);
        documents.reserve(pairs);
        for (size_t t = 0; t < whole.terms; ++t) {
            if (place[t] == 0) continue;
            place[t] = static_cast<int32_t>(term_ids.size());
            term_ids.push_back(static_cast<int32_t>(t));
            double total = 0;
            for (int64_t p = whole.pair_offsets[t]; p < whole.pair_offsets[t + 1]; ++p) {
                pair_ids.push_back(p);
                pair_class.push_back(whole.pair_class[p]);
                occurrences.push_back(whole.occurrences[p]);
                documents.push_back(whole.documents[p]);
                total += whole.occurrences[p];
            }
            term_occurrences.push_back(total);
            pair_offsets.push_back(static_cast<int64_t>(pair_ids.size()));
        }
        term.resize(static_cast<size_t>(entries));
        for (int64_t e = 0; e < entries; ++e) {
            term[static_cast<size_t>(e)] = place[static_cast<size_t>(from.term[e])];
        }
    }

    void copy_rows(const LeftRows& from) {
        offsets.assign(from.offsets, from.offsets + from.size + 1);
        count.assign(from.count, from.count + offsets.back());
        vanished.assign(count.size(), 0);
        touch_begin.assign(count.size(), 0);
        touch_count.assign(count.size(), 0);
        unknown.assign(from.size, 0);
        if (from.unknown != nullptr) unknown.assign(from.unknown, from.unknown + from.size);
    }

    void take_away(const LeftRows& from, size_t first, size_t last, std::vector<Removed>& removed) {
        removed.clear();
        const size_t before = taken.size();
        for (size_t row = first; row < last; ++row) {
            const int32_t cls = from.cls[row];
            const double weight = from.weight[row];
            if (cls < 0 || weight == 0) continue;
            auto mine = std::find_if(taken.begin() + static_cast<ptrdiff_t>(before), taken.end(),
                                     [&](const Taken& other) { return other.cls == cls; });
            if (mine == taken.end()) mine = taken.insert(mine, Taken{cls, 0, 0});
            mine->documents += weight;
            for (int64_t e = offsets[row]; e < offsets[row + 1]; ++e) {
                const auto at = static_cast<size_t>(e);
                removed.push_back({term[at], cls, weight * count[at], weight, row});
                mine->occurrences += weight * count[at];
            }
        }
        const auto before_other = [](const Removed& a, const Removed& b) {
            return a.term != b.term ? a.term < b.term : a.cls < b.cls;
        };
        std::stable_sort(removed.begin(), removed.end(), before_other);
        size_t kept = 0;
        for (size_t i = 0; i < removed.size(); ++i) {
            if (kept > 0 && removed[kept - 1].term == removed[i].term && removed[kept - 1].cls == removed[i].cls) {
                removed[kept - 1].occurrences += removed[i].occurrences;
                removed[kept - 1].documents += removed[i].documents;
            } else {
                removed[kept++] = removed[i];
            }
        }
        removed.resize(kept);
    }

    // One document, as most blocks are: each of its entries touches one pair.
    void settle_one(const WholeCounts& whole, const LeftRows& from, size_t row) {
        const int32_t cls = from.cls[row];
        const double weight = from.weight[row];
        if (cls < 0 || weight == 0) return;
        Taken mine{cls, 0, weight};
        for (auto e = static_cast<size_t>(offsets[row]); e < static_cast<size_t>(offsets[row + 1]); ++e) {
            const double n = weight * count[e];
            mine.occurrences += n;
            touch_begin[e] = static_cast<int64_t>(touches.size());
            touch_count[e] = 1;
            touches.push_back(touch_of(from, {term[e], cls, n, weight, row}));
            if (is_gone(whole, term[e], term_occurrences[static_cast<size_t>(term[e])] - n)) {
                gone.push_back(term[e]);
                touches.back().vanished = true;
                vanished[e] = 1;
            }
        }
        taken.push_back(mine);
    }

    bool is_gone(const WholeCounts& whole, int32_t t, double left) const {
        if (left != 0 || keep_all) return false;
        return whole.stays == nullptr || whole.stays[term_ids[static_cast<size_t>(t)]] == 0;
    }

    void settle(const WholeCounts& whole, const LeftRows& from, size_t first, size_t last,
                const std::vector<Removed>& removed) {
        const size_t begin = touches.size();
        for (size_t i = 0; i < removed.size();) {
            double total = term_occurrences[static_cast<size_t>(removed[i].term)];
            size_t end = i;
            for (; end < removed.size() && removed[end].term == removed[i].term; ++end) {
                total -= removed[end].occurrences;
                touches.push_back(touch_of(from, removed[end]));
            }
            if (is_gone(whole, removed[i].term, total)) {
                gone.push_back(removed[i].term);
                for (size_t k = touches.size() - (end - i); k < touches.size(); ++k) touches[k].vanished = true;
            }
            i = end;
        }
        for (size_t row = first; row < last; ++row) match(row, begin);
    }

    void finish_block(const LeftRows& from, size_t first, size_t last) {
        for (auto k = static_cast<size_t>(block_taken.back()); k < taken.size(); ++k) {
            if (taken[k].documents > class_documents[static_cast<size_t>(taken[k].cls)]) never_learned(from, first);
        }
        block_taken.push_back(static_cast<int64_t>(taken.size()));
        block_touches.push_back(static_cast<int64_t>(touches.size()));
        block_gone.push_back(static_cast<int64_t>(gone.size()));
        block_rows.push_back(static_cast<int64_t>(last));
    }

    Touch touch_of(const LeftRows& from, const Removed& removed) const {
        const auto t = static_cast<size_t>(removed.term);
        const auto begin = pair_class.begin() + pair_offsets[t], end = pair_class.begin() + pair_offsets[t + 1];
        const auto found = std::lower_bound(begin, end, removed.cls);
        if (found == end || *found != removed.cls) never_learned(from, removed.row);
        const auto pair = static_cast<size_t>(found - pair_class.begin());
        const Touch touch{occurrences[pair] - removed.occurrences, documents[pair] - removed.documents, removed.term,
                          static_cast<int32_t>(pair), false};
        if (touch.occurrences < 0 || touch.documents < 0) never_learned(from, removed.row);
        return touch;
    }

    // Which of the block's touches each entry of a row has: both ascend by term.
    void match(size_t row, size_t begin) {
        size_t at = begin;
        for (int64_t e = offsets[row]; e < offsets[row + 1]; ++e) {
            const auto entry = static_cast<size_t>(e);
            while (at < touches.size() && touches[at].term < term[entry]) ++at;
            touch_begin[entry] = static_cast<int64_t>(at);
            size_t end = at;
            for (; end < touches.size() && touches[end].term == term[entry]; ++end) {
                vanished[entry] = static_cast<uint8_t>(vanished[entry] | (touches[end].vanished ? 1 : 0));
            }
            touch_count[entry] = static_cast<int32_t>(end - at);
        }
    }

    [[noreturn]] static void never_learned(const LeftRows& from, size_t row) {
        throw std::invalid_argument("row " + std::to_string(from.number[row]) +
                                    " was never learned with its label and weight, so it cannot be left out; give "
                                    "documents that the model has learned");
    }
};

}  // namespace priori
