// Counts of values by class: of categories that have codes, and of numbers in buckets of fixed relative width.
#pragma once

#include <bit>
#include <cmath>
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
inline int32_t bucket_of(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0);  // -0 and 0 are one number
    const auto size = static_cast<int32_t>((bits & ~(uint64_t{1} << 63)) >> 42);
    return bits >> 63 ? -size - 1 : size;
}

struct BucketCounts {
    std::vector<int32_t> bucket;  // in the order of their first numbers
    std::vector<int64_t> counts;  // (buckets, groups)
    std::vector<int64_t> missing;
};

inline BucketCounts count_buckets(const double* values, const Grouped& rows) {
    static constexpr int32_t kBuckets = 1 << 21;  // of each sign
    thread_local std::vector<int32_t> place(2 * kBuckets, -1);
    BucketCounts found;
    found.missing.resize(rows.groups);
    for (size_t i = 0; i < rows.rows; ++i) {
        const int32_t group = rows.group[i];
        const int64_t weight = rows.weight == nullptr ? 1 : rows.weight[i];
        if (group < 0 || weight == 0) continue;
        if (std::isnan(values[i])) {
            found.missing[group] += weight;
            continue;
        }
        const int32_t bucket = bucket_of(values[i]);
        int32_t& at = place[bucket + kBuckets];
        if (at < 0) {
            at = static_cast<int32_t>(found.bucket.size());
            found.bucket.push_back(bucket);
            found.counts.resize(found.counts.size() + rows.groups);
        }
        found.counts[at * rows.groups + group] += weight;
    }
    for (const int32_t bucket : found.bucket) place[bucket + kBuckets] = -1;  // for the next column
    return found;
}

}  // namespace priori
