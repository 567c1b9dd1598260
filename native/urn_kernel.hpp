// The inner loop of urn.hpp, which includes it once for each kind of machine: hence no #pragma once.

namespace priori::PRIORI_KERNEL {

using Doubles4 = double __attribute__((vector_size(32)));
using Words4 = uint64_t __attribute__((vector_size(32)));
using Longs4 = int64_t __attribute__((vector_size(32)));
using Ints4 = int32_t __attribute__((vector_size(16)));

inline void to_doubles(const Ints4& counts, Doubles4& out) {
#if defined(PRIORI_KERNEL_AVX2)
    out = reinterpret_cast<Doubles4>(_mm256_cvtepi32_pd(reinterpret_cast<__m128i>(counts)));  // one instruction
#else
    out = __builtin_convertvector(counts, Doubles4);
#endif
}

// Products of 4 W classes: mantissas in [1, 2), and the sums of their exponents.
template <int W>
struct Products {
    Doubles4 mantissa[W];
    Longs4 exponent[W];

    inline void clear() {
        for (int w = 0; w < W; ++w) {
            mantissa[w] = Doubles4{1, 1, 1, 1};
            exponent[w] = Longs4{0, 0, 0, 0};
        }
    }

    inline void put_exponents_aside() {
        constexpr uint64_t kOne = 1023ull << 52, kFraction = (1ull << 52) - 1;
        for (int w = 0; w < W; ++w) {
            const auto bits = reinterpret_cast<Words4>(mantissa[w]);
            exponent[w] += reinterpret_cast<Longs4>(bits >> 52) - 1023;
            mantissa[w] = reinterpret_cast<Doubles4>((bits & kFraction) | kOne);
        }
    }
};

template <int W>
inline void multiply_words(const UrnQuery& query, size_t from, Products<W>& product) {
    const int32_t again = query.exact ? 1 : 0;
    int left = query.burst;
    for (size_t e = 0; e < query.entries; ++e) {
        const int32_t term = query.term[e];
        Ints4 counts[W];
        Doubles4 alpha[W];
        std::memcpy(counts, query.table + static_cast<size_t>(term) * query.stride + from, sizeof(counts));
        const double* own = query.own->of(term);
        for (int w = 0; w < W; ++w) alpha[w] = Doubles4{0, 0, 0, 0} + query.alpha;
        if (own != nullptr) std::memcpy(alpha, own + from, sizeof(alpha));
        for (int32_t times = query.count[e]; times > 0; --times) {
            for (int w = 0; w < W; ++w) {
                Doubles4 count;
                to_doubles(counts[w], count);
                product.mantissa[w] *= count + alpha[w];
                counts[w] += again;
            }
            if (--left == 0) {
                product.put_exponents_aside();
                left = query.burst;
            }
        }
    }
    product.put_exponents_aside();
}

template <int W>
inline void multiply_totals(const UrnQuery& query, size_t from, Products<W>& product) {
    int64_t length = 0;
    for (size_t e = 0; e < query.entries; ++e) length += query.count[e];
    const double again = query.exact ? 1 : 0;
    Doubles4 total[W];
    std::memcpy(total, query.total + from, sizeof(total));
    double drawn = 0;  // words of the document so far, which the urn has gained
    for (int64_t t = 0; t < length;) {
        for (const int64_t end = std::min<int64_t>(length, t + query.burst); t < end; ++t, drawn += again) {
            for (int w = 0; w < W; ++w) product.mantissa[w] *= total[w] + drawn;
        }
        product.put_exponents_aside();
    }
}

template <int W>
inline void predictive_of(const UrnQuery& query, size_t from) {
    Products<W> words, totals;
    words.clear();
    totals.clear();
    multiply_words(query, from, words);
    multiply_totals(query, from, totals);
    for (int w = 0; w < W; ++w) {
        const Doubles4 ratio = words.mantissa[w] / totals.mantissa[w];  // in (1/2, 2)
        const Longs4 exponent = words.exponent[w] - totals.exponent[w];
        std::memcpy(query.mantissa + from + 4 * static_cast<size_t>(w), &ratio, sizeof(ratio));
        std::memcpy(query.exponent + from + 4 * static_cast<size_t>(w), &exponent, sizeof(exponent));
    }
}

// As many classes at once as have their products in registers.
inline void predictive(const UrnQuery& query) {
    size_t from = 0;
    for (; query.stride - from > 24; from += 24) predictive_of<6>(query, from);
    switch ((query.stride - from) / 4) {
        case 1:
            return predictive_of<1>(query, from);
        case 2:
            return predictive_of<2>(query, from);
        case 3:
            return predictive_of<3>(query, from);
        case 4:
            return predictive_of<4>(query, from);
        case 5:
            return predictive_of<5>(query, from);
        default:
            return predictive_of<6>(query, from);
    }
}

}  // namespace priori::PRIORI_KERNEL
