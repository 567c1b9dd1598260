// The growing dictionary of a counter: terms to consecutive ids, and (id, class) pairs to counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hash.hpp"
#include "pages.hpp"

namespace priori {

inline constexpr uint32_t kNoClass = UINT32_MAX, kForbidden = UINT32_MAX - 1;  // above every class
inline constexpr uint32_t kAbsent = UINT32_MAX;

struct Count {
    int64_t occurrences = 0, documents = 0;
};

// The count of a term in the class it was first seen in: touched for rare terms only, and never across two cache lines.
struct alignas(32) Tally {
    Count count;              // of cls
    uint32_t cls = kNoClass;  // the first class it was seen in, or kForbidden: outside the given vocabulary
    uint32_t stamp = 0;       // last document that had it
};

// Where a term came from: touched when it is new, when it is long, when the table grows, and at the end.
struct Origin {
    uint64_t hash;
    uint64_t start;   // of a word in the arena; an n-gram's (prefix id, word id)
    uint32_t length;  // of a word in bytes
};

struct PairCount : Count {
    uint64_t key = UINT64_MAX;  // id << 32 | class
};

// The first terms seen are the frequent ones: they have a place of their own in every class. Fewer where there are many
// classes, so that memory stays in proportion to the pairs.
class HotCounts {
  public:
    static constexpr uint32_t kMost = 65535;

    static constexpr uint32_t terms(uint32_t cls) {
        return cls < 16 ? kMost : cls < 128 ? 8191 : cls < 1024 ? 1023 : 0;
    }

    // terms(cls) places and one more, which takes what belongs elsewhere: a power of two. Null when there are none.
    Count* row(uint32_t cls) {
        if (terms(cls) == 0) return nullptr;
        if (cls >= rows_.size()) rows_.resize(cls + 1, nullptr);
        if (rows_[cls] == nullptr) {
            const size_t size = terms(cls) + 1;
            if (blocks_.empty() || used_ + size > kBlock) {
                blocks_.emplace_back(kBlock);
                used_ = 0;
            }
            rows_[cls] = blocks_.back().data() + used_;
            used_ += size;
        }
        return rows_[cls];
    }

    template <class Visit>
    void each(Visit visit) const {
        for (uint32_t cls = 0; cls < rows_.size(); ++cls) {
            if (rows_[cls] == nullptr) continue;
            for (uint32_t id = 0; id < terms(cls); ++id) {
                if (rows_[cls][id].documents != 0) visit(id, cls, rows_[cls][id]);
            }
        }
    }

  private:
    static constexpr size_t kBlock = 2 * (kMost + 1);  // rows share a large page
    std::vector<LargeVector<Count>> blocks_;
    std::vector<Count*> rows_;
    size_t used_ = 0;
};

// Counts of the (id, class) pairs that have no place of their own. Open addressing, linear probing.
class PairTable {
  public:
    void prefetch(uint32_t id, uint32_t cls) const {
        __builtin_prefetch(&slots_[hash_pair(uint64_t{id} << 32 | cls) & (slots_.size() - 1)], 1);
    }

    Count& at(uint32_t id, uint32_t cls) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        return find(uint64_t{id} << 32 | cls);
    }

    template <class Visit>
    void each(Visit visit) const {
        for (const PairCount& slot : slots_) {
            if (slot.key != UINT64_MAX)
                visit(static_cast<uint32_t>(slot.key >> 32), static_cast<uint32_t>(slot.key), slot);
        }
    }

  private:
    LargeVector<PairCount> slots_ = LargeVector<PairCount>(1024);
    size_t used_ = 0;

    PairCount& find(uint64_t key) {
        const size_t mask = slots_.size() - 1;
        for (size_t i = hash_pair(key) & mask;; i = (i + 1) & mask) {
            if (slots_[i].key == key) return slots_[i];
            if (slots_[i].key == UINT64_MAX) {
                slots_[i].key = key;
                ++used_;
                return slots_[i];
            }
        }
    }

    void grow() {
        LargeVector<PairCount> old(2 * slots_.size());
        old.swap(slots_);
        used_ = 0;
        for (const PairCount& slot : old) {
            if (slot.key != UINT64_MAX) find(slot.key) = slot;
        }
    }
};

// A term as it is looked up. Its key decides alone, unless the word is long: over sixteen bytes, or (subtle) ending in
// a zero byte, which padding would hide.
struct Probe {
    uint64_t hash;
    Key key;
    const uint8_t* bytes;  // null for an n-gram
    uint32_t length;
    bool is_long;

    bool is_ngram() const { return bytes == nullptr; }
    uint32_t tag() const { return (static_cast<uint32_t>(hash >> 32) & ~3U) | 2U | is_long; }

    // Requires sixteen readable bytes.
    static Probe of_word(const uint8_t* word, uint32_t length) {
        if (length <= kInlineBytes) {
            const Key key = load_key_padded(word, length);
            if (length == 0 || word[length - 1] != 0) [[likely]]
                return {hash_short(key, length), key, word, length, false};
        }
        const uint64_t hash = hash_term(word, length);
        return {hash, {hash, 0}, word, length, true};
    }

    static Probe of_ngram(uint64_t pair) { return {hash_pair(pair), {pair, 0}, nullptr, 0, false}; }
};

// Terms to ids 0, 1, 2, ... in order of first sight.
class TermTable {
  public:
    size_t size() const { return origins_.size(); }
    Tally& tally(uint32_t id) { return tallies_[id]; }
    const Tally& tally(uint32_t id) const { return tallies_[id]; }

    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
    void prefetch_tally(uint32_t id) const { __builtin_prefetch(&tallies_[id], 1); }
    void prefetch_origin(uint32_t id) const { __builtin_prefetch(&origins_[id]); }
    void prefetch_word(uint32_t id) const { __builtin_prefetch(arena_.data() + origins_[id].start); }

    // The first id whose tag fits, not yet compared, its key on the way; kAbsent if there is none.
    uint32_t candidate(const Probe& probe) const {
        const uint64_t tag = probe.tag();
        for (size_t i = probe.hash & mask_;; i = (i + 1) & mask_) {
            const uint64_t slot = slots_[i];
            if (slot >> 32 == tag) {
                const auto id = static_cast<uint32_t>(slot);
                __builtin_prefetch(&keys_[id]);
                if (probe.is_long) [[unlikely]]
                    prefetch_origin(id);
                return id;
            }
            if (slot == 0) return kAbsent;
        }
    }

    // Whether a candidate is the term; not known of long words, whose keys do not decide.
    bool is(uint32_t candidate, const Probe& probe) const {
        return candidate != kAbsent && keys_[candidate] == probe.key && !probe.is_long;
    }

    // The id of a term; kAbsent where it is none.
    uint32_t find(const Probe& probe) const {
        const uint64_t tag = probe.tag();
        for (size_t i = probe.hash & mask_;; i = (i + 1) & mask_) {
            const uint64_t slot = slots_[i];
            if (slot == 0) return kAbsent;
            const auto id = static_cast<uint32_t>(slot);
            if (slot >> 32 == tag && keys_[id] == probe.key && (!probe.is_long || same_long(id, probe))) return id;
        }
    }

    // The id of a term, new or old.
    uint32_t find_or_insert(const Probe& probe) {
        const uint64_t tag = probe.tag();
        for (size_t i = probe.hash & mask_;; i = (i + 1) & mask_) {
            const uint64_t slot = slots_[i];
            if (slot == 0) return insert(i, probe);
            const auto id = static_cast<uint32_t>(slot);
            if (slot >> 32 == tag && keys_[id] == probe.key && (!probe.is_long || same_long(id, probe))) return id;
        }
    }

    std::string_view word(uint32_t id) const {
        const Origin& origin = origins_[id];
        return {reinterpret_cast<const char*>(arena_.data()) + origin.start, origin.length};
    }

    // (prefix id, word id) of an n-gram.
    uint64_t pair(uint32_t id) const { return origins_[id].start; }

    void clear_stamps() {
        for (Tally& tally : tallies_) tally.stamp = 0;
    }

  private:
    LargeVector<uint64_t> slots_ = LargeVector<uint64_t>(4096);
    size_t mask_ = 4095;
    LargeVector<Key> keys_;
    LargeVector<Tally> tallies_;
    LargeVector<Origin> origins_;
    LargeVector<uint8_t> arena_;  // the bytes of all words

    bool same_long(uint32_t id, const Probe& probe) const {
        const Origin& origin = origins_[id];
        return origin.length == probe.length &&
               std::memcmp(arena_.data() + origin.start, probe.bytes, probe.length) == 0;
    }

    uint32_t insert(size_t at, const Probe& probe) {
        if (origins_.size() >= kForbidden - 1)
            throw std::length_error("more than four billion distinct terms; use shorter n-grams or a vocabulary");
        if (8 * origins_.size() >= 5 * slots_.size()) {
            grow();
            return find_or_insert(probe);
        }
        const auto id = static_cast<uint32_t>(origins_.size());
        make_room(keys_);
        make_room(tallies_);
        make_room(origins_);
        make_room(arena_, probe.length);
        slots_[at] = uint64_t{probe.tag()} << 32 | id;
        keys_.push_back(probe.key);
        const uint64_t start = probe.is_ngram() ? probe.key.low : arena_.size();
        tallies_.emplace_back();
        origins_.push_back({probe.hash, start, probe.length});
        if (!probe.is_ngram()) arena_.insert(arena_.end(), probe.bytes, probe.bytes + probe.length);
        return id;
    }

    // In the order of the ids, so that the frequent (hence early) words stand where they are looked for first.
    void grow() {
        LargeVector<uint64_t> old(2 * slots_.size());
        std::vector<uint32_t> tags(origins_.size());
        for (const uint64_t slot : slots_) {
            if (slot != 0) tags[static_cast<uint32_t>(slot)] = static_cast<uint32_t>(slot >> 32);
        }
        old.swap(slots_);
        mask_ = slots_.size() - 1;
        for (uint32_t id = 0; id < origins_.size(); ++id) {
            size_t i = origins_[id].hash & mask_;
            while (slots_[i] != 0) i = (i + 1) & mask_;
            slots_[i] = uint64_t{tags[id]} << 32 | id;
        }
    }
};

}  // namespace priori
