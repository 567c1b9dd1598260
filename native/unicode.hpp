// Characters: of what kind each is, its lower case and its base letter; and UTF-8 in and out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "unicode_tables.hpp"

namespace priori {

enum Property : uint8_t {
    kWord = 1,            // may stand in a word
    kAlone = 2,           // a word by itself, with the marks that follow: its script puts no spaces between words
    kMark = 4,            // belongs to the character before it
    kCased = 8,           // cased and not ignorable: shows a capital sigma beside it that it stands in a word
    kCaseIgnorable = 16,  // a capital sigma looks past it
    kSpace = 32,
};

inline constexpr char32_t kCodePoints = 0x110000;
inline constexpr char32_t kInvalid = 0xFFFFFFFF;  // what decode_utf8 returns for a malformed sequence
inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr char32_t kCapitalSigma = 0x3A3;
inline constexpr char32_t kFinalSigma = 0x3C2;
inline constexpr char32_t kDottedCapitalI = 0x130;  // lower case: i and a dot above
inline constexpr char32_t kDotAbove = 0x307;

// A value for every code point, in pages of 256. Page 0 is all zero and stands wherever nothing was set.
template <typename Value>
class PageTable {
  public:
    PageTable() : pages_(kCodePoints >> kBits, 0), values_(kSize, 0) {}

    // Needs c < kCodePoints.
    Value operator[](char32_t c) const { return values_[slot(c)]; }

    void set(char32_t c, Value value) {
        if (pages_[c >> kBits] == 0) pages_[c >> kBits] = add_page(0);
        values_[slot(c)] = value;
    }

    // The whole pages of a range share one page, so that a hundred thousand ideographs stay in cache.
    // They must not be set again.
    void set_range(char32_t first, char32_t last, Value value) {
        uint16_t shared = 0;
        for (char32_t c = first; c <= last;) {
            if (c % kSize == 0 && last - c >= kSize - 1) {
                if (shared == 0) shared = add_page(value);
                pages_[c >> kBits] = shared;
                c += kSize;
            } else {
                set(c++, value);
            }
        }
    }

  private:
    static constexpr int kBits = 8;
    static constexpr size_t kSize = size_t{1} << kBits;

    size_t slot(char32_t c) const { return (size_t{pages_[c >> kBits]} << kBits) | (c & (kSize - 1)); }

    uint16_t add_page(Value value) {
        values_.resize(values_.size() + kSize, value);
        return static_cast<uint16_t>((values_.size() >> kBits) - 1);
    }

    std::vector<uint16_t> pages_;
    std::vector<Value> values_;
};

// A character and the one it becomes; laid out as a row of a two-column array of numbers.
struct Mapping {
    uint32_t from, to;
};

// The characters of one Unicode version. Immutable, so any number of threads may share one.
class Characters {
  public:
    // Ranges must be disjoint and in order. Folding is always that of the pinned version.
    Characters(std::span<const PropertyRange> ranges, std::span<const Mapping> lower) {
        uint32_t next = 0;
        for (const PropertyRange& range : ranges) {
            if (range.first < next || range.last < range.first || range.last >= kCodePoints)
                throw std::invalid_argument("character ranges overlap, are out of order or leave Unicode");
            properties_.set_range(range.first, range.last, static_cast<uint8_t>(range.properties));
            next = range.last + 1;
        }
        for (const Mapping& mapping : lower) {
            if (mapping.from >= kCodePoints || mapping.to >= kCodePoints)
                throw std::invalid_argument("a lower-case mapping leaves Unicode");
            lower_.set(mapping.from, mapping.to - mapping.from);
        }
        for (const FoldRun& run : kFoldRuns)
            for (uint32_t c = run.first; c <= run.last; ++c) fold_.set(c, run.base - c);
    }

    uint8_t properties(char32_t c) const { return c < kCodePoints ? properties_[c] : 0; }

    // The one-to-one lower case. The caller adds kDotAbove after kDottedCapitalI and asks is_final_sigma.
    char32_t lower(char32_t c) const { return c < kCodePoints ? c + lower_[c] : c; }

    // The base letter of an accented one, 0 for an accent (drop it), any other character itself. Comes after lower.
    char32_t fold(char32_t c) const { return c < kCodePoints ? c + fold_[c] : c; }

    // The version the default analyzer uses whatever Python runs.
    static const Characters& pinned() {
        static const Characters characters(kPropertyRanges, pinned_lower());
        return characters;
    }

  private:
    static std::vector<Mapping> pinned_lower() {
        std::vector<Mapping> lower;
        for (const LowerRun& run : kLowerRuns)
            for (uint32_t c = run.first; c <= run.last; c += run.stride) lower.push_back({c, c + run.shift});
        return lower;
    }

    PageTable<uint8_t> properties_;
    PageTable<uint32_t> lower_, fold_;  // what to add, modulo 2^32: characters that stay share the page of zeros
};

// Decode the code point at p, which is before end, and step over it. A malformed sequence gives kInvalid and is stepped
// over up to the first byte that could not follow, as Unicode recommends: one kInvalid for each U+FFFD that Python's
// bytes.decode("utf-8", "replace") writes. Surrogates and overlong forms are malformed.
inline char32_t decode_utf8(const uint8_t*& p, const uint8_t* end) {
    const uint8_t lead = *p++;
    if (lead < 0x80) return lead;
    if (lead < 0xC2 || lead > 0xF4) return kInvalid;
    const int following = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    // Only the first following byte can be out of bounds: overlong (E0, F0), a surrogate (ED), past U+10FFFF (F4).
    uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t c = lead & (0x3F >> following);
    for (int i = 0; i < following; ++i) {
        if (p == end || *p < least || *p > most) return kInvalid;
        c = (c << 6) | (*p++ & 0x3F);
        least = 0x80;
        most = 0xBF;
    }
    return c;
}

inline bool is_valid_utf8(std::string_view text) {
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* const end = p + text.size();
    while (p < end) {
        if (decode_utf8(p, end) == kInvalid) return false;
    }
    return true;
}

// Write the UTF-8 of c (a code point below kCodePoints) and return its length, 1 to 4 bytes.
inline int encode_utf8(char32_t c, uint8_t* out) {
    if (c < 0x80) {
        out[0] = static_cast<uint8_t>(c);
        return 1;
    }
    const int following = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr uint8_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
    for (int i = following; i > 0; --i, c >>= 6) out[i] = static_cast<uint8_t>(0x80 | (c & 0x3F));
    out[0] = static_cast<uint8_t>(kLead[following] | c);
    return following + 1;
}

// Whether a capital sigma becomes the final form: the last character before it that is not case-ignorable is cased
// (the caller keeps track, `after_cased`), and the first such one in next..end, which follows it, is not.
inline bool is_final_sigma(const Characters& characters, bool after_cased, const uint8_t* next, const uint8_t* end) {
    if (!after_cased) return false;
    while (next < end) {
        const uint8_t properties = characters.properties(decode_utf8(next, end));
        if (!(properties & kCaseIgnorable)) return !(properties & kCased);
    }
    return true;
}

// Append the lower case of a whole text by Python's rules for str.lower; malformed sequences become U+FFFD.
inline void lower_text(const Characters& characters, std::string_view in, std::string& out) {
    const auto* p = reinterpret_cast<const uint8_t*>(in.data());
    const uint8_t* const end = p + in.size();
    const auto append = [&out](char32_t c) {
        std::array<uint8_t, 4> bytes;
        out.append(reinterpret_cast<const char*>(bytes.data()), encode_utf8(c, bytes.data()));
    };
    bool after_cased = false;
    while (p < end) {
        const char32_t c = decode_utf8(p, end);
        if (c == kInvalid) {
            append(kReplacement);
        } else if (c == kCapitalSigma && is_final_sigma(characters, after_cased, p, end)) {
            append(kFinalSigma);
        } else {
            append(characters.lower(c));
            if (c == kDottedCapitalI) append(kDotAbove);
        }
        const uint8_t properties = characters.properties(c);
        if (!(properties & kCaseIgnorable)) after_cased = properties & kCased;
    }
}

}  // namespace priori
