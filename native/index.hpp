// Looking terms up in finished counts: by binary search at first, by hashing once that pays.
#pragma once

#include <atomic>
#include <mutex>

#include "counts.hpp"
#include "hash.hpp"
#include "table.hpp"

namespace priori {

class TermIndex {
  public:
    TermIndex(const int64_t* offsets, const uint8_t* bytes, size_t terms)
        : offsets_(offsets), bytes_(bytes), terms_(terms) {}

    size_t size() const { return terms_; }

    std::string_view term(size_t id) const {
        return {reinterpret_cast<const char*>(bytes_) + offsets_[id],
                static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
    }

    // Binary search costs about twenty times one insertion, so the table is built when the lookups to come, with
    // those done, exceed a twentieth of the terms.
    bool expect(size_t lookups) const {
        if (built_.load(std::memory_order_acquire)) return true;
        if (20 * (done_ += lookups) < terms_) return false;
        std::call_once(once_, [this] { build(); });
        return true;
    }

    uint32_t search(const uint8_t* data, uint32_t length) const {
        const std::string_view wanted{reinterpret_cast<const char*>(data), length};
        size_t low = 0, high = terms_;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (term(middle) < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < terms_ && term(low) == wanted ? static_cast<uint32_t>(low) : kAbsent;
    }

    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    uint32_t find(uint64_t hash, const uint8_t* data, uint32_t length) const {
        for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const uint64_t slot = slots_[i];
            if (slot == 0) return kAbsent;
            if ((slot >> 32) != (hash >> 32)) continue;
            const auto id = static_cast<uint32_t>(slot) - 1;
            const std::string_view text = term(id);
            if (text.size() == length && std::memcmp(text.data(), data, length) == 0) return id;
        }
    }

  private:
    const int64_t* offsets_;
    const uint8_t* bytes_;
    size_t terms_;
    mutable std::atomic<size_t> done_{0};
    mutable std::atomic<bool> built_{false};
    mutable std::once_flag once_;
    mutable std::vector<uint64_t> slots_;
    mutable size_t mask_ = 0;

    void build() const {
        slots_.assign(std::bit_ceil(2 * terms_ + 2), 0);
        mask_ = slots_.size() - 1;
        for (size_t id = 0; id < terms_; ++id) {
            const std::string_view text = term(id);
            const uint64_t hash = hash_term(reinterpret_cast<const uint8_t*>(text.data()), text.size());
            size_t i = hash & mask_;
            while (slots_[i] != 0) i = (i + 1) & mask_;
            slots_[i] = (hash >> 32) << 32 | (id + 1);
        }
        built_.store(true, std::memory_order_release);
    }
};

}  // namespace priori
