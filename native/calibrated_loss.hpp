// The log loss of calibrated scores (see Calibration in scorer.hpp), with its gradient.
//
//   q(c) proportional to exp(t d_c + n / (n + 5) offset_c),  p = (1 - noise) q + noise / K,
//   t = 1 + n / (n + 1) (exp(log_scale + power f) - 1)
//
// where d is the score less the highest and f = log((n + 1) / 50) of a document of n features. With g the share of p(y)
// that is not noise, the loss -w log p(y) has the derivatives r_c = w g (q(c) - [c = y]) by the exponents.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priori {

struct CalibratedLoss {
    double loss = 0;
    std::vector<double> gradient;  // by log_scale, power, logit of noise, and the offsets
};

inline CalibratedLoss calibrated_loss(const double* scores, size_t rows, size_t classes, const int32_t* cls,
                                      const double* weight, const double* length, const double* parameters) {
    constexpr double kNegligible = -50;  // exp of it is below the last digit of the sum, which is at least 1
    const double log_scale = parameters[0], power = parameters[1], noise = 1 / (1 + std::exp(-parameters[2]));
    const double* offset = parameters + 3;
    const double even = 1 / static_cast<double>(classes);
    CalibratedLoss total;
    total.gradient.assign(classes + 3, 0);
    std::vector<double> below(classes), share(classes);
    for (size_t i = 0; i < rows; ++i) {
        const double* s = scores + i * classes;
        const double n = 50 * std::exp(length[i]) - 1, some = n / (n + 1), worth = n / (n + 5);
        const double plain = std::exp(log_scale + power * length[i]), t = 1 + some * (plain - 1);
        const double top = *std::max_element(s, s + classes);
        double highest = -HUGE_VAL;
        for (size_t c = 0; c < classes; ++c) {
            below[c] = s[c] - top;
            share[c] = t * below[c] + worth * offset[c];
            highest = std::max(highest, share[c]);
        }
        double sum = 0;
        for (size_t c = 0; c < classes; ++c) {
            const double exponent = share[c] - highest;
            share[c] = exponent > kNegligible ? std::exp(exponent) : 0.0;
            sum += share[c];
        }
        const auto y = static_cast<size_t>(cls[i]);
        const double own = share[y] / sum, p = (1 - noise) * own + noise * even;
        total.loss -= weight[i] * std::log(p);
        const double g = weight[i] * (1 - noise) * own / p;
        double slope = -g * below[y];
        total.gradient[3 + y] -= g * worth;
        for (size_t c = 0; c < classes; ++c) {
            if (share[c] == 0) continue;
            const double r = g * share[c] / sum;
            total.gradient[3 + c] += r * worth;
            slope += r * below[c];
        }
        total.gradient[0] += some * plain * slope;
        total.gradient[1] += some * plain * slope * length[i];
        total.gradient[2] -= weight[i] * (even - own) / p * noise * (1 - noise);
    }
    return total;
}

}  // namespace priori
