// N-gram language models for Python.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <string>
#include <tuple>

#include "bind_documents.hpp"
#include "chain_scores.hpp"
#include "parallel.hpp"

namespace priori {

namespace nb = nanobind;

// A chain, and the terms that it looks into.
struct PyChain {
    Array<int64_t> offsets;
    Array<uint8_t> bytes;
    TermIndex index;
    std::shared_ptr<Chain> chain;

    PyChain(const Array<int64_t>& offsets, const Array<uint8_t>& bytes, bool words)
        : offsets(offsets), bytes(bytes), index(offsets.data(), bytes.data(), offsets.size() - 1) {
        if (static_cast<size_t>(offsets(offsets.size() - 1)) != bytes.size())
            throw std::invalid_argument("arrays do not fit together: term_bytes");
        nb::gil_scoped_release release;
        chain = std::make_shared<Chain>(index, words);
    }
};

inline std::shared_ptr<PyChain> make_chain(const Array<int64_t>& offsets, const Array<uint8_t>& bytes, bool words) {
    if (offsets.size() == 0) throw std::invalid_argument("arrays do not fit together: no term offsets");
    return std::make_shared<PyChain>(offsets, bytes, words);
}

inline nb::typed<nb::dict, nb::str, nb::any> take_links(PyChain& self) {
    Chain::Links links = self.chain->take_links();
    nb::typed<nb::dict, nb::str, nb::any> result;
    result["order"] = to_numpy(std::move(links.order));
    result["prefix"] = to_numpy(std::move(links.prefix));
    result["suffix"] = to_numpy(std::move(links.suffix));
    result["last"] = to_numpy(std::move(links.last));
    return result;
}

// The pair of another term and the same class, for each pair; -1 where the term is -1.
inline nb::ndarray<nb::numpy, int64_t, nb::ndim<1>> related_pairs(const Array<int64_t>& pair_offsets,
                                                                  const Array<int32_t>& pair_class,
                                                                  const Array<int32_t>& related) {
    if (pair_offsets.size() != related.size() + 1) throw std::invalid_argument("arrays do not fit together: related");
    const size_t terms = related.size();
    std::vector<int64_t> found(pair_class.size(), -1);
    for (size_t id = 0; id < terms; ++id) {
        if (related(id) < 0) continue;
        const int32_t* begin = pair_class.data() + pair_offsets(static_cast<size_t>(related(id)));
        const int32_t* end = pair_class.data() + pair_offsets(static_cast<size_t>(related(id)) + 1);
        for (int64_t p = pair_offsets(id); p < pair_offsets(id + 1); ++p) {
            begin = std::lower_bound(begin, end, pair_class(static_cast<size_t>(p)));
            if (begin == end || *begin != pair_class(static_cast<size_t>(p))) {
                throw std::invalid_argument(
                    "a class has an n-gram without the shorter ones that it is made of; these counts are no language "
                    "model, or more was forgotten than learned");
            }
            found[static_cast<size_t>(p)] = begin - pair_class.data();
        }
    }
    return to_numpy(std::move(found));
}

// Sums of count times weight over the entries of each row, by class: rows of (term, count), terms of (class, weight).
inline nb::ndarray<nb::numpy, double, nb::ndim<2>> weigh_rows(const Array<int64_t>& offsets, const Array<int32_t>& term,
                                                              const Array<double>& count,
                                                              const Array<int64_t>& pair_offsets,
                                                              const Array<int32_t>& pair_class,
                                                              const Array<double>& pair_weight, size_t classes) {
    const size_t rows = offsets.size() - 1;
    if (term.size() != count.size() || pair_class.size() != pair_weight.size() ||
        static_cast<size_t>(offsets(rows)) != term.size())
        throw std::invalid_argument("arrays do not fit together: rows");
    auto owned = std::make_unique<double[]>(rows * classes);
    for (size_t row = 0; row < rows; ++row) {
        double* sums = owned.get() + row * classes;
        for (int64_t e = offsets(row); e < offsets(row + 1); ++e) {
            const auto id = static_cast<size_t>(term(static_cast<size_t>(e)));
            const double n = count(static_cast<size_t>(e));
            for (int64_t p = pair_offsets(id); p < pair_offsets(id + 1); ++p)
                sums[pair_class(static_cast<size_t>(p))] += n * pair_weight(static_cast<size_t>(p));
        }
    }
    double* data = owned.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return {data, {rows, classes}, owner};
}

// What tokens of documents are worth to one model: flat over the documents, with offsets by document; or sums.
struct TokenScores {
    std::vector<int64_t> offsets = {0}, unknown;
    std::vector<double> sums;
    std::vector<TokenScore> tokens;
};

// fill(row, scratch) leaves a document's tokens in scratch.spans.
template <class Fill>
nb::typed<nb::dict, nb::str, nb::any> score_documents(const PyChain& self, const Array<double>& log_prob,
                                                      const Array<double>& backoff, double unknown_log_prob,
                                                      bool unknown_counts, bool each, size_t rows, int threads,
                                                      Fill fill) {
    if (log_prob.size() != self.index.size() || backoff.size() != self.index.size())
        throw std::invalid_argument("arrays do not fit together: log_prob");
    const ChainModel model{log_prob.data(), backoff.data(), unknown_log_prob, unknown_counts};
    const size_t workers = std::max<size_t>(1, std::min<size_t>(static_cast<size_t>(std::max(1, threads)), rows / 64));
    std::vector<TokenScores> parts(workers);
    {
        nb::gil_scoped_release release;
        in_parallel(workers, [&](size_t worker, size_t) {
            TokenScores& part = parts[worker];
            Scratch scratch;
            ChainWork work;
            Buffer<uint32_t> table;
            std::vector<TokenScore> tokens;
            for (size_t row = rows * worker / workers; row < rows * (worker + 1) / workers; ++row) {
                fill(row, scratch);
                tokens.clear();
                score_tokens(*self.chain, model, {scratch.spans.begin(), scratch.spans.end()}, work, table, tokens);
                double sum = 0;
                int64_t unknown = 0;
                for (const TokenScore& token : tokens) sum += token.log_prob, unknown += token.token == kAbsent;
                part.sums.push_back(sum);
                part.unknown.push_back(unknown);
                part.offsets.push_back(part.offsets.back() + static_cast<int64_t>(tokens.size()));
                if (each) part.tokens.insert(part.tokens.end(), tokens.begin(), tokens.end());
            }
        });
    }
    TokenScores all;
    for (const TokenScores& part : parts) {
        const int64_t start = all.offsets.back();
        for (size_t i = 1; i < part.offsets.size(); ++i) all.offsets.push_back(start + part.offsets[i]);
        all.sums.insert(all.sums.end(), part.sums.begin(), part.sums.end());
        all.unknown.insert(all.unknown.end(), part.unknown.begin(), part.unknown.end());
        all.tokens.insert(all.tokens.end(), part.tokens.begin(), part.tokens.end());
    }
    nb::typed<nb::dict, nb::str, nb::any> result;
    result["offsets"] = to_numpy(std::move(all.offsets));
    result["sums"] = to_numpy(std::move(all.sums));
    result["unknown"] = to_numpy(std::move(all.unknown));
    if (!each) return result;
    std::vector<double> log_probs;
    std::vector<int32_t> terms, matched;
    for (const TokenScore& token : all.tokens) {
        log_probs.push_back(token.log_prob);
        terms.push_back(token.token == kAbsent ? -1 : static_cast<int32_t>(token.token));
        matched.push_back(token.matched);
    }
    result["log_prob"] = to_numpy(std::move(log_probs));
    result["term"] = to_numpy(std::move(terms));
    result["matched"] = to_numpy(std::move(matched));
    return result;
}

inline nb::typed<nb::dict, nb::str, nb::any> chain_texts(const PyChain& self, const PyAnalyzer& analyzer,
                                                         const nb::object& texts, const Array<double>& log_prob,
                                                         const Array<double>& backoff, double unknown_log_prob,
                                                         bool unknown_counts, bool each, int threads) {
    const Documents documents(texts, {});
    return score_documents(
        self, log_prob, backoff, unknown_log_prob, unknown_counts, each, documents.text.size(), threads,
        [&](size_t row, Scratch& scratch) { analyzer.analyzer->tokens(documents.text.rows[row], scratch); });
}

inline nb::typed<nb::dict, nb::str, nb::any> chain_words(const PyChain& self, const PyAnalyzer& analyzer,
                                                         const nb::object& names, const Array<int64_t>& offsets,
                                                         const Array<int32_t>& indices, const Array<double>& log_prob,
                                                         const Array<double>& backoff, double unknown_log_prob,
                                                         bool unknown_counts, bool each, int threads) {
    const WordLists words(names, offsets, indices);
    return score_documents(self, log_prob, backoff, unknown_log_prob, unknown_counts, each, words.rows(), threads,
                           [&](size_t row, Scratch& scratch) {
                               std::vector<Span> spans;
                               words.row(row, spans);
                               analyzer.analyzer->tokens_of_words(spans, scratch);
                           });
}

inline nb::typed<nb::list, nb::str> analyzer_tokens(const PyAnalyzer& self, const nb::object& text) {
    nb::list one;
    one.append(text);
    const TextColumn column = load_column(one);
    Scratch scratch;
    self.analyzer->tokens(column.rows[0], scratch);
    nb::typed<nb::list, nb::str> result;
    for (const Span& span : scratch.spans)
        result.append(nb::str(reinterpret_cast<const char*>(span.data), span.length));
    return result;
}

inline void bind_chain(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyChain>(m, "Chain", "N-grams, each its first n - 1 tokens and its last.")
        .def_static("of", &make_chain, "term_offsets"_a, "term_bytes"_a, "words"_a)
        .def("take_links", &take_links)
        .def("score", &chain_texts, "analyzer"_a, "texts"_a, "log_prob"_a, "backoff"_a, "unknown_log_prob"_a,
             "unknown_counts"_a, "each"_a, "threads"_a)
        .def("score_words", &chain_words, "analyzer"_a, "names"_a, "offsets"_a, "indices"_a, "log_prob"_a, "backoff"_a,
             "unknown_log_prob"_a, "unknown_counts"_a, "each"_a, "threads"_a);
    m.def("weigh_rows", &weigh_rows, "offsets"_a, "term"_a, "count"_a, "pair_offsets"_a, "pair_class"_a,
          "pair_weight"_a, "classes"_a);
    m.def("related_pairs", &related_pairs, "pair_offsets"_a, "pair_class"_a, "related"_a);
}

}  // namespace priori
