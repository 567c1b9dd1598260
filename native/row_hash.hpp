// A hash of each row of a table, column by column: what decides whether the row is kept in the sample.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace priori {

inline uint64_t mixed(uint64_t hash, uint64_t cell) {
    hash = (hash ^ cell) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

constexpr uint64_t kMissingCell = 0x7ff8dead00000000;

inline void mix_numbers(uint64_t* hash, const double* values, size_t rows) {
    for (size_t i = 0; i < rows; ++i) {
        const double x = values[i] + 0.0;  // -0 and 0 are one number
        hash[i] = mixed(hash[i], std::isnan(x) ? kMissingCell : std::bit_cast<uint64_t>(x));
    }
}

inline void mix_codes(uint64_t* hash, const int32_t* codes, const uint64_t* values, size_t rows) {
    for (size_t i = 0; i < rows; ++i) hash[i] = mixed(hash[i], codes[i] < 0 ? kMissingCell : values[codes[i]]);
}

}  // namespace priori
