// Counts of values by class: of categories that have codes, and of numbers in buckets of fixed relative width.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "exact.hpp"

namespace priori {

// (values, groups) weights of codes from 0; a code below 0 is missing and goes to `missing`.
inline void tally(const int32_t* code, size_t values, const Grouped& rows, int64_t* counts, int64_t* missing) {
    for (size_t i = 0; i < rows.rows; ++i) {
        const int32_t group = rows.group[i];
        if (group < 0) continue;
        const int64_t weight = rows.weight == nullptr ? 1 : rows.weight[i];
        if (code[i] < 0) {
            missing[group] += weight;
        } else if (static_cast<size_t>(code[i]) < values) {
            counts[code[i] * rows.groups + group] += weight;
        } else {
            throw std::invalid_argument("a code is beyond the values");
        }
    }
}

// A number's bucket: sign, exponent and the first ten bits of the mantissa, in the order of the numbers. 1024 buckets
// an octave, so each is at most 0.1 % wide, and whole numbers up to 2048 have one each; the same for all data, so that
// counts add up.
struct BucketCounts {
    std::vector<int32_t> bucket;  // sorted
    std::vector<int64_t> counts;  // (buckets, groups)
    std::vector<int64_t> missing;
};

// The buckets of an octave of one sign are counted on a page of their own, which is there once it has a number.
template <class Count>
class BucketPages {
  public:
    explicit BucketPages(size_t groups) : groups_(groups), pages_(kPages) {}

    // False where the number is missing. There are no infinite ones: who reads the columns refuses them.
    bool add(double x, int32_t group, Count weight) {
        const auto bits = std::bit_cast<uint64_t>(x + 0.0);  // -0 and 0 are one number
        const size_t octave = bits >> 52;
        if ((octave & 0x7ff) == 0x7ff) return false;
        std::vector<Count>& page = pages_[octave];
        if (page.empty()) page.resize(kBuckets * groups_);
        page[(bits >> 42 & (kBuckets - 1)) * groups_ + group] += weight;
        return true;
    }

    // In the order of the numbers: the negative ones from the largest size down, then the others.
    void move_into(BucketCounts& found) const {
        for (size_t octave = kPages; octave-- > kPages / 2;) {
            if (pages_[octave].empty()) continue;
            for (size_t at = kBuckets; at-- > 0;) move_bucket(found, octave, at);
        }
        for (size_t octave = 0; octave < kPages / 2; ++octave) {
            if (pages_[octave].empty()) continue;
            for (size_t at = 0; at < kBuckets; ++at) move_bucket(found, octave, at);
        }
    }

  private:
    static constexpr size_t kPages = 4096, kBuckets = 1024;

    size_t groups_;
    std::vector<std::vector<Count>> pages_;

    void move_bucket(BucketCounts& found, size_t octave, size_t at) const {
        const Count* row = &pages_[octave][at * groups_];
        if (std::all_of(row, row + groups_, [](Count count) { return count == 0; })) return;
        const auto size = static_cast<int32_t>((octave & 0x7ff) * kBuckets + at);
        found.bucket.push_back(octave < kPages / 2 ? size : -size - 1);
        found.counts.insert(found.counts.end(), row, row + groups_);
    }
};

template <class Count>
BucketCounts count_buckets_as(const double* values, const Grouped& rows) {
    BucketCounts found;
    found.missing.resize(rows.groups);
    BucketPages<Count> pages(rows.groups);
    for (size_t i = 0; i < rows.rows; ++i) {
        const int32_t group = rows.group[i];
        if (group < 0) continue;
        const int64_t weight = rows.weight == nullptr ? 1 : rows.weight[i];
        if (!pages.add(values[i], group, static_cast<Count>(weight))) found.missing[group] += weight;
    }
    pages.move_into(found);
    return found;
}

// Plain rows are counted in 32 bits, which is half of the memory to go through.
inline BucketCounts count_buckets(const double* values, const Grouped& rows) {
    if (rows.weight == nullptr && rows.rows < UINT32_MAX) return count_buckets_as<uint32_t>(values, rows);
    return count_buckets_as<int64_t>(values, rows);
}

struct SortedCounts {
    const int32_t* bucket;
    const int64_t* counts;  // (size, groups)
    size_t size;
};

// Two tables of counts added up; buckets of which nothing is left are dropped.
inline BucketCounts merged_counts(SortedCounts a, SortedCounts b, size_t groups) {
    BucketCounts found;
    found.bucket.reserve(std::max(a.size, b.size));
    found.counts.reserve(std::max(a.size, b.size) * groups);
    std::vector<int64_t> row(groups);
    for (size_t i = 0, j = 0; i < a.size || j < b.size;) {
        const bool from_a = j == b.size || (i < a.size && a.bucket[i] <= b.bucket[j]);
        const bool from_b = i == a.size || (j < b.size && b.bucket[j] <= a.bucket[i]);
        const int32_t bucket = from_a ? a.bucket[i] : b.bucket[j];
        bool left = false;
        for (size_t k = 0; k < groups; ++k) {
            row[k] = (from_a ? a.counts[i * groups + k] : 0) + (from_b ? b.counts[j * groups + k] : 0);
            left |= row[k] != 0;
        }
        i += from_a;
        j += from_b;
        if (!left) continue;
        found.bucket.push_back(bucket);
        found.counts.insert(found.counts.end(), row.begin(), row.end());
    }
    return found;
}

}  // namespace priori
