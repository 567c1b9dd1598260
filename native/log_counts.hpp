// log(counts + added) of a whole table, several at a time, with the sums of its columns: EM's M-step.
//
// The logarithm is that of fdlibm (Sun Microsystems, 1993): x = 2^k m, m in [sqrt(1/2), sqrt(2)), and a polynomial in
// (m - 1) / (m + 1). It is within one unit of the last place, and the same with every instruction set.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "parallel.hpp"
#include "simd.hpp"

namespace priori {
namespace log_counts {

constexpr size_t kLanes = 8, kRows = 4096;
typedef double Doubles __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t Integers __attribute__((vector_size(64)));

PRIORI_INLINE void logarithms(const Doubles& x, Doubles& out) {
    constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
    constexpr int64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
    constexpr double kMagic = 6755399441055744.0;  // 2^52 + 2^51: integers below 2^51 are its last bits
    const auto bits = (Integers)x;
    const Integers k = (bits - kRootOfHalf) >> 52;
    const Doubles exponent = (Doubles)(k + std::bit_cast<int64_t>(kMagic)) - kMagic;
    const Doubles f = (Doubles)(bits - (k << 52)) - 1.0;
    const Doubles s = f / (2.0 + f), z = s * s, w = z * z;
    const Doubles odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const Doubles even =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const Doubles half = 0.5 * f * f;
    out = exponent * kLn2High - ((half - (s * (half + odd + even) + exponent * kLn2Low)) - f);
}

// Some rows, laid end to end; `added` repeats with the columns.
PRIORI_CLONES inline void log_rows(const double* counts, const double* added, size_t size, double* out) {
    size_t at = 0;
    for (; at + kLanes <= size; at += kLanes) {
        const Doubles x =
            *reinterpret_cast<const Doubles*>(counts + at) + *reinterpret_cast<const Doubles*>(added + at);
        logarithms(x, *reinterpret_cast<Doubles*>(out + at));
    }
    for (; at < size; ++at) {
        const double x = counts[at] + added[at];
        Doubles all;
        logarithms(Doubles{} + x, all);
        out[at] = all[0];
    }
}

// What the polynomial does not know: 0, and numbers too small to be normal.
inline void mend(const double* counts, const double* added, size_t size, double* out) {
    for (size_t at = 0; at < size; ++at) {
        if (!(counts[at] + added[at] >= std::numeric_limits<double>::min())) out[at] = std::log(counts[at] + added[at]);
    }
}

}  // namespace log_counts

// out = log(counts + added), (rows, columns); gives the sums of its columns, added up block by block in order.
inline std::vector<double> log_table(const double* counts, const double* added, size_t rows, size_t columns,
                                     double* out, int threads) {
    using namespace log_counts;
    const size_t blocks = (rows + kRows - 1) / kRows;
    std::vector<double> repeated(std::min(rows, kRows) * columns), sums(blocks * columns, 0.0), total(columns, 0.0);
    for (size_t at = 0; at < repeated.size(); ++at) repeated[at] = added[at % columns];
    const bool smoothed = std::all_of(added, added + columns, [](double a) { return a >= 1e-300; });
    in_parallel(std::min<size_t>(static_cast<size_t>(std::max(1, threads)), std::max<size_t>(1, blocks)),
                [&](size_t worker, size_t workers) {
                    for (size_t block = worker; block < blocks; block += workers) {
                        const size_t first = block * kRows * columns;
                        const size_t size = std::min(rows - block * kRows, kRows) * columns;
                        log_rows(counts + first, repeated.data(), size, out + first);
                        if (!smoothed) mend(counts + first, repeated.data(), size, out + first);
                        double* sum = sums.data() + block * columns;
                        for (size_t at = 0; at < size; at += columns) {
                            for (size_t c = 0; c < columns; ++c) sum[c] += out[first + at + c];
                        }
                    }
                });
    for (size_t block = 0; block < blocks; ++block) {
        for (size_t c = 0; c < columns; ++c) total[c] += sums[block * columns + c];
    }
    return total;
}

}  // namespace priori
