// Where a bit mask changes: the starts and ends of its runs of ones, as positions.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "simd.hpp"

namespace priori {

// Writes the positions in the first `words` words of the mask at which a bit differs from the one before it (0 before
// the first), ascending, and returns their number. Up to 64 places beyond the last may be written.
using EdgeScan = size_t (*)(const uint64_t* mask, size_t words, uint32_t* edges);

inline size_t find_edges_portable(const uint64_t* mask, size_t words, uint32_t* edges) {
    uint32_t* next = edges;
    uint64_t before = 0;
    for (size_t w = 0; w < words; ++w) {
        uint64_t edge = mask[w] ^ (mask[w] << 1 | before);
        before = mask[w] >> 63;
        for (; edge != 0; edge &= edge - 1) *next++ = static_cast<uint32_t>(64 * w) + std::countr_zero(edge);
    }
    return static_cast<size_t>(next - edges);
}

#if defined(__x86_64__)
// Sixty-four bits in a step: the numbers 0 to 63 of which those under set bits are kept.
__attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt"))) inline size_t find_edges_avx512(const uint64_t* mask,
                                                                                               size_t words,
                                                                                               uint32_t* edges) {
    alignas(64) static constexpr auto kNumbers = [] {
        std::array<uint8_t, 64> numbers{};
        std::iota(numbers.begin(), numbers.end(), uint8_t{0});
        return numbers;
    }();
    const __m512i numbers = _mm512_load_si512(kNumbers.data());
    uint32_t* next = edges;
    uint64_t before = 0;
    for (size_t w = 0; w < words; ++w) {
        const uint64_t edge = mask[w] ^ (mask[w] << 1 | before);
        before = mask[w] >> 63;
        const auto count = static_cast<size_t>(_mm_popcnt_u64(edge));
        const __m512i places = _mm512_maskz_compress_epi8(edge, numbers);
        const __m512i base = _mm512_set1_epi32(static_cast<int>(64 * w));
        // Zero-masked forms, for the plain ones make GCC 12 warn of its own headers.
        const auto put = [&](__m128i sixteen, size_t at) __attribute__((target("avx512f"))) {
            const __m512i wide = _mm512_maskz_cvtepu8_epi32(0xFFFF, sixteen);
            _mm512_storeu_si512(next + at, _mm512_maskz_add_epi32(0xFFFF, base, wide));
        };
        put(_mm512_maskz_extracti32x4_epi32(0xF, places, 0), 0);
        put(_mm512_maskz_extracti32x4_epi32(0xF, places, 1), 16);
        if (count > 32) [[unlikely]] {
            put(_mm512_maskz_extracti32x4_epi32(0xF, places, 2), 32);
            put(_mm512_maskz_extracti32x4_epi32(0xF, places, 3), 48);
        }
        next += count;
    }
    return static_cast<size_t>(next - edges);
}
#endif

inline EdgeScan choose_edge_scan() {
#if defined(__x86_64__)
    if (simd_wanted() && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw")) {
        return find_edges_avx512;
    }
#endif
    return find_edges_portable;
}

}  // namespace priori
