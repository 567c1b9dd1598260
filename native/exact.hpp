// Sums of floating-point numbers and of their products, as integers: nothing is rounded, so that neither the order of
// the rows nor their batches change a bit, and what is taken away leaves no trace.
//
// A number is m 2^(p - 1074) with |m| < 2^53 and a place p from 0; a product of two is m 2^(p - 2148). A sum is digits
// of 32 bits in words of 64 that carry late (Kulisch 1971; Neal 2015, arXiv:1505.05571).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace priori {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

struct Exact {
    int64_t mantissa;  // signed
    int32_t place;

    static Exact of(double x) {
        const auto bits = std::bit_cast<uint64_t>(x);
        const auto exponent = static_cast<int32_t>(bits >> 52 & 0x7ff);
        const auto fraction = static_cast<int64_t>(bits & ((uint64_t{1} << 52) - 1));
        const int64_t size = exponent == 0 ? fraction : fraction | int64_t{1} << 52;
        return {bits >> 63 ? -size : size, exponent == 0 ? 0 : exponent - 1};
    }
};

// Digits of 32 bits, the lowest of them at the bit `origin` (a multiple of 32), for any number of sums alike.
class Digits {
  public:
    static constexpr int kWidth = 32;
    static constexpr uint64_t kMask = 0xffffffff;

    // Room for addends of `bits` bits from the lowest place to the highest, 2^62 of them, and a sign.
    Digits(size_t sums, int32_t lowest, int32_t highest, int32_t bits)
        : origin(lowest / kWidth * kWidth), width((highest - origin + bits + 63) / kWidth + 2), words(sums * width) {}

    void add(size_t sum, int64_t value, int32_t place) {
        const int shift = place % kWidth;
        const int128 shifted = static_cast<int128>(value) << shift;
        int64_t* at = word(sum, place);
        at[0] += static_cast<int64_t>(static_cast<uint64_t>(shifted) & kMask);
        at[1] += static_cast<int64_t>(static_cast<uint64_t>(shifted) >> kWidth);
        at[2] += static_cast<int64_t>(shifted >> 64);
    }

    void add(size_t sum, int128 value, int32_t place) {
        const int shift = place % kWidth;
        const uint128 low = static_cast<uint128>(static_cast<uint64_t>(value)) << shift;
        const int128 high = (value >> 64) << shift;
        int64_t* at = word(sum, place);
        at[0] += static_cast<int64_t>(static_cast<uint64_t>(low) & kMask);
        at[1] += static_cast<int64_t>(static_cast<uint64_t>(low) >> kWidth);
        at[2] += static_cast<int64_t>(static_cast<uint64_t>(low >> 64) + (static_cast<uint64_t>(high) & kMask));
        at[3] += static_cast<int64_t>(high >> kWidth);
    }

    // Every digit into [0, 2^32) but the last, which keeps the sign. A product has 106 bits, so that shifted by 31 and
    // without its low 96 it adds up to 2^41 to a word: due after 2^21 additions at the latest.
    void carry() {
        for (size_t start = 0; start < words.size(); start += width) {
            for (size_t i = start; i + 1 < start + width; ++i) {
                words[i + 1] += words[i] >> kWidth;
                words[i] &= static_cast<int64_t>(kMask);
            }
        }
    }

    int32_t origin;
    size_t width;
    std::vector<int64_t> words;  // (sums, width)

  private:
    int64_t* word(size_t sum, int32_t place) { return &words[sum * width + (place - origin) / kWidth]; }
};

struct Grouped {
    const int32_t* group;   // of each row; below 0: the row does not count
    const int64_t* weight;  // in units; null: 1 each
    size_t rows;
    size_t groups;
};

struct Moments {
    std::vector<int64_t> weight;   // (groups,)
    std::vector<int64_t> missing;  // (groups,): of the rows in which something is missing
    Digits sums;                   // (groups, d)
    Digits products;               // (groups, d (d + 1) / 2), j <= k, by rows; none where only sums are wanted
};

class MomentSums {
  public:
    MomentSums(std::vector<const double*> columns, Grouped rows, bool products)
        : columns_(std::move(columns)), rows_(rows), products_(products) {
        for (const double* column : columns_) scan(column);
        if (lowest_ > highest_) lowest_ = highest_ = 0;  // nothing but zeros
    }

    Moments summed() {
        const size_t d = columns_.size(), pairs = products_ ? d * (d + 1) / 2 : 0;
        const int32_t extra = rows_.weight == nullptr ? 0 : 63;
        Moments total{std::vector<int64_t>(rows_.groups), std::vector<int64_t>(rows_.groups),
                      Digits(rows_.groups * d, lowest_, highest_, 53 + extra),
                      Digits(rows_.groups * pairs, 2 * lowest_, 2 * highest_, 106 + extra)};
        row_.resize(d);
        for (size_t start = 0; start < rows_.rows; start += kUntilCarry) {
            const size_t end = std::min(rows_.rows, start + kUntilCarry);
            if (d == 1 && products_ && rows_.weight == nullptr) {
                add_one_column(total, start, end);
            } else {
                for (size_t i = start; i < end; ++i) add_row(total, i);
            }
            total.sums.carry();
            total.products.carry();
        }
        return total;
    }

  private:
    static constexpr size_t kUntilCarry = size_t{1} << 20;

    std::vector<const double*> columns_;
    Grouped rows_;
    bool products_;
    std::vector<Exact> row_;
    int32_t lowest_ = 2047, highest_ = 0;

    // Which places the numbers have, so that the digits need not reach over all that there are.
    void scan(const double* column) {
        uint64_t least = ~uint64_t{0}, most = 0;
        for (size_t i = 0; i < rows_.rows; ++i) {
            const uint64_t size = std::bit_cast<uint64_t>(column[i]) & ~(uint64_t{1} << 63);
            const bool missing = size > uint64_t{0x7ff} << 52;
            least = std::min(least, size == 0 || missing ? ~uint64_t{0} : size);
            most = std::max(most, missing ? 0 : size);
        }
        if (most == uint64_t{0x7ff} << 52) throw std::invalid_argument("an infinite number has no sum");
        if (most == 0) return;  // zeros only, or nothing at all
        lowest_ = std::min(lowest_, Exact::of(std::bit_cast<double>(least)).place);
        highest_ = std::max(highest_, Exact::of(std::bit_cast<double>(most)).place);
    }

    void add_one_column(Moments& total, size_t start, size_t end) {
        const double* column = columns_[0];
        for (size_t i = start; i < end; ++i) {
            const int32_t group = rows_.group[i];
            if (group < 0) continue;
            const double x = column[i];
            if (std::isnan(x)) {
                ++total.missing[group];
                continue;
            }
            ++total.weight[group];
            if (x == 0) continue;
            const Exact number = Exact::of(x);
            total.sums.add(group, number.mantissa, number.place);
            total.products.add(group, static_cast<int128>(number.mantissa) * number.mantissa, 2 * number.place);
        }
    }

    void add_row(Moments& total, size_t i) {
        const int32_t group = rows_.group[i];
        const int64_t weight = rows_.weight == nullptr ? 1 : rows_.weight[i];
        if (group < 0 || weight == 0) return;
        const size_t d = columns_.size();
        for (size_t j = 0; j < d; ++j) {
            const double x = columns_[j][i];
            if (std::isnan(x)) {
                total.missing[group] += weight;
                return;
            }
            row_[j] = x == 0 ? Exact{0, lowest_} : Exact::of(x);
        }
        total.weight[group] += weight;
        for (size_t j = 0; j < d; ++j) {
            const Exact number = row_[j];
            if (number.mantissa == 0) continue;
            total.sums.add(group * d + j, static_cast<int128>(number.mantissa) * weight, number.place);
        }
        if (products_) add_products(total.products, group * (d * (d + 1) / 2), weight);
    }

    void add_products(Digits& products, size_t sum, int64_t weight) const {
        for (size_t j = 0; j < row_.size(); ++j) {
            for (size_t k = j; k < row_.size(); ++k, ++sum) {
                const int128 product = static_cast<int128>(row_[j].mantissa) * row_[k].mantissa;
                const int32_t place = row_[j].place + row_[k].place;
                if (weight == 1) {
                    products.add(sum, product, place);
                } else {  // in two parts, for the whole may need more than 128 bits
                    const int128 low = product & ((int128{1} << 53) - 1);
                    products.add(sum, low * weight, place);
                    products.add(sum, (product >> 53) * weight, place + 53);
                }
            }
        }
    }
};

}  // namespace priori
