// Sixty-four bytes of ASCII at a time: which are word bytes, which are not ASCII, and all of them lower-cased.
#pragma once

#include <cstdint>

#include "simd.hpp"

namespace priori {

struct AsciiBlock {
    uint64_t word;   // bit i: byte i is a letter, a digit or the underscore
    uint64_t other;  // bit i: byte i is not ASCII
};

// Reads 64 bytes of `in`, writes 64 bytes to `out`; `lower` asks for lower case.
using AsciiScan = AsciiBlock (*)(const uint8_t* in, uint8_t* out, bool lower);

inline AsciiBlock scan_ascii_portable(const uint8_t* in, uint8_t* out, bool lower) {
    AsciiBlock block{0, 0};
    for (int i = 0; i < 64; ++i) {
        const uint8_t c = in[i];
        const uint8_t folded = c | 0x20;
        const bool alpha = static_cast<uint8_t>(folded - 'a') < 26 && c < 0x80;
        const bool digit = static_cast<uint8_t>(c - '0') < 10;
        block.word |= static_cast<uint64_t>(alpha | digit | (c == '_')) << i;
        block.other |= static_cast<uint64_t>(c >> 7) << i;
        out[i] = (alpha && lower) ? folded : c;
    }
    return block;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) inline AsciiBlock scan_ascii_avx2(const uint8_t* in, uint8_t* out, bool lower) {
    const __m256i bit = _mm256_set1_epi8(0x20);
    uint64_t word = 0, other = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + 32 * half));
        const __m256i folded = _mm256_or_si256(c, bit);
        // Signed comparisons: bytes over 127 are negative and fall outside every range.
        const __m256i alpha = _mm256_and_si256(_mm256_cmpgt_epi8(folded, _mm256_set1_epi8('a' - 1)),
                                               _mm256_cmpgt_epi8(_mm256_set1_epi8('z' + 1), folded));
        const __m256i digit = _mm256_and_si256(_mm256_cmpgt_epi8(c, _mm256_set1_epi8('0' - 1)),
                                               _mm256_cmpgt_epi8(_mm256_set1_epi8('9' + 1), c));
        const __m256i line = _mm256_cmpeq_epi8(c, _mm256_set1_epi8('_'));
        const __m256i any = _mm256_or_si256(_mm256_or_si256(alpha, digit), line);
        word |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(any))) << (32 * half);
        other |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(c))) << (32 * half);
        const __m256i lowered = lower ? _mm256_or_si256(c, _mm256_and_si256(alpha, bit)) : c;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * half), lowered);
    }
    return {word, other};
}
#endif

inline AsciiScan choose_ascii_scan() {
#if defined(__x86_64__)
    if (simd_wanted() && __builtin_cpu_supports("avx2")) return scan_ascii_avx2;
#endif
    return scan_ascii_portable;
}

}  // namespace priori
