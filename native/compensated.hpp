// A sum of doubles that does not lose what rounding takes from it.
#pragma once

#include <cmath>

namespace priori {

// Neumaier's: what each addition drops is added up apart.
class Compensated {
  public:
    void add(double value) {
        const double total = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - total) + value : (value - total) + sum_;
        sum_ = total;
    }
    double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0, lost_ = 0;
};

}  // namespace priori
