// One pass of EM over documents: responsibilities of each (E), and what they add up to (M), block by block.
//
//   s_c = constant_c + n per_feature_c + sum_j n_j table_jc,   r_c proportional to exp(t s_c)
//   gathered_jc += w r_c n_j
//
// n is the document's length; per_feature and table make log p(term | component) (or the Bernoulli's log-odds), t is
// the temper of the document, w its weight. Nothing of the size documents x terms exists, and documents x components
// only if the caller asks for it.
//
// Every sum is taken in the order of the terms or of the documents, whatever the number of threads and the
// instruction set: threads share out blocks for E and terms for M, so that each number is added up by one of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "block_loops.hpp"
#include "blocked_rows.hpp"
#include "compensated.hpp"
#include "parallel.hpp"

namespace priori {

struct MixtureDocuments {
    const double* weight;
    const double* temper;
    const int32_t* cls;  // -1: any component; else only those of this class
};

struct MixtureTable {
    size_t terms, components;
    const int32_t* component_class;
    const double* table;        // (terms, components)
    const double* constant;     // (components,)
    const double* per_feature;  // (components,) for each feature of a document
};

struct MixtureSums {
    double* gathered;                          // (terms, components)
    std::vector<double> weight, length;        // by component: documents, and features
    double objective = 0, log_likelihood = 0;  // tempered, and plain
};

namespace mixture {

struct Told {
    double objective, log_likelihood;
};

// E for one document whose scores are known: they become w r. A component that cannot have made it has r = 0.
inline Told respond(const MixtureDocuments& documents, const MixtureTable& from, size_t i, double* s) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    constexpr double kNegligible = -50;  // exp of it is below the last digit of the sum, which is at least 1
    const size_t components = from.components;
    double most = kNever;
    for (size_t c = 0; c < components; ++c) {
        if (documents.cls[i] >= 0 && from.component_class[c] != documents.cls[i]) s[c] = kNever;
        most = std::max(most, s[c]);
    }
    if (!(most > kNever)) {
        if (documents.weight[i] == 0) {  // it says nothing, and belongs nowhere
            std::fill(s, s + components, 0.0);
            return {0, 0};
        }
        throw std::domain_error("document " + std::to_string(i) +
                                " has words that no class can have made; smooth with alpha > 0");
    }
    const double t = documents.temper[i];
    double tempered = 0, plain = 0;
    for (size_t c = 0; c < components; ++c) {
        const double below = s[c] - most;
        s[c] = std::exp(t * below);
        tempered += s[c];
        if (below > kNegligible) plain += t == 1 ? s[c] : std::exp(below);
    }
    const double weight = documents.weight[i], scale = weight / tempered;
    for (size_t c = 0; c < components; ++c) s[c] *= scale;
    return {weight * (most + std::log(tempered) / t), weight * (most + std::log(plain))};
}

// Some blocks of documents at a time, one for each thread: their shares w r.
class Window {
  public:
    Window(const BlockedRows& rows, size_t components, int threads)
        : rows_(rows),
          components_(components),
          workers_(std::min<size_t>(static_cast<size_t>(std::max(1, threads)), std::max<size_t>(1, rows.blocks()))),
          shares_(std::min(rows.size, workers_ * rows.block) * components) {
        share_terms();
    }

    size_t workers() const { return workers_; }
    double* shares(size_t worker) { return shares_.data() + worker * rows_.block * components_; }
    double* share(size_t k) { return shares_.data() + k * components_; }

    // M for the blocks in the window.
    void gather(size_t first, size_t blocks, double* gathered) {
        in_parallel(workers_, [&](size_t worker, size_t) {
            for (size_t k = 0; k < blocks; ++k) {
                gather_block(rows_, first + k, bounds_[worker], bounds_[worker + 1], components_, shares(k), gathered);
            }
        });
    }

  private:
    // The first term of each thread's share, so that each has about as many entries.
    void share_terms() {
        std::vector<int64_t> entries(rows_.terms + 1, 0);
        for (size_t run = 0; workers_ > 1 && run < rows_.block_runs.back(); ++run) {
            entries[static_cast<size_t>(rows_.run_term[run]) + 1] += rows_.run_begin[run + 1] - rows_.run_begin[run];
        }
        for (size_t j = 0; j < rows_.terms; ++j) entries[j + 1] += entries[j];
        bounds_.assign(workers_ + 1, static_cast<int32_t>(rows_.terms));
        bounds_[0] = 0;
        for (size_t worker = 1; worker < workers_; ++worker) {
            const int64_t wanted = entries.back() / static_cast<int64_t>(workers_) * static_cast<int64_t>(worker);
            bounds_[worker] =
                static_cast<int32_t>(std::lower_bound(entries.begin(), entries.end(), wanted) - entries.begin());
        }
    }

    const BlockedRows& rows_;
    size_t components_, workers_;
    LargeVector<double> shares_;
    std::vector<int32_t> bounds_;
};

// What is gathered is cleared by the first block, if there is one.
inline MixtureSums zero_sums(const BlockedRows& rows, size_t components, double* gathered) {
    if (rows.blocks() == 0) std::fill(gathered, gathered + rows.terms * components, 0.0);
    return {gathered, std::vector<double>(components, 0), std::vector<double>(components, 0)};
}

inline void count_document(const BlockedRows& rows, size_t i, size_t components, const double* share,
                           MixtureSums& sums) {
    for (size_t c = 0; c < components; ++c) {
        sums.weight[c] += share[c];
        sums.length[c] += share[c] * rows.length[i];
    }
}

}  // namespace mixture

// E and M. responsibilities: null, or (documents, components) that take w r.
inline MixtureSums em_pass(const BlockedRows& rows, const MixtureDocuments& documents, const MixtureTable& from,
                           double* gathered, double* responsibilities, int threads) {
    using namespace mixture;
    const size_t components = from.components;
    MixtureSums sums = zero_sums(rows, components, gathered);
    Window window(rows, components, threads);
    std::vector<Told> told(window.workers() * rows.block);
    Compensated objective, log_likelihood;
    for (size_t block = 0; block < rows.blocks(); block += window.workers()) {
        const size_t blocks = std::min(window.workers(), rows.blocks() - block);
        const size_t first = block * rows.block;
        const size_t size = std::min(rows.size, (block + blocks) * rows.block) - first;
        in_parallel(blocks, [&](size_t worker, size_t) {
            const size_t begin = worker * rows.block, end = std::min(size, begin + rows.block);
            for (size_t k = begin; k < end; ++k) {
                const double length = rows.length[first + k];
                for (size_t c = 0; c < components; ++c) {
                    window.share(k)[c] = from.constant[c] + length * from.per_feature[c];
                }
            }
            score_block(rows, block + worker, components, from.table, window.shares(worker));
            for (size_t k = begin; k < end; ++k) told[k] = respond(documents, from, first + k, window.share(k));
        });
        window.gather(block, blocks, gathered);
        for (size_t k = 0; k < size; ++k) {
            const double* share = window.share(k);
            count_document(rows, first + k, components, share, sums);
            objective.add(told[k].objective);
            log_likelihood.add(told[k].log_likelihood);
            if (responsibilities) std::copy(share, share + components, responsibilities + (first + k) * components);
        }
    }
    sums.objective = objective.value();
    sums.log_likelihood = log_likelihood.value();
    return sums;
}

// M alone, from given shares w r, (documents, components).
inline MixtureSums m_pass(const BlockedRows& rows, size_t components, const double* shares, double* gathered,
                          int threads) {
    using namespace mixture;
    MixtureSums sums = zero_sums(rows, components, gathered);
    Window window(rows, components, threads);
    for (size_t block = 0; block < rows.blocks(); block += window.workers()) {
        const size_t blocks = std::min(window.workers(), rows.blocks() - block);
        const size_t first = block * rows.block;
        const size_t size = std::min(rows.size, (block + blocks) * rows.block) - first;
        for (size_t k = 0; k < size; ++k) {
            const double* share = shares + (first + k) * components;
            std::copy(share, share + components, window.share(k));
            count_document(rows, first + k, components, share, sums);
        }
        window.gather(block, blocks, gathered);
    }
    return sums;
}

}  // namespace priori
