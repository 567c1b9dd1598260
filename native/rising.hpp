// log of the rising factorial x (x + 1) ... (x + n - 1) = Gamma(x + n) / Gamma(x), without the cancellation of two
// log-Gammas, and a table of it for whole n.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compensated.hpp"

namespace priori {

// Where Stirling's series begins: the first term left out, 691 / (360360 x^11), is below 2^-53 there.
inline constexpr double kStirlingFrom = 16;

// log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2] for x >= kStirlingFrom.
inline double stirling_rest(double x) {
    const double square = 1 / (x * x);
    return (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188)))) / x;
}

// x > 0, n a whole number >= 0.
inline double log_rising(double x, double n) {
    double sum = 0;
    for (; x < kStirlingFrom && n > 0; x += 1, n -= 1) sum += std::log(x);
    if (n == 0) return sum;
    if (n == 1) return sum + std::log(x);
    const double end = x + n;
    return sum + ((x - 0.5) * std::log1p(n / x) + n * (std::log(end) - 1) + (stirling_rest(end) - stirling_rest(x)));
}

// log_rising(x, n) for one x and whole n: tabulated as far as it was asked for, up to a limit.
class RisingTable {
  public:
    explicit RisingTable(double x) : x_(x), table_{0.0} {}

    double operator()(int64_t n) {
        if (n >= kLimit) return log_rising(x_, static_cast<double>(n));
        const auto place = static_cast<size_t>(n);
        while (table_.size() <= place) {
            sum_.add(std::log(static_cast<double>(table_.size() - 1) + x_));
            table_.push_back(sum_.value());
        }
        return table_[place];
    }

  private:
    static constexpr int64_t kLimit = 1 << 16;

    double x_;
    Compensated sum_;
    std::vector<double> table_;
};

}  // namespace priori
