// Loops in several versions, one for any machine and others for what this one can do.
#pragma once

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PRIORI_INLINE inline __attribute__((always_inline))
// The linker chooses among clones when the program is loaded, which takes glibc.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define PRIORI_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PRIORI_CLONES
#endif

namespace priori {

// PRIORI_SIMD=off forces the portable loops, so that the two can be compared.
inline bool simd_wanted() {
    const char* wish = std::getenv("PRIORI_SIMD");
    return wish == nullptr || std::strcmp(wish, "off") != 0;
}

}  // namespace priori
