// Terms and their weights side by side, for scoring many documents: built once that pays.
//
// A slot holds the term's first bytes and where its weights are. Terms seen in half of the classes or more have a dense
// row of weights; the others a list of (class, weight).
#pragma once

#include "index.hpp"

namespace priori {

class FastIndex {
  public:
    struct Pair {
        double weight;
        int32_t cls;
    };

    struct alignas(32) Slot : priori::Slot {
        uint32_t begin = 0;  // of its pairs, or the number of its dense row
        uint32_t count = 0;  // of its pairs, or kDense
    };
    static_assert(sizeof(Slot) == 32);

    static constexpr uint32_t kDense = UINT32_MAX;

    FastIndex(const TermIndex& index, const int64_t* pair_offsets, const int32_t* pair_class, const double* pair_weight,
              size_t classes)
        : index_(index),
          stride_(stride_of(classes)),
          slots_(std::bit_ceil(index.size() + index.size() / 2 + 2)),
          mask_(slots_.size() - 1) {
        // Frequent terms first: they stand where they are looked for, and their rows lie together.
        for (size_t id = 0; id < index.size(); ++id) {
            const auto first = static_cast<size_t>(pair_offsets[id]), last = static_cast<size_t>(pair_offsets[id + 1]);
            if (2 * (last - first) < classes) continue;
            Slot& slot = place(index.term(id), static_cast<uint32_t>(id));
            slot.begin = static_cast<uint32_t>(dense_.size() / stride_);
            slot.count = kDense;
            dense_.resize(dense_.size() + stride_, 0.0);
            double* row = dense_.data() + dense_.size() - stride_;
            for (size_t p = first; p < last; ++p) row[pair_class[p]] = pair_weight[p];
        }
        for (size_t id = 0; id < index.size(); ++id) {
            const auto first = static_cast<size_t>(pair_offsets[id]), last = static_cast<size_t>(pair_offsets[id + 1]);
            if (2 * (last - first) >= classes) continue;
            Slot& slot = place(index.term(id), static_cast<uint32_t>(id));
            slot.begin = static_cast<uint32_t>(pairs_.size());
            slot.count = static_cast<uint32_t>(last - first);
            for (size_t p = first; p < last; ++p) pairs_.push_back({pair_weight[p], pair_class[p]});
        }
    }

    // How many numbers `scores` must have room for: the classes, rounded up so that rows add in whole vectors.
    static constexpr size_t stride_of(size_t classes) { return (classes + 3) / 4 * 4; }

    // Whether the numbers of the model fit the 32 bits of a slot.
    static bool fits(size_t pairs) { return pairs < kDense; }

    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    // A slot of no term for a word that the model has never seen.
    const Slot& find(const Probe& probe) const {
        for (size_t i = probe.hash & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.matches(probe) && (!probe.is_long || same(slot.id, probe))) return slot;
            if (slot.id == kAbsent) return slot;
        }
    }

    void prefetch_weights(const Slot& slot) const {
        if (slot.count == kDense) {
            __builtin_prefetch(dense_.data() + slot.begin * stride_);
        } else {
            __builtin_prefetch(pairs_.data() + slot.begin);
        }
    }

    void add(const Slot& slot, double* __restrict scores) const {
        if (slot.count == kDense) {
            const double* __restrict row = dense_.data() + slot.begin * stride_;
            for (size_t c = 0; c < stride_; c += 4) {
                for (size_t i = 0; i < 4; ++i) scores[c + i] += row[c + i];
            }
            return;
        }
        const Pair* pairs = pairs_.data() + slot.begin;
        for (uint32_t i = 0; i < slot.count; ++i) scores[pairs[i].cls] += pairs[i].weight;
    }

  private:
    const TermIndex& index_;
    size_t stride_;
    LargeVector<Slot> slots_;
    size_t mask_;
    LargeVector<double> dense_;
    LargeVector<Pair> pairs_;

    bool same(uint32_t id, const Probe& probe) const {
        const std::string_view text = index_.term(id);
        return text.size() == probe.length && std::memcmp(text.data(), probe.bytes, probe.length) == 0;
    }

    Slot& place(std::string_view text, uint32_t id) {
        uint8_t padded[kInlineBytes] = {};  // a probe reads sixteen bytes
        const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
        if (text.size() < kInlineBytes) {
            std::memcpy(padded, text.data(), text.size());
            bytes = padded;
        }
        const Probe probe = Probe::of_word(bytes, static_cast<uint32_t>(text.size()));
        size_t i = probe.hash & mask_;
        while (slots_[i].id != kAbsent) i = (i + 1) & mask_;
        slots_[i].key = probe.key;
        slots_[i].tag = probe.tag();
        slots_[i].id = id;
        return slots_[i];
    }
};

}  // namespace priori
