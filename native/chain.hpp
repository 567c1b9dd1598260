// N-grams as chains: every n-gram is (its first n - 1 tokens, its last token), so the n-grams that end at a token are
// found from those that end at the token before it, one look-up each, without joining any text.
#pragma once

#include <bit>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyzer.hpp"
#include "index.hpp"
#include "pages.hpp"
#include "printable.hpp"

namespace priori {

// The n-grams of finished counts. Terms are in the order of their bytes, so what an n-gram begins with stands before
// it.
class Chain {
  public:
    static constexpr size_t kLongest = 16;

    // `words`: tokens are words joined by spaces; else single characters, joined by nothing. `order`: how many there
    // are at most; where one is all, a term is one whatever it holds.
    Chain(const TermIndex& index, bool words, size_t order) : index_(index), words_(words), most_(order) {
        if (order < 1 || order > kLongest) throw std::invalid_argument("n-grams must be a range within 1 to 16");
        const size_t terms = index.size();
        links_.order.resize(terms);
        links_.prefix.assign(terms, -1);
        links_.suffix.assign(terms, -1);
        links_.last.resize(terms);
        size_t tokens = 0;
        for (size_t id = 0; id < terms; ++id) {
            links_.order[id] = order_of(index.term(id));
            tokens += links_.order[id] == 1;
            longest_ = std::max(longest_, static_cast<size_t>(links_.order[id]));
        }
        token_slots_.resize(std::bit_ceil(2 * tokens + 2));
        slots_.resize((terms - tokens) + (terms - tokens) / 2 + 2);
        for (size_t id = 0; id < terms; ++id) {
            if (links_.order[id] == 1) place_token(static_cast<uint32_t>(id));
        }
        link();
        if (most_ > 1) begin_ = begin_mark();
    }

    // How the n-grams hang together, which is needed to read probabilities off their counts and not to look them up.
    struct Links {
        std::vector<int8_t> order;
        std::vector<int32_t> prefix;  // without the last token; -1 for a single token
        std::vector<int32_t> suffix;  // without the first token; -1 likewise
        std::vector<int32_t> last;    // the last token, as a term
    };

    Links take_links() { return std::move(links_); }

    size_t longest() const { return longest_; }
    size_t order() const { return most_; }  // of the longest n-grams that are counted, whether there are any or not

    // The mark at the beginning of documents; kAbsent where there is none.
    uint32_t begin() const { return begin_; }

    void prefetch_token(uint64_t hash) const { __builtin_prefetch(&token_slots_[hash & (token_slots_.size() - 1)]); }

    // What was found: a term, and whatever number its finder has put there, such as the place of its weights.
    struct Found {
        uint32_t id = kAbsent, place = 0;
    };

    // The term of a token; kAbsent for one that was never seen.
    Found token(const Probe& probe) const {
        const size_t mask = token_slots_.size() - 1;
        for (size_t at = probe.hash & mask;; at = (at + 1) & mask) {
            const TokenSlot& slot = token_slots_[at];
            if (slot.found.id == kAbsent) return slot.found;
            const bool same = ((slot.key.low ^ probe.key.low) | (slot.key.high ^ probe.key.high)) == 0;
            if (same && slot.tag == probe.tag() && (!probe.is_long || text_is(slot.found.id, probe))) return slot.found;
        }
    }

    static uint64_t key_of(uint32_t prefix, uint32_t token) { return uint64_t{prefix} << 32 | token; }

    void prefetch(uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key)]); }

    // The n-gram of a shorter one and a token; kAbsent where there is none, or one of the two is absent.
    Found find(uint64_t key) const {
        for (size_t at = first_slot(key);; at = next_slot(at)) {
            if (slots_[at].key == key || slots_[at].found.id == kAbsent) return slots_[at].found;
        }
    }

    // Gives each term a number that comes with it when it is found: place_of(id), of `room` in all. Scorers that share
    // a chain have the same; the first one puts them there, so that none is written where another thread may read.
    template <class PlaceOf>
    void put_places(size_t room, PlaceOf place_of) {
        std::call_once(placed_, [&] {
            for (TokenSlot& slot : token_slots_) {
                if (slot.found.id != kAbsent) slot.found.place = place_of(slot.found.id);
            }
            for (Slot& slot : slots_) {
                if (slot.found.id != kAbsent) slot.found.place = place_of(slot.found.id);
            }
            room_ = room;
        });
        if (room_ != room) throw std::logic_error("a chain serves weights of one layout only");
    }

  private:
    struct TokenSlot {
        Key key;
        uint32_t tag = 0;
        Found found;
    };
    struct Slot {
        uint64_t key = UINT64_MAX;
        Found found;
    };

    // n-grams that are looked up together, so that memory is waited for in bulk
    struct Batch {
        static constexpr size_t kSize = 64;
        size_t size = 0;
        size_t ids[kSize];
        uint64_t keys[kSize];
    };

    const TermIndex& index_;
    bool words_;
    size_t most_, longest_ = 1;
    uint32_t begin_ = kAbsent;
    std::once_flag placed_;
    size_t room_ = 0;  // of the numbers that come with terms
    Links links_;
    std::vector<TokenSlot> token_slots_;
    LargeVector<Slot> slots_;

    uint32_t begin_mark() const {
        uint8_t character[kPadding] = {kBeginChar};
        const Span span = words_ ? Span{kBeginWord, 3} : Span{character, 1};
        return token(Probe::of_word(span.data, span.length)).id;
    }

    int8_t order_of(std::string_view text) const {
        if (most_ == 1) return 1;
        if (text.empty()) throw broken(text);
        size_t order = words_ ? 1 : 0;
        for (const char c : text) order += words_ ? c == ' ' : (static_cast<uint8_t>(c) & 0xC0) != 0x80;
        if (order == 0 || order > most_ || (words_ && (text.front() == ' ' || text.back() == ' '))) throw broken(text);
        return static_cast<int8_t>(order);
    }

    // Where the last token of an n-gram begins.
    size_t last_of(std::string_view text) const {
        if (words_) return text.rfind(' ') + 1;
        size_t at = text.size() - 1;
        while ((static_cast<uint8_t>(text[at]) & 0xC0) == 0x80) --at;
        return at;
    }

    // A token as it is looked up; `room` takes its bytes, for sixteen must be readable.
    static Probe probe_of(std::string_view text, std::vector<uint8_t>& room) {
        room.assign(text.begin(), text.end());
        room.resize(text.size() + kPadding);
        return Probe::of_word(room.data(), static_cast<uint32_t>(text.size()));
    }

    bool text_is(uint32_t id, const Probe& probe) const {
        const std::string_view text = index_.term(id);
        return text.size() == probe.length && std::memcmp(text.data(), probe.bytes, probe.length) == 0;
    }

    void place_token(uint32_t id) {
        std::vector<uint8_t> room;
        const Probe probe = probe_of(index_.term(id), room);
        const size_t mask = token_slots_.size() - 1;
        size_t at = probe.hash & mask;
        while (token_slots_[at].found.id != kAbsent) at = (at + 1) & mask;
        token_slots_[at] = {probe.key, probe.tag(), {id, 0}};
        links_.last[id] = static_cast<int32_t>(id);
    }

    // subtle: as many slots as are wanted, not a power of two of them: the hash's high bits say which
    size_t first_slot(uint64_t key) const {
        return static_cast<size_t>((static_cast<unsigned __int128>(hash_pair(key)) * slots_.size()) >> 64);
    }

    size_t next_slot(size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }

    template <class Flush>
    void put_off(Batch& batch, size_t id, uint64_t key, Flush flush) const {
        prefetch(key);
        batch.ids[batch.size] = id;
        batch.keys[batch.size] = key;
        if (++batch.size == Batch::kSize) flush();
    }

    void link() {
        uint32_t path[kLongest + 1];  // by order, the last n-gram seen
        std::fill(std::begin(path), std::end(path), kAbsent);
        std::vector<uint8_t> room;
        Batch batch;
        const auto flush = [&] {
            for (size_t i = 0; i < batch.size; ++i) {
                size_t at = first_slot(batch.keys[i]);
                while (slots_[at].found.id != kAbsent) at = next_slot(at);
                slots_[at] = {batch.keys[i], {static_cast<uint32_t>(batch.ids[i]), 0}};
            }
            batch.size = 0;
        };
        for (size_t id = 0; id < index_.size(); ++id) {
            const auto order = static_cast<size_t>(links_.order[id]);
            path[order] = static_cast<uint32_t>(id);
            if (order == 1) continue;
            const std::string_view text = index_.term(id);
            const size_t start = last_of(text);
            const std::string_view first = text.substr(0, words_ ? start - 1 : start);
            const uint32_t parent = path[order - 1];
            const uint32_t token_id = token(probe_of(text.substr(start), room)).id;
            if (parent == kAbsent || index_.term(parent) != first || token_id == kAbsent) throw broken(text);
            links_.prefix[id] = static_cast<int32_t>(parent);
            links_.last[id] = static_cast<int32_t>(token_id);
            put_off(batch, id, key_of(parent, token_id), flush);
        }
        flush();
        // subtle: the end of an n-gram may stand behind it, so all must have their places first; shorter ones before
        // longer ones, for the end of an n-gram is that of its beginning with the same last token
        for (size_t order = 2; order <= longest_; ++order) link_suffixes(order);
    }

    void link_suffixes(size_t order) {
        Batch batch;
        const auto flush = [&] {
            for (size_t i = 0; i < batch.size; ++i) {
                const uint32_t found = find(batch.keys[i]).id;
                if (found == kAbsent) throw broken(index_.term(batch.ids[i]));
                links_.suffix[batch.ids[i]] = static_cast<int32_t>(found);
            }
            batch.size = 0;
        };
        for (size_t id = 0; id < index_.size(); ++id) {
            if (static_cast<size_t>(links_.order[id]) != order) continue;
            if (order == 2) {
                links_.suffix[id] = links_.last[id];
                continue;
            }
            const int32_t rest = links_.suffix[static_cast<size_t>(links_.prefix[id])];
            put_off(batch, id, key_of(static_cast<uint32_t>(rest), static_cast<uint32_t>(links_.last[id])), flush);
        }
        flush();
    }

    static std::invalid_argument broken(std::string_view text) {
        return std::invalid_argument(
            "the n-gram '" + printable(text) +
            "' stands without the shorter ones that it is made of, so these counts are no language model; count with "
            "ngrams=(1, N), without a vocabulary and without pruning");
    }
};

}  // namespace priori
