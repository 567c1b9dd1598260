// A feature as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace priori {

// At least kPadding bytes beyond its start are readable.
struct Span {
    const uint8_t* data;
    uint32_t length;
};

inline constexpr size_t kPadding = 64;

}  // namespace priori
