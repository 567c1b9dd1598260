// What each common character becomes in the words of an analyzer, looked up in one step: its lower-cased and folded
// UTF-8, and whether it separates words or belongs to one.
#pragma once

#include <vector>

#include "unicode.hpp"

namespace priori {

// Up to three bytes, their number, and whether they belong to a word; one number, so that a loop loads it at once.
class Step {
  public:
    Step() = default;  // for a character that needs a closer look

    Step(const uint8_t* bytes, int size, bool in_word)
        : packed_(static_cast<uint32_t>(size) << 24 | static_cast<uint32_t>(in_word) << 31) {
        for (int i = 0; i < size; ++i) packed_ |= uint32_t{bytes[i]} << (8 * i);
    }

    bool known() const { return packed_ != 0; }
    unsigned size() const { return packed_ >> 24 & 7; }
    // A bit for each byte that belongs to a word.
    uint64_t word_bits() const {
        const uint64_t in_word = packed_ >> 31;
        return (in_word << size()) - in_word;
    }
    // Always three bytes, so that the size need not be waited for.
    void write(uint8_t* out) const {
        for (int i = 0; i < 3; ++i) out[i] = static_cast<uint8_t>(packed_ >> (8 * i));
    }

  private:
    uint32_t packed_ = 0;
};

class Steps {
  public:
    // Of the alphabets; beyond are mostly ideographs, each a word by itself.
    static constexpr char32_t kEnd = 0x3000;

    Steps(const Characters& characters, bool lowercase, bool fold_accents) : steps_(kEnd) {
        for (char32_t c = 0; c < kEnd; ++c) {
            if (lowercase && (c == kDottedCapitalI || c == kCapitalSigma)) continue;
            char32_t becomes = lowercase ? characters.lower(c) : c;
            if (fold_accents && becomes != 0 && (becomes = characters.fold(becomes)) == 0) continue;
            const uint8_t property = characters.properties(becomes);
            if (becomes >= 0x10000 || (property & kAlone)) continue;
            uint8_t bytes[4] = {' '};
            const bool in_word = property & kWord;
            steps_[c] = Step(bytes, in_word ? encode_utf8(becomes, bytes) : 1, in_word);
        }
    }

    // Unknown for whatever needs a closer look: a word by itself, dropped, two characters, or told by its neighbours.
    Step operator[](char32_t c) const { return c < kEnd ? steps_[c] : Step(); }

  private:
    std::vector<Step> steps_;
};

}  // namespace priori
