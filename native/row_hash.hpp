// A hash of each row of a table, column by column: what decides whether the row is kept in the sample.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priori {

inline uint64_t mixed(uint64_t hash, uint64_t cell) {
    hash = (hash ^ cell) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

constexpr uint64_t kMissingCell = 0x7ff8dead00000000;

// A column of numbers, or of codes into the hashes of their values.
struct HashedColumn {
    const double* numbers = nullptr;
    const int32_t* codes = nullptr;
    const uint64_t* values = nullptr;
};

// A block of rows at a time, so that their hashes stay in the nearest cache while the columns go by.
inline void mix_columns(uint64_t* hashes, const std::vector<HashedColumn>& columns, size_t rows) {
    constexpr size_t kBlock = 2048;
    for (size_t start = 0; start < rows; start += kBlock) {
        const size_t end = std::min(rows, start + kBlock);
        for (const HashedColumn& column : columns) {
            if (column.numbers != nullptr) {
                for (size_t i = start; i < end; ++i) {
                    const double x = column.numbers[i] + 0.0;  // -0 and 0 are one number
                    hashes[i] = mixed(hashes[i], std::isnan(x) ? kMissingCell : std::bit_cast<uint64_t>(x));
                }
            } else {
                for (size_t i = start; i < end; ++i) {
                    const int32_t code = column.codes[i];
                    hashes[i] = mixed(hashes[i], code < 0 ? kMissingCell : column.values[code]);
                }
            }
        }
    }
}

}  // namespace priori
