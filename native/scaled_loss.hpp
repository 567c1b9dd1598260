// The log loss of scores that are scaled document by document, with its derivatives.
//
//   p(c) proportional to exp(t s_c),  t = exp(theta . f)
//
// With residual e = E[s] - s_y and variance v = Var[s] under p, the loss of one document has the gradient w t e f and
// the second derivatives w (t t v + t e) f f'. The first part, t t v, is never negative (Gauss and Newton's).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace priori {

struct ScaledLoss {
    double loss = 0;
    std::vector<double> gradient, curvature;
};

inline ScaledLoss scaled_loss(const double* scores, size_t rows, size_t classes, const int32_t* cls,
                              const double* weight, const double* features, size_t size, const double* theta) {
    constexpr double kNegligible = -50;  // exp of it is below the last digit of the sum, which is at least 1
    ScaledLoss total;
    total.gradient.assign(size, 0);
    total.curvature.assign(size * size, 0);
    for (size_t i = 0; i < rows; ++i) {
        const double* s = scores + i * classes;
        const double* f = features + i * size;
        double exponent = 0;
        for (size_t k = 0; k < size; ++k) exponent += theta[k] * f[k];
        const double t = std::exp(exponent);
        const double top = *std::max_element(s, s + classes);
        double sum = 0, first = 0, second = 0;  // of p, and of (s - top) and its square under p
        for (size_t c = 0; c < classes; ++c) {
            const double below = s[c] - top;
            if (!(t * below > kNegligible)) continue;
            const double p = std::exp(t * below);
            sum += p;
            first += p * below;
            second += p * below * below;
        }
        const double mean = first / sum, own = s[cls[i]] - top;
        const double variance = std::max(0.0, second / sum - mean * mean);
        total.loss += weight[i] * (std::log(sum) - t * own);
        const double slope = weight[i] * t * (mean - own), bend = weight[i] * t * t * variance;
        for (size_t k = 0; k < size; ++k) {
            total.gradient[k] += slope * f[k];
            for (size_t l = 0; l < size; ++l) total.curvature[k * size + l] += bend * f[k] * f[l];
        }
    }
    return total;
}

}  // namespace priori
