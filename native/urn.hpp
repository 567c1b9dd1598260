// The predictive of a document under urns of whole counts: products of positive numbers, several classes at a time.
//
// The products are taken as they stand: every few factors the exponents are put aside as whole numbers, so that no
// logarithm is taken per word, and a product is off by no more than an ulp or so per factor however long the document
// is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simd.hpp"

namespace priori {

// Priors of some terms' own (seed words), by class; the others have one number.
class OwnPriors {
  public:
    OwnPriors(size_t terms, size_t stride) : stride_(stride), seeded_(terms / 64 + 1) {}

    void set(std::vector<int32_t> terms, double alpha) {  // ascending, each once
        for (const int32_t j : terms) seeded_[static_cast<size_t>(j) / 64] |= 1ull << (j % 64);
        term_ = std::move(terms);
        alpha_.assign(term_.size() * stride_, alpha);
    }

    // Whether a term has some.
    bool has(int32_t term) const { return (seeded_[static_cast<size_t>(term) / 64] >> (term % 64) & 1) != 0; }

    // By class, of a term that has some.
    const double* of(int32_t term) const { return alpha_.data() + static_cast<size_t>(place(term)) * stride_; }

    double& at(int32_t term, size_t cls) { return alpha_[static_cast<size_t>(place(term)) * stride_ + cls]; }
    double least(double alpha) const {
        for (const double a : alpha_) alpha = std::min(alpha, a);
        return alpha;
    }

  private:
    size_t stride_;
    std::vector<uint64_t> seeded_;  // a bit per term
    std::vector<int32_t> term_;
    std::vector<double> alpha_;  // (their number, stride)

    int64_t place(int32_t term) const { return std::lower_bound(term_.begin(), term_.end(), term) - term_.begin(); }
};

// A document, and the urns it could come from: rows of counts by term, the classes beside each other.
struct UrnQuery {
    const int32_t* term;
    const int32_t* count;
    size_t entries;
    size_t ahead;          // entries behind those whose rows will be asked for next
    int64_t holder;        // the class whose counts hold the document, to be left out; -1: it is in none
    const int32_t* table;  // (terms, stride)
    size_t stride;         // a multiple of the lanes
    double alpha;
    const OwnPriors* own;
    const double* total;  // (stride,) words of each class, and those imagined, without the document
    bool exact;           // whether a word that comes again has updated the urn
    int burst;            // factors that cannot overflow or underflow together
    double* mantissa;     // (stride,) out: the predictive is mantissa * 2^exponent
    int64_t* exponent;    // (stride,)
};

}  // namespace priori

#define PRIORI_KERNEL urn_portable
#define PRIORI_LANES 4
#include "urn_kernel.hpp"
#undef PRIORI_KERNEL

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PRIORI_URNS_BY_MACHINE
#pragma GCC push_options
#pragma GCC target("avx2")
#define PRIORI_KERNEL urn_avx2
#define PRIORI_TO_DOUBLES(counts) _mm256_cvtepi32_pd(reinterpret_cast<__m128i>(counts))
#include "urn_kernel.hpp"
#undef PRIORI_KERNEL
#undef PRIORI_TO_DOUBLES
#pragma GCC pop_options
#undef PRIORI_LANES

#pragma GCC push_options
#pragma GCC target("avx512f")
#define PRIORI_KERNEL urn_avx512
#define PRIORI_LANES 8
#include "urn_kernel.hpp"
#undef PRIORI_KERNEL
#pragma GCC pop_options
#endif
#undef PRIORI_LANES

namespace priori {

// The loop, and how many classes it takes at a time: rows of counts are a multiple of that.
struct UrnKernel {
    void (*predictive)(const UrnQuery&);
    size_t lanes;
};

inline UrnKernel urn_kernel([[maybe_unused]] size_t classes) {
#if defined(PRIORI_URNS_BY_MACHINE)
    if (simd_wanted()) {
        // few classes would leave half of eight lanes empty, and the table be twice as large
        if (classes > urn_avx2::kLanes && __builtin_cpu_supports("avx512f")) {
            return {urn_avx512::predictive, urn_avx512::kLanes};
        }
        if (__builtin_cpu_supports("avx2")) return {urn_avx2::predictive, urn_avx2::kLanes};
    }
#endif
    return {urn_portable::predictive, urn_portable::kLanes};
}

}  // namespace priori
