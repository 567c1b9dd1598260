// All n-grams of a document that a chain knows, order by order, each found from the one without its last token.
#pragma once

#include <span>

#include "chain.hpp"

namespace priori {

struct ChainWork {
    Buffer<uint32_t> tokens;     // the term of each token, kAbsent for one never seen
    Buffer<uint32_t> ending;     // by position, the n-gram of the last order that ends there; kAbsent where none does
    Buffer<uint32_t> positions;  // where one does, the last first
};

// Calls visit(order, positions, found, size) for blocks of n-grams: `found` ends at token `positions` of the document.
// Block by block, so that memory is waited for in bulk. Returns how many tokens have a term.
template <class Visit>
size_t walk_chain(const Chain& chain, std::span<const Span> document, ChainWork& work, Visit visit) {
    constexpr size_t kBlock = 128;
    Probe probes[kBlock];
    uint64_t keys[kBlock];
    uint32_t places[kBlock];
    Chain::Found found[kBlock];
    const size_t size = document.size();
    work.tokens.resize(size);
    work.ending.resize(size);
    work.positions.resize(size);
    size_t alive = 0;
    for (size_t base = 0; base < size; base += kBlock) {
        const size_t count = std::min(kBlock, size - base);
        for (size_t i = 0; i < count; ++i) {
            probes[i] = Probe::of_word(document[base + i].data, document[base + i].length);
            chain.prefetch_token(probes[i].hash);
        }
        size_t hits = 0;
        for (size_t i = 0; i < count; ++i) {
            const Chain::Found one = chain.token(probes[i]);
            const auto at = static_cast<uint32_t>(base + i);
            work.tokens[at] = work.ending[at] = one.id;
            places[hits] = work.positions[alive + hits] = at;
            found[hits] = one;
            hits += one.id != kAbsent;
        }
        alive += hits;
        visit(size_t{1}, places, found, hits);
    }
    const size_t known = alive;
    std::reverse(work.positions.begin(), work.positions.begin() + alive);
    for (size_t order = 2; order <= chain.longest() && alive > 0; ++order) {
        // subtle: from the last position to the first, so that what ends before a position is still of the last order
        size_t kept = 0;
        for (size_t base = 0; base < alive; base += kBlock) {
            const size_t count = std::min(kBlock, alive - base);
            size_t asked = 0;
            for (size_t i = 0; i < count; ++i) {
                const uint32_t at = work.positions[base + i];
                const uint32_t prefix = at == 0 ? kAbsent : work.ending[at - 1];
                work.ending[at] = kAbsent;
                if (prefix == kAbsent) continue;
                places[asked] = at;
                keys[asked] = Chain::key_of(prefix, work.tokens[at]);
                chain.prefetch(keys[asked++]);
            }
            size_t hits = 0;
            for (size_t i = 0; i < asked; ++i) {
                const Chain::Found one = chain.find(keys[i]);
                const uint32_t at = places[i];
                work.ending[at] = one.id;
                found[hits] = one;
                places[hits] = at;
                hits += one.id != kAbsent;
            }
            std::copy(places, places + hits, work.positions.begin() + kept);
            kept += hits;
            visit(order, places, found, hits);
        }
        alive = kept;
    }
    return known;
}

}  // namespace priori
