// Loops in two versions, one for any machine and one for what this one can do.
#pragma once

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace priori {

// PRIORI_SIMD=off forces the portable loops, so that the two can be compared.
inline bool simd_wanted() {
    const char* wish = std::getenv("PRIORI_SIMD");
    return wish == nullptr || std::strcmp(wish, "off") != 0;
}

}  // namespace priori
