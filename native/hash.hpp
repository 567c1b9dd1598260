// Hashing of terms: one function for tables, samples and scorers, the same on every machine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace priori {

static_assert(std::endian::native == std::endian::little, "term keys are loaded as little-endian words");

// The first sixteen bytes of a term, zero-padded: equality of short terms is equality of two words.
struct Key {
    uint64_t low = 0, high = 0;
    bool operator==(const Key&) const = default;
};

inline constexpr size_t kInlineBytes = 16;

inline uint64_t load64(const uint8_t* bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// 64 x 64 -> 128 bit product folded to 64: the mixing step of the wyhash family.
inline uint64_t mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline constexpr uint64_t kSeed0 = 0xa0761d6478bd642fULL, kSeed1 = 0xe7037ed1a0b428dbULL,
                          kSeed2 = 0x8ebc6af09c88c6e3ULL;

// Words with `length` low bytes kept, for length 0..8.
constexpr uint64_t keep_low_bytes(uint64_t word, size_t length) {
    return length >= 8 ? word : word & ((uint64_t{1} << (8 * length)) - 1);
}

// By length 0..16, which bits of the two words belong to the term: looked up, because lengths cannot be predicted.
inline constexpr auto kKeyMasks = [] {
    std::array<Key, kInlineBytes + 1> masks{};
    for (size_t length = 0; length <= kInlineBytes; ++length) {
        masks[length] = {keep_low_bytes(~uint64_t{0}, length),
                         length > 8 ? keep_low_bytes(~uint64_t{0}, length - 8) : 0};
    }
    return masks;
}();

// Requires sixteen readable bytes from `bytes` on, whatever the length.
inline Key load_key_padded(const uint8_t* bytes, size_t length) {
    const Key& mask = kKeyMasks[length < kInlineBytes ? length : kInlineBytes];
    return {load64(bytes) & mask.low, load64(bytes + 8) & mask.high};
}

inline Key load_key(const uint8_t* bytes, size_t length) {
    Key key;
    if (length == 0) return key;  // its bytes may be null, which memcpy must not be given even for none
    std::memcpy(&key, bytes, length < kInlineBytes ? length : kInlineBytes);
    return key;
}

inline uint64_t hash_short(Key key, size_t length) {
    return mix(key.low ^ kSeed0 ^ (length * kSeed2), key.high ^ kSeed1);
}

inline uint64_t hash_long(const uint8_t* bytes, size_t length) {
    uint64_t hash = length * kSeed2;
    size_t left = length;
    for (; left > kInlineBytes; left -= kInlineBytes, bytes += kInlineBytes) {
        hash = mix(load64(bytes) ^ kSeed0 ^ hash, load64(bytes + 8) ^ kSeed1);
    }
    const Key tail = load_key(bytes, left);
    return mix(tail.low ^ kSeed0 ^ hash, tail.high ^ kSeed1);
}

inline uint64_t hash_term(const uint8_t* bytes, size_t length) {
    return length <= kInlineBytes ? hash_short(load_key(bytes, length), length) : hash_long(bytes, length);
}

inline uint64_t hash_pair(uint64_t pair) { return mix(pair ^ kSeed0, kSeed1); }

}  // namespace priori
