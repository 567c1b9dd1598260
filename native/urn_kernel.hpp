// The inner loop of urn.hpp, which includes it once for each kind of machine: hence no #pragma once. PRIORI_LANES
// classes are in a register.

namespace priori::PRIORI_KERNEL {

constexpr size_t kLanes = PRIORI_LANES;
using Doubles = double __attribute__((vector_size(8 * kLanes)));
using Words = uint64_t __attribute__((vector_size(8 * kLanes)));
using Longs = int64_t __attribute__((vector_size(8 * kLanes)));
using Ints = int32_t __attribute__((vector_size(4 * kLanes)));

PRIORI_INLINE void to_doubles(const Ints& counts, Doubles& out) {
#if defined(PRIORI_TO_DOUBLES)
    out = reinterpret_cast<Doubles>(PRIORI_TO_DOUBLES(counts));  // one instruction
#else
    out = __builtin_convertvector(counts, Doubles);
#endif
}

// Products of kLanes W classes: mantissas in [1, 2), and the sums of their exponents.
template <int W>
struct Products {
    Doubles mantissa[W];
    Longs exponent[W];

    PRIORI_INLINE void clear() {
#pragma GCC unroll 6
        for (int w = 0; w < W; ++w) {
            mantissa[w] = Doubles{} + 1.0;
            exponent[w] = Longs{};
        }
    }

    PRIORI_INLINE void times(const Products& other) {
#pragma GCC unroll 6
        for (int w = 0; w < W; ++w) {
            mantissa[w] *= other.mantissa[w];
            exponent[w] += other.exponent[w];
        }
        put_exponents_aside();
    }

    PRIORI_INLINE void put_exponents_aside() {
        constexpr uint64_t kOne = 1023ull << 52, kFraction = (1ull << 52) - 1;
#pragma GCC unroll 6
        for (int w = 0; w < W; ++w) {
            const auto bits = reinterpret_cast<Words>(mantissa[w]);
            exponent[w] += reinterpret_cast<Longs>(bits >> 52) - 1023;
            mantissa[w] = reinterpret_cast<Doubles>((bits & kFraction) | kOne);
        }
    }
};

template <int W>
PRIORI_INLINE void fetch(const int32_t* row) {
    for (size_t c = 0; c < kLanes * W; c += 16) __builtin_prefetch(row + c, 1);
    __builtin_prefetch(row + kLanes * W - 1, 1);
}

// All bits of the class that holds the document, none of the others.
template <int W>
PRIORI_INLINE void mask_holder(int64_t holder, Ints (&mask)[W]) {
    int32_t lanes[kLanes * W] = {};
    if (holder >= 0 && holder < static_cast<int64_t>(kLanes * W)) lanes[holder] = -1;
    std::memcpy(mask, lanes, sizeof(mask));
}

// The factors of one word that comes so many times. alpha is one number for all classes, or a word's own. Loops over
// registers are unrolled, or their arrays would be kept in memory.
template <int W>
PRIORI_INLINE void multiply_word(const UrnQuery& query, const int32_t* row, const Ints (&holder)[W],
                                 const Doubles (&alpha)[W], int32_t times, int& left, Products<W>& product) {
    const double again = query.exact ? 1 : 0;
    Doubles count[W];
#pragma GCC unroll 6
    for (int w = 0; w < W; ++w) {
        Ints counts;
        std::memcpy(&counts, row + kLanes * static_cast<size_t>(w), sizeof(counts));
        to_doubles(counts - (holder[w] & times), count[w]);
    }
    while (times > 0) {
        const int32_t now = std::min(times, left);
        for (int32_t k = 0; k < now; ++k) {
#pragma GCC unroll 6
            for (int w = 0; w < W; ++w) {
                product.mantissa[w] *= count[w] + alpha[w];
                count[w] += again;
            }
        }
        times -= now;
        left -= now;
        if (left == 0) {
            product.put_exponents_aside();
            left = query.burst;
        }
    }
}

// Over all words. The rows of the documents behind are fetched meanwhile.
template <int W>
inline void multiply_words(const UrnQuery& query, size_t from, Products<W>& out) {
    Products<W> product = out;
    Ints holder[W];
    mask_holder(query.holder - static_cast<int64_t>(from), holder);
    Doubles alpha[W];
#pragma GCC unroll 6
    for (int w = 0; w < W; ++w) alpha[w] = Doubles{} + query.alpha;
    const int32_t* table = query.table + from;
    int left = query.burst;
    for (size_t e = 0; e < query.entries; ++e) {
        const int32_t term = query.term[e];
        const int32_t* row = table + static_cast<size_t>(term) * query.stride;
        if (e < query.ahead) fetch<W>(table + static_cast<size_t>(query.term[query.entries + e]) * query.stride);
        if (query.own->has(term)) {
            Doubles own[W];
            std::memcpy(own, query.own->of(term) + from, sizeof(own));
            multiply_word(query, row, holder, own, query.count[e], left, product);
        } else {
            multiply_word(query, row, holder, alpha, query.count[e], left, product);
        }
    }
    product.put_exponents_aside();
    out = product;
}

// The urns' sizes, each larger by one than the one before. Those of odd places are multiplied apart from those of even
// ones, or each product would wait for the one before.
template <int W>
inline void multiply_totals(const UrnQuery& query, size_t from, Products<W>& out) {
    int64_t length = 0;
    for (size_t e = 0; e < query.entries; ++e) length += query.count[e];
    Products<W> even = out, odd;
    odd.clear();
    const double again = query.exact ? 1 : 0;
    Doubles total[W];
    std::memcpy(total, query.total + from, sizeof(total));
    double drawn = 0;  // words of the document so far, which the urn has gained
    for (int64_t pairs = length / 2; pairs > 0;) {
        const int64_t now = std::min<int64_t>(pairs, query.burst);
        for (int64_t k = 0; k < now; ++k) {
            const double next = drawn + again;
#pragma GCC unroll 6
            for (int w = 0; w < W; ++w) {
                even.mantissa[w] *= total[w] + drawn;
                odd.mantissa[w] *= total[w] + next;
            }
            drawn = next + again;
        }
        even.put_exponents_aside();
        odd.put_exponents_aside();
        pairs -= now;
    }
    if (length % 2 != 0) {
#pragma GCC unroll 6
        for (int w = 0; w < W; ++w) even.mantissa[w] *= total[w] + drawn;
        even.put_exponents_aside();
    }
    even.times(odd);
    out = even;
}

template <int W>
inline void predictive_of(const UrnQuery& query, size_t from) {
    Products<W> words, totals;
    words.clear();
    totals.clear();
    multiply_words(query, from, words);
    multiply_totals(query, from, totals);
    for (int w = 0; w < W; ++w) {
        const Doubles ratio = words.mantissa[w] / totals.mantissa[w];  // in (1/2, 2)
        const Longs exponent = words.exponent[w] - totals.exponent[w];
        const size_t place = from + kLanes * static_cast<size_t>(w);
        std::memcpy(query.mantissa + place, &ratio, sizeof(ratio));
        std::memcpy(query.exponent + place, &exponent, sizeof(exponent));
    }
}

// As many classes at once as have their products in registers.
inline void predictive(const UrnQuery& query) {
    constexpr size_t kMost = 6 * kLanes;
    size_t from = 0;
    for (; query.stride - from > kMost; from += kMost) predictive_of<6>(query, from);
    switch ((query.stride - from) / kLanes) {
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
