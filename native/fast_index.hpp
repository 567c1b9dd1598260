// Terms and their weights side by side, for scoring many documents: built once that pays.
//
// A slot holds the term's first bytes and where its weights are: a row with a number for every class for the dense
// terms, a list of (class, weight) for the others.
#pragma once

#include "index.hpp"
#include "sums.hpp"

namespace priori {

class FastIndex {
  public:
    struct alignas(32) Slot {
        Key key;           // the bytes of a short term, the hash of a long one
        uint32_t tag = 0;  // of the hash, never 0 for a term; odd for long ones
        uint32_t id = kAbsent;
        uint32_t begin = 0;  // of its weights, in units of two numbers
        uint32_t count = 0;  // of its pairs, or kDense

        // One comparison, so that one branch is predicted.
        bool matches(const Probe& probe) const {
            return ((key.low ^ probe.key.low) | (key.high ^ probe.key.high) | (tag ^ probe.tag())) == 0;
        }
    };
    static_assert(sizeof(Slot) == 32);

    static constexpr uint32_t kDense = UINT32_MAX;

    FastIndex(const TermIndex& index, const int64_t* pair_offsets, const int32_t* pair_class, const double* pair_weight,
              size_t classes)
        : index_(index),
          row_size_(Sums::stride_of(classes)),
          slots_(std::bit_ceil(index.size() + index.size() / 2 + 2)),
          mask_(slots_.size() - 1) {
        // Frequent terms first: they stand where they are looked for, and their rows lie together.
        std::vector<uint32_t> order;
        order.reserve(index.size());
        const auto pairs = [&](size_t id) { return static_cast<size_t>(pair_offsets[id + 1] - pair_offsets[id]); };
        for (const bool dense : {true, false}) {
            for (size_t id = 0; id < index.size(); ++id) {
                if (Sums::is_dense(pairs(id), classes) == dense) order.push_back(static_cast<uint32_t>(id));
            }
        }
        constexpr size_t kAhead = 32;  // terms whose slots are on their way
        Probe ahead[kAhead];
        uint8_t padded[kAhead][kInlineBytes];
        for (size_t i = 0; i < order.size() + kAhead; ++i) {
            const size_t turn = i % kAhead;
            if (i >= kAhead) {
                const uint32_t id = order[i - kAhead];
                const auto first = static_cast<size_t>(pair_offsets[id]);
                const bool dense = Sums::is_dense(pairs(id), classes);
                place(ahead[turn], id).count = dense ? kDense : static_cast<uint32_t>(pairs(id));
                append(pair_class + first, pair_weight + first, pairs(id), dense);
            }
            if (i < order.size()) {
                ahead[turn] = probe_of(index.term(order[i]), padded[turn]);
                prefetch(ahead[turn].hash);
            }
        }
        weights_.resize(weights_.size() + 16);  // what is prefetched beyond the last is there
    }

    // Whether 32 bits tell where any weights are: a pair takes one unit, a dense row less than two more than its pairs.
    static bool fits(size_t pairs, size_t terms) { return pairs + 2 * terms < kDense; }

    void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    // A slot of no term for a word that the model has never seen.
    const Slot& find(const Probe& probe) const {
        for (size_t step = 0;; ++step) {
            const Slot& slot = slots_[place_of(probe.hash, step)];
            if (slot.matches(probe) && (!probe.is_long || same(slot.id, probe))) return slot;
            if (slot.id == kAbsent) return slot;
        }
    }

    const double* weights(const Slot& slot) const { return weights_.data() + 2 * size_t{slot.begin}; }

    // The first two cache lines: longer rows are read ahead by the machine.
    void prefetch_weights(const double* weights) const {
        __builtin_prefetch(weights);
        if (row_size_ > 8) __builtin_prefetch(weights + 8);
    }

    static void add_pairs(const double* weights, uint32_t count, Sums& sums) {
        for (; count > 0; --count, weights += 2) {
            sums.add_sparse(static_cast<int32_t>(std::bit_cast<int64_t>(weights[1])), weights[0]);
        }
    }

  private:
    const TermIndex& index_;
    size_t row_size_;
    LargeVector<Slot> slots_;
    size_t mask_;
    LargeVector<double> weights_;

    // Where a term is looked for next: first in both slots of a cache line, then in the lines behind it.
    size_t place_of(uint64_t hash, size_t step) const { return ((hash ^ (step & 1)) + (step & ~size_t{1})) & mask_; }

    bool same(uint32_t id, const Probe& probe) const {
        const std::string_view text = index_.term(id);
        return text.size() == probe.length && std::memcmp(text.data(), probe.bytes, probe.length) == 0;
    }

    // `room` takes the bytes of a term shorter than the sixteen that a probe reads.
    static Probe probe_of(std::string_view text, uint8_t* room) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
        if (text.size() < kInlineBytes) {
            std::memset(room, 0, kInlineBytes);
            std::memcpy(room, text.data(), text.size());
            bytes = room;
        }
        return Probe::of_word(bytes, static_cast<uint32_t>(text.size()));
    }

    // A new slot for a term, whose weights will stand behind all others.
    Slot& place(const Probe& probe, uint32_t id) {
        size_t step = 0;
        while (slots_[place_of(probe.hash, step)].id != kAbsent) ++step;
        Slot& slot = slots_[place_of(probe.hash, step)];
        slot.key = probe.key;
        slot.tag = probe.tag();
        slot.id = id;
        slot.begin = static_cast<uint32_t>(weights_.size() / 2);
        return slot;
    }

    void append(const int32_t* classes, const double* weights, size_t count, bool dense) {
        const size_t begin = weights_.size();
        weights_.resize(begin + (dense ? row_size_ : 2 * count), 0.0);
        double* out = weights_.data() + begin;
        for (size_t i = 0; i < count; ++i) {
            if (dense) {
                out[classes[i]] = weights[i];
            } else {
                out[2 * i] = weights[i];
                out[2 * i + 1] = std::bit_cast<double>(static_cast<int64_t>(classes[i]));
            }
        }
    }
};

}  // namespace priori
