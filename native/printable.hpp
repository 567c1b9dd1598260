// Words as messages show them.
#pragma once

#include <string>
#include <string_view>

#include "unicode.hpp"

namespace priori {

// Control characters and broken UTF-8 as question marks: a message is one line of text and ends at a zero byte.
inline std::string printable(std::string_view word) {
    std::string shown;
    const auto* p = reinterpret_cast<const uint8_t*>(word.data());
    const uint8_t* const end = p + word.size();
    for (int points = 0; p < end && points < 40; ++points) {
        const uint8_t* const start = p;
        const char32_t c = decode_utf8(p, end);
        if (c == kInvalid || c < ' ') {
            shown += '?';
        } else {
            shown.append(start, p);
        }
    }
    return shown;
}

}  // namespace priori
