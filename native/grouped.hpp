// Counts of values by class: of categories that have codes, and of numbers in buckets of fixed relative width.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
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
inline int32_t bucket_of(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0);  // -0 and 0 are one number
    const auto size = static_cast<int32_t>((bits & ~(uint64_t{1} << 63)) >> 42);
    return bits >> 63 ? -size - 1 : size;
}

struct BucketCounts {
    std::vector<int32_t> bucket;  // sorted
    std::vector<int64_t> counts;  // (buckets, groups)
    std::vector<int64_t> missing;
};

// Counts of the buckets between two, in a table that has them all.
class BucketRange {
  public:
    void see(int32_t bucket) {
        first_ = std::min(first_, bucket);
        last_ = std::max(last_, bucket);
    }

    void open(size_t groups) {
        groups_ = groups;
        if (first_ <= last_) counts_.resize((static_cast<size_t>(last_ - first_) + 1) * groups);
    }

    void add(int32_t bucket, int32_t group, int64_t weight) {
        counts_[static_cast<size_t>(bucket - first_) * groups_ + group] += weight;
    }

    void move_into(BucketCounts& found) const {
        for (size_t at = 0; at < counts_.size(); at += groups_) {
            const int64_t* row = &counts_[at];
            if (std::all_of(row, row + groups_, [](int64_t count) { return count == 0; })) continue;
            found.bucket.push_back(first_ + static_cast<int32_t>(at / groups_));
            found.counts.insert(found.counts.end(), row, row + groups_);
        }
    }

  private:
    int32_t first_ = INT32_MAX, last_ = INT32_MIN;
    size_t groups_ = 0;
    std::vector<int64_t> counts_;
};

// Negative numbers, zero and positive numbers have ranges of their own: those near zero are far from it in buckets.
// Memory is that of the octaves in between: of all that there are, 16 MB for each group.
inline BucketCounts count_buckets(const double* values, const Grouped& rows) {
    BucketCounts found;
    found.missing.resize(rows.groups);
    BucketRange ranges[3];
    const auto range_of = [&](int32_t bucket) -> BucketRange& { return ranges[bucket < 0 ? 0 : bucket == 0 ? 1 : 2]; };
    for (size_t i = 0; i < rows.rows; ++i) {
        if (rows.group[i] < 0 || std::isnan(values[i])) continue;
        const int32_t bucket = bucket_of(values[i]);
        range_of(bucket).see(bucket);
    }
    for (BucketRange& range : ranges) range.open(rows.groups);
    for (size_t i = 0; i < rows.rows; ++i) {
        const int32_t group = rows.group[i];
        if (group < 0) continue;
        const int64_t weight = rows.weight == nullptr ? 1 : rows.weight[i];
        if (std::isnan(values[i])) {
            found.missing[group] += weight;
        } else {
            const int32_t bucket = bucket_of(values[i]);
            range_of(bucket).add(bucket, group, weight);
        }
    }
    for (const BucketRange& range : ranges) range.move_into(found);
    return found;
}

}  // namespace priori
