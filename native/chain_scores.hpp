// What n-gram language models give documents: by class for classifying, and token by token for one model.
//
//   log p(w | h) = log_prob(longest n-gram hw that was seen) + sum of backoff(longer histories that were seen)
//
// Summed over a document, n-gram by n-gram, this is linear in the n-grams, so a class's score is a sum of weights as
// that of any naive Bayes:
//
//   weight(g) = log_prob(g) - log_prob(g less its first token) - backoff(g less its last token) + backoff(g)
//
// A token that no class has seen adds what its histories leave to what is new; which token it is, nothing, unless
// unknown words have a probability.
#pragma once

#include "chain_walk.hpp"
#include "sums.hpp"

namespace priori {

// The pairs of a chain's terms and classes, as rows that are added up.
class ChainRows {
  public:
    ChainRows(std::shared_ptr<Chain> chain, const int64_t* pair_offsets, const int32_t* pair_class,
              const double* pair_weight, size_t terms, size_t classes)
        : chain_(std::move(chain)) {
        const size_t stride = Sums::stride_of(classes);
        std::vector<uint32_t> place(terms);
        rows_.reserve(terms + 2 * static_cast<size_t>(pair_offsets[terms]));
        for (size_t id = 0; id < terms; ++id) {
            const auto begin = static_cast<size_t>(pair_offsets[id]), end = static_cast<size_t>(pair_offsets[id + 1]);
            if (rows_.size() > UINT32_MAX)
                throw std::length_error(
                    "the model has too many n-grams to be scored at once; train with a lower order, or fewer classes");
            place[id] = static_cast<uint32_t>(rows_.size());
            const bool dense = Sums::is_dense(end - begin, classes);
            rows_.push_back(std::bit_cast<double>(dense ? kDense : static_cast<uint64_t>(end - begin)));
            const size_t first = rows_.size();
            rows_.resize(first + (dense ? stride : 2 * (end - begin)), 0.0);
            for (size_t p = begin; p < end; ++p) {
                if (dense) {
                    rows_[first + static_cast<size_t>(pair_class[p])] = pair_weight[p];
                } else {
                    rows_[first + 2 * (p - begin)] = pair_weight[p];
                    rows_[first + 2 * (p - begin) + 1] = std::bit_cast<double>(static_cast<int64_t>(pair_class[p]));
                }
            }
        }
        chain_->put_places(rows_.size(), [&](uint32_t id) { return place[id]; });
    }

    struct Tokens {
        size_t known = 0, unknown = 0;  // those that are predicted, which the mark at the beginning is not
        double ngrams = 0;              // of all orders, with those never seen
    };

    // Adds the weights of a document's n-grams.
    Tokens add_up(std::span<const Span> document, Sums& sums, ChainWork& work) const {
        const double* dense[128];
        const double* sparse[128];
        const auto visit = [&](size_t, const uint32_t*, const Chain::Found* found, size_t size) {
            for (size_t i = 0; i < size; ++i) __builtin_prefetch(rows_.data() + found[i].place);
            size_t full = 0, part = 0;
            for (size_t i = 0; i < size; ++i) {
                const double* row = rows_.data() + found[i].place;
                const bool is_dense = std::bit_cast<uint64_t>(*row) == kDense;
                dense[full] = row + 1;
                sparse[part] = row;
                full += is_dense;
                part += !is_dense;
            }
            sums.add_rows(dense, full);
            for (size_t i = 0; i < part; ++i) {
                const double* entry = sparse[i] + 1;
                for (auto left = std::bit_cast<uint64_t>(*sparse[i]); left > 0; --left, entry += 2) {
                    sums.add_sparse(static_cast<int32_t>(std::bit_cast<int64_t>(entry[1])), entry[0]);
                }
            }
        };
        Tokens tokens;
        tokens.known = walk_chain(*chain_, document, work, visit);
        tokens.unknown = document.size() - tokens.known;
        const uint32_t begin = chain_->begin();
        if (begin != kAbsent && document.size() > 0 && work.tokens[0] == begin) --tokens.known;
        for (size_t n = 0; n < chain_->order() && n < document.size(); ++n) {
            tokens.ngrams += static_cast<double>(document.size() - n);
        }
        return tokens;
    }

  private:
    static constexpr uint64_t kDense = UINT64_MAX;

    std::shared_ptr<Chain> chain_;
    LargeVector<double> rows_;  // of each term: how many pairs and they, or kDense and a number for every class
};

// One model: terms are n-grams of one class each, so a term's number is its pair's.
struct ChainModel {
    const double* log_prob;   // of the last token after the others
    const double* backoff;    // what is added where an n-gram is a history that goes on in no way that was seen
    double unknown_log_prob;  // of a token never seen, after no history
    bool unknown_counts;      // else it is passed over
};

struct TokenScore {
    double log_prob;
    uint32_t token;   // the term, or kAbsent
    uint8_t matched;  // the order of the longest n-gram seen that ends here
};

// Calls visit(score) for each token that is predicted, in order; those passed over have matched 0 and log_prob 0. Long
// documents go in pieces, each with the history of its first token before it, so that room does not grow with them.
template <class Visit>
void score_tokens(const Chain& chain, const ChainModel& model, std::span<const Span> document, ChainWork& work,
                  Buffer<uint32_t>& table, Visit visit) {
    constexpr size_t kPiece = 1 << 13;
    const size_t longest = chain.longest();
    for (size_t start = 0; start < document.size(); start += kPiece) {
        const size_t before = std::min(start, longest - 1);
        const size_t size = before + std::min(kPiece, document.size() - start);
        table.resize(size * longest);
        std::fill(table.begin(), table.end(), kAbsent);
        walk_chain(chain, document.subspan(start - before, size), work,
                   [&](size_t order, const uint32_t* positions, const Chain::Found* found, size_t n) {
                       for (size_t i = 0; i < n; ++i) table[positions[i] * longest + order - 1] = found[i].id;
                   });
        for (size_t at = before; at < size; ++at) {
            const uint32_t* here = table.data() + at * longest;
            if (start + at == before && chain.begin() != kAbsent && here[0] == chain.begin()) continue;
            size_t matched = 0;
            while (matched < longest && here[matched] != kAbsent) ++matched;
            TokenScore score{0.0, here[0], static_cast<uint8_t>(matched)};
            if (matched > 0 || model.unknown_counts) {
                score.log_prob = matched > 0 ? model.log_prob[here[matched - 1]] : model.unknown_log_prob;
                const uint32_t* history = here - longest;
                for (size_t n = std::max<size_t>(matched, 1); at > 0 && n < longest && history[n - 1] != kAbsent; ++n) {
                    score.log_prob += model.backoff[history[n - 1]];
                }
            }
            visit(score);
        }
    }
}

}  // namespace priori
