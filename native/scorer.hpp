// log p(x, y) of documents under any reading whose score is linear in the counts, and under the Polya urn.
//
//   score(c) = constant(c) + sum over features j of [ default(j) + per_feature(c) + weight(j, c) ]
//
// where weight is non-zero only for the (term, class) pairs that have counts: a document costs the pairs it touches
// (Puurula 2012). A default of minus infinity (no smoothing) means: impossible, except in the classes of its pairs.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <span>

#include "chain_scores.hpp"
#include "counter.hpp"
#include "fast_index.hpp"

namespace priori {

struct Weights {
    const int64_t* pair_offsets;  // by term
    const int32_t* pair_class;
    const double* pair_weight;
    const double* term_default;  // by term; or one number for all when uniform_default
    bool uniform_default;
    const double* constant;  // by class
    const double* per_feature;
    size_t classes;
    const double* pair_certain;  // by pair: 1 if the term has probability 1 in the class, else 0; or null
    const double* certain;       // by class: how many such terms there are, none of which a document may lack; or null
    bool distinct;               // count each feature of a document once (Bernoulli)
    bool unknown_counts;         // features never seen get unknown_default instead of being ignored
    double unknown_default;
    bool known_only;  // features without a place do not make a document longer
    // The urn: repeated words of one document raise their own probability. Null for the linear readings.
    const double* urn_pair;     // N_cj + alpha_cj by pair
    const double* urn_default;  // alpha by term (or one number)
    const double* urn_total;    // N_c + alpha_0 by class
    double urn_unknown;         // alpha of the slot for unknown words
};

// Documents as rows of (term, count), sorted by term: what leave-one-out, EM and Gibbs walk over.
struct Encoded {
    std::vector<int64_t> offsets = {0};
    std::vector<int32_t> term, count;
    std::vector<int64_t> unknown;  // features that the model has never seen, by document
};

class Scorer {
  public:
    Scorer(std::shared_ptr<const Analyzer> analyzer, std::shared_ptr<const TermIndex> index, const Weights& weights)
        : analyzer_(std::move(analyzer)), index_(std::move(index)), weights_(weights) {}

    // The weights are those of n-gram language models: n-grams are found token by token.
    void use_chain(std::unique_ptr<ChainRows> rows) { chain_ = std::move(rows); }

    struct Workspace {
        Scratch scratch;
        ChainWork chain;
        std::vector<uint32_t> ids;
        std::vector<double> matched, sums;
        double features = 0;  // of the last document, those never seen too unless only a given vocabulary counts
    };

    size_t classes() const { return weights_.classes; }

    void log_joint(std::span<const Segment> document, Workspace& work, double* joint) const {
        if (chain_ != nullptr) {
            chain_joint(work, joint, [&](auto add) {
                for (const Segment& segment : document) {
                    analyzer_->tokens(segment.text, work.scratch);
                    add();
                }
            });
            return;
        }
        if (!sums_only()) {
            look_up(document, work);
            score(work, joint);
            return;
        }
        Sums sums(work.sums, weights_.classes);
        size_t known = 0, features = 0;
        for (const Segment& segment : document) {
            const auto& found = analyzer_->features(segment.text, segment.prefix, work.scratch);
            known += add_up({found.begin(), found.end()}, sums);
            features += found.size();
        }
        work.features = static_cast<double>(weights_.known_only ? known : features);
        finish(sums, known, features - known, joint);
    }

    void log_joint_of_words(std::span<const Span> words, Workspace& work, double* joint) const {
        if (chain_ != nullptr) {
            chain_joint(work, joint, [&](auto add) {
                analyzer_->tokens_of_words(words, work.scratch);
                add();
            });
            return;
        }
        look_up_words(words, work);
        score(work, joint);
    }

    void encode(std::span<const Segment> document, Workspace& work, Encoded& out) const {
        look_up(document, work);
        push_row(work, out);
    }

    void encode_words(std::span<const Span> words, Workspace& work, Encoded& out) const {
        look_up_words(words, work);
        push_row(work, out);
    }

    // Counts that came as counts.
    void log_joint_of_counts(std::span<const uint32_t> ids, std::span<const int64_t> counts, Workspace& work,
                             double* joint) const {
        check_counts(counts);
        if (chain_ != nullptr) throw std::invalid_argument("counts have lost the order of the words; give texts");
        work.ids.clear();
        for (size_t i = 0; i < ids.size(); ++i) work.ids.insert(work.ids.end(), static_cast<size_t>(counts[i]), ids[i]);
        score(work, joint);
    }

    const TermIndex& index() const { return *index_; }

  private:
    std::shared_ptr<const Analyzer> analyzer_;
    std::shared_ptr<const TermIndex> index_;
    Weights weights_;
    std::unique_ptr<ChainRows> chain_;  // null where features are summed whatever their order
    mutable std::atomic<size_t> lookups_{0};
    mutable std::once_flag building_;
    mutable std::unique_ptr<FastIndex> built_;
    mutable std::atomic<const FastIndex*> fast_{nullptr};

    // each(add): calls add() for every stretch of text whose tokens are in work.scratch.spans.
    template <class Each>
    void chain_joint(Workspace& work, double* joint, Each each) const {
        Sums sums(work.sums, weights_.classes);
        ChainRows::Tokens total;
        each([&] {
            const auto& spans = work.scratch.spans;
            const ChainRows::Tokens tokens = chain_->add_up({spans.begin(), spans.end()}, sums, work.chain);
            total.known += tokens.known;
            total.unknown += tokens.unknown;
            total.ngrams += tokens.ngrams;
        });
        work.features = total.ngrams;
        finish(sums, total.known, total.unknown, joint);
    }

    void look_up(std::span<const Segment> document, Workspace& work) const {
        work.ids.clear();
        for (const Segment& segment : document) {
            const auto& features = analyzer_->features(segment.text, segment.prefix, work.scratch);
            append_ids({features.begin(), features.end()}, work.ids);
        }
    }

    void look_up_words(std::span<const Span> words, Workspace& work) const {
        work.ids.clear();
        const auto& features = analyzer_->features_of_words(words, work.scratch);
        append_ids({features.begin(), features.end()}, work.ids);
    }

    void append_ids(std::span<const Span> features, std::vector<uint32_t>& ids) const {
        const FastIndex* fast = fast_for(features.size());
        if (fast == nullptr) {
            for (const Span& feature : features) ids.push_back(index_->search(feature.data, feature.length));
            return;
        }
        each_block(*fast, features, [&](const FastIndex::Slot* const* slots, size_t size) {
            for (size_t i = 0; i < size; ++i) ids.push_back(slots[i]->id);
        });
    }

    static constexpr size_t kBlock = 128;

    // Calls visit for the slots of block after block of features: hash them, find them, then visit, so that memory is
    // waited for in bulk.
    template <class Visit>
    static void each_block(const FastIndex& fast, std::span<const Span> features, Visit visit) {
        Probe probes[kBlock];
        const FastIndex::Slot* slots[kBlock];
        for (size_t base = 0; base < features.size(); base += kBlock) {
            const size_t size = std::min(kBlock, features.size() - base);
            for (size_t i = 0; i < size; ++i) {
                probes[i] = Probe::of_word(features[base + i].data, features[base + i].length);
                fast.prefetch(probes[i].hash);
            }
            for (size_t i = 0; i < size; ++i) {
                slots[i] = &fast.find(probes[i]);
                fast.prefetch_weights(fast.weights(*slots[i]));
            }
            visit(slots, size);
        }
    }

    // Building the index costs about a twentieth of a binary search for each term, so it is built when the lookups to
    // come, with those done, exceed a twentieth of the terms. Null before that.
    const FastIndex* fast_for(size_t lookups) const {
        const FastIndex* fast = fast_.load(std::memory_order_acquire);
        if (fast != nullptr) return fast;
        if (20 * (lookups_ += lookups) < index_->size() || !FastIndex::fits(pair_count(), index_->size()))
            return nullptr;
        std::call_once(building_, [this] {
            built_ = std::make_unique<FastIndex>(*index_, weights_.pair_offsets, weights_.pair_class,
                                                 weights_.pair_weight, weights_.classes);
            fast_.store(built_.get(), std::memory_order_release);
        });
        return fast_.load(std::memory_order_acquire);
    }

    size_t pair_count() const { return static_cast<size_t>(weights_.pair_offsets[index_->size()]); }

    bool counts_once() const { return weights_.distinct || analyzer_->options().binary; }

    // Whether a score is a plain sum over the features, whatever their order and repetitions.
    bool sums_only() const {
        return !counts_once() && weights_.uniform_default && std::isfinite(weights_.term_default[0]) &&
               weights_.urn_pair == nullptr && weights_.certain == nullptr;
    }

    // Adds the weights of the features that the model knows, and returns how many they are.
    size_t add_up(std::span<const Span> features, Sums& sums) const {
        size_t known = 0;
        if (const FastIndex* fast = fast_for(features.size())) {
            each_block(*fast, features, [&](const FastIndex::Slot* const* slots, size_t size) {
                known += add_block(*fast, slots, size, sums);
            });
            return known;
        }
        for (const Span& feature : features) {
            const uint32_t id = index_->search(feature.data, feature.length);
            if (id == kAbsent) continue;
            ++known;
            const int64_t begin = weights_.pair_offsets[id];
            const auto pairs = static_cast<size_t>(weights_.pair_offsets[id + 1] - begin);
            sums.add_term(weights_.pair_class + begin, weights_.pair_weight + begin, pairs,
                          Sums::is_dense(pairs, weights_.classes));
        }
        return known;
    }

    // Dense rows and the others apart, without branches: which comes next cannot be predicted.
    static size_t add_block(const FastIndex& fast, const FastIndex::Slot* const* slots, size_t size, Sums& sums) {
        const double* rows[kBlock];
        const FastIndex::Slot* others[kBlock];
        size_t dense = 0, sparse = 0, known = 0;
        for (size_t i = 0; i < size; ++i) {
            const FastIndex::Slot& slot = *slots[i];
            rows[dense] = fast.weights(slot);
            dense += slot.count == FastIndex::kDense;
            others[sparse] = &slot;
            sparse += slot.count != FastIndex::kDense;
            known += slot.id != kAbsent;
        }
        sums.add_rows(rows, dense);
        for (size_t i = 0; i < sparse; ++i) FastIndex::add_pairs(fast.weights(*others[i]), others[i]->count, sums);
        return known;
    }

    void finish(const Sums& sums, size_t known_features, size_t unknown_features, double* joint) const {
        const auto known = static_cast<double>(known_features);
        const double unknown = weights_.unknown_counts ? static_cast<double>(unknown_features) : 0.0;
        double common = known * weights_.term_default[0];
        if (unknown > 0) common += unknown * weights_.unknown_default;
        for (size_t c = 0; c < weights_.classes; ++c) {
            joint[c] = sums.total(c) + (common + weights_.constant[c]);
            if (known + unknown > 0) joint[c] += (known + unknown) * weights_.per_feature[c];
        }
    }

    void score(Workspace& work, double* joint) const {
        auto& ids = work.ids;
        const bool once = counts_once();
        const auto absent = static_cast<size_t>(std::count(ids.begin(), ids.end(), kAbsent));
        if (once || weights_.urn_pair != nullptr) std::sort(ids.begin(), ids.end());
        if (once) ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        const size_t known = once ? ids.size() - (absent > 0 ? 1 : 0) : ids.size() - absent;
        work.features = static_cast<double>(known + (weights_.known_only ? 0 : absent));
        std::fill(joint, joint + weights_.classes, 0.0);
        if (weights_.urn_pair != nullptr) {
            score_urn(ids, joint);
        } else {
            score_linear(work, joint);
        }
    }

    void score_linear(Workspace& work, double* joint) const {
        const Weights& w = weights_;
        double common = 0, counted = 0, blocked = 0;
        for (const uint32_t id : work.ids) {
            if (id == kAbsent) {
                if (!w.unknown_counts) continue;
                counted += 1;
                common += w.unknown_default;
                continue;
            }
            counted += 1;
            const double fallback = w.term_default[w.uniform_default ? 0 : id];
            const int64_t begin = w.pair_offsets[id], end = w.pair_offsets[id + 1];
            for (int64_t p = begin; p < end; ++p) joint[w.pair_class[p]] += w.pair_weight[p];
            if (std::isfinite(fallback)) {
                common += fallback;
            } else {
                if (blocked == 0) work.matched.assign(w.classes, 0);
                blocked += 1;
                for (int64_t p = begin; p < end; ++p) work.matched[static_cast<size_t>(w.pair_class[p])] += 1;
            }
        }
        for (size_t c = 0; c < w.classes; ++c) {
            joint[c] += common + w.constant[c];
            // subtle: 0 x infinity; an empty document says nothing about a class without words
            if (counted > 0) joint[c] += counted * w.per_feature[c];
            if (blocked > 0 && work.matched[c] < blocked) joint[c] = -std::numeric_limits<double>::infinity();
        }
        if (w.certain != nullptr) require_certain(work, joint);
    }

    // Without smoothing a class may have terms that all its documents had: they add nothing, and lacking one is fatal.
    void require_certain(Workspace& work, double* joint) const {
        const Weights& w = weights_;
        work.matched.assign(w.classes, 0);
        for (const uint32_t id : work.ids) {
            if (id == kAbsent) continue;
            for (int64_t p = w.pair_offsets[id]; p < w.pair_offsets[id + 1]; ++p) {
                work.matched[static_cast<size_t>(w.pair_class[p])] += w.pair_certain[p];
            }
        }
        for (size_t c = 0; c < w.classes; ++c) {
            if (work.matched[c] < w.certain[c]) joint[c] = -std::numeric_limits<double>::infinity();
        }
    }

    // A word seen n times contributes the rising factorial x (x + 1) ... (x + n - 1), x = N_cj + alpha_cj, and the
    // whole document of n words divides by that of N_c + alpha_0: the Polya urn, the parameters integrated out.
    void score_urn(const std::vector<uint32_t>& ids, double* joint) const {
        const Weights& w = weights_;
        double common = 0;
        int64_t counted = 0;
        for (size_t i = 0; i < ids.size();) {
            size_t j = i + 1;
            while (j < ids.size() && ids[j] == ids[i]) ++j;
            const uint32_t id = ids[i];
            const auto repeats = static_cast<int64_t>(j - i);
            i = j;
            if (id == kAbsent && !w.unknown_counts) continue;
            counted += repeats;
            const double alpha = id == kAbsent ? w.urn_unknown : w.urn_default[w.uniform_default ? 0 : id];
            const double fallback = log_rising(alpha, repeats);
            common += fallback;
            if (id == kAbsent) continue;
            for (int64_t p = w.pair_offsets[id]; p < w.pair_offsets[id + 1]; ++p) {
                joint[w.pair_class[p]] += log_rising(w.urn_pair[p], repeats) - fallback;
            }
        }
        for (size_t c = 0; c < w.classes; ++c) joint[c] += common + w.constant[c] - log_rising(w.urn_total[c], counted);
    }

    // Sums of logarithms: differences of lnG lose digits when x is large.
    static double log_rising(double x, int64_t n) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += std::log(x + static_cast<double>(i));
        return sum;
    }

    void push_row(Workspace& work, Encoded& out) const {
        const bool binary = analyzer_->options().binary;
        auto& ids = work.ids;
        std::sort(ids.begin(), ids.end());
        int64_t unknown = 0;
        for (size_t i = 0; i < ids.size();) {
            size_t j = i + 1;
            while (j < ids.size() && ids[j] == ids[i]) ++j;
            if (ids[i] == kAbsent) {
                unknown = static_cast<int64_t>(j - i);
            } else {
                out.term.push_back(static_cast<int32_t>(ids[i]));
                out.count.push_back(binary ? 1 : static_cast<int32_t>(j - i));
            }
            i = j;
        }
        out.unknown.push_back(unknown);
        out.offsets.push_back(static_cast<int64_t>(out.term.size()));
    }
};

// How far a document's score s may be believed, and how often its label has nothing to do with it:
//
//   q(c) proportional to exp(t s_c + n / (n + 5) offset_c),  p(c) = (1 - noise) q(c) + noise / K,
//   t = 1 + n / (n + 1) (scale ((n + 1) / 50)^power - 1)
//
// for n features, so that a document without any has the class prior and nothing else; then re-weighted by shift, the
// log ratio of another class prior to that of the documents learned.
struct Calibration {
    static constexpr double kLength = 50;  // documents of this length have the scale itself
    bool used = false;
    double scale = 1, power = 0, noise = 0;
    std::vector<double> offset, shift;  // by class; empty: none

    double factor(double n) const { return 1 + n / (n + 1) * (scale * std::pow((n + 1) / kLength, power) - 1); }
};

// Softmax of one row, the maximum subtracted once. False when every class is impossible: 0/0.
inline bool normalise(double* joint, size_t classes) {
    double top = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < classes; ++c) top = std::max(top, joint[c]);
    if (!std::isfinite(top)) return false;
    constexpr double kVanishes = -746;  // exp is 0 from here down, which the library tells slowly
    double sum = 0;
    for (size_t c = 0; c < classes; ++c) {
        const double below = joint[c] - top;
        sum += joint[c] = below < kVanishes ? 0.0 : std::exp(below);
    }
    for (size_t c = 0; c < classes; ++c) joint[c] /= sum;
    return true;
}

// The same in logarithms, which are finite where a probability is too small for a number.
inline bool log_normalise(double* joint, size_t classes) {
    double top = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < classes; ++c) top = std::max(top, joint[c]);
    if (!std::isfinite(top)) return false;
    double sum = 0;
    for (size_t c = 0; c < classes; ++c) sum += std::exp(joint[c] - top);
    const double log_sum = std::log(sum);
    for (size_t c = 0; c < classes; ++c) joint[c] = joint[c] - top - log_sum;
    return true;
}

// p(y | x) from log p(x, y). False when every class is impossible.
inline bool calibrate(const Calibration& by, double* joint, size_t classes, double features, bool logarithms) {
    if (!by.used) return logarithms ? log_normalise(joint, classes) : normalise(joint, classes);
    double top = -std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < classes; ++c) top = std::max(top, joint[c]);
    if (!std::isfinite(top)) return false;
    const double t = by.factor(features);
    const double worth = features / (features + 5);
    for (size_t c = 0; c < classes; ++c)
        joint[c] = t * (joint[c] - top) + worth * (by.offset.empty() ? 0.0 : by.offset[c]);
    if (by.noise ==
        0) {  // given, not fitted: no floor keeps p from being too small for a double, so stay in logarithms
        for (size_t c = 0; c < by.shift.size(); ++c) joint[c] += by.shift[c];
        return logarithms ? log_normalise(joint, classes) : normalise(joint, classes);
    }
    normalise(joint, classes);
    const double even = by.noise / static_cast<double>(classes);
    for (size_t c = 0; c < classes; ++c) joint[c] = (1 - by.noise) * joint[c] + even;
    if (by.shift.empty() && !logarithms) return true;
    for (size_t c = 0; c < classes; ++c) joint[c] = std::log(joint[c]);
    if (by.shift.empty()) return true;
    for (size_t c = 0; c < classes; ++c) joint[c] += by.shift[c];
    return logarithms ? log_normalise(joint, classes) : normalise(joint, classes);
}

}  // namespace priori
