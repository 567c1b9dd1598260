// N-gram language models for Python.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <memory>
#include <optional>
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

    PyChain(const Array<int64_t>& offsets, const Array<uint8_t>& bytes, bool words, size_t order)
        : offsets(offsets), bytes(bytes), index(offsets.data(), bytes.data(), offsets.size() - 1) {
        if (static_cast<size_t>(offsets(offsets.size() - 1)) != bytes.size())
            throw std::invalid_argument("arrays do not fit together: term_bytes");
        nb::gil_scoped_release release;
        chain = std::make_shared<Chain>(index, words, order);
    }
};

inline std::shared_ptr<PyChain> make_chain(const Array<int64_t>& offsets, const Array<uint8_t>& bytes, bool words,
                                           size_t order) {
    if (offsets.size() == 0) throw std::invalid_argument("arrays do not fit together: no term offsets");
    return std::make_shared<PyChain>(offsets, bytes, words, order);
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
    {
        nb::gil_scoped_release release;
        for (size_t id = 0; id < terms; ++id) {
            if (related(id) < 0) continue;
            const int32_t* begin = pair_class.data() + pair_offsets(static_cast<size_t>(related(id)));
            const int32_t* end = pair_class.data() + pair_offsets(static_cast<size_t>(related(id)) + 1);
            for (int64_t p = pair_offsets(id); p < pair_offsets(id + 1); ++p) {
                begin = std::lower_bound(begin, end, pair_class(static_cast<size_t>(p)));
                if (begin == end || *begin != pair_class(static_cast<size_t>(p))) {
                    throw std::invalid_argument(
                        "a class has an n-gram without the shorter ones that it is made of; these counts are no "
                        "language model, or more was forgotten than learned");
                }
                found[static_cast<size_t>(p)] = begin - pair_class.data();
            }
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
    for (size_t e = 0; e < term.size(); ++e) {
        if (term(e) < 0 || static_cast<size_t>(term(e)) + 1 >= pair_offsets.size())
            throw std::invalid_argument("arrays do not fit together: a row has a term that there is not");
    }
    auto owned = std::make_unique<double[]>(rows * classes);
    {
        nb::gil_scoped_release release;
        for (size_t row = 0; row < rows; ++row) {
            double* sums = owned.get() + row * classes;
            for (int64_t e = offsets(row); e < offsets(row + 1); ++e) {
                const auto id = static_cast<size_t>(term(static_cast<size_t>(e)));
                const double n = count(static_cast<size_t>(e));
                for (int64_t p = pair_offsets(id); p < pair_offsets(id + 1); ++p)
                    sums[pair_class(static_cast<size_t>(p))] += n * pair_weight(static_cast<size_t>(p));
            }
        }
    }
    double* data = owned.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return {data, {rows, classes}, owner};
}

// A language model as documents are scored by it: its chain, and the numbers of the chain's terms.
struct PyChainScorer {
    std::shared_ptr<PyChain> chain;
    PyAnalyzer analyzer;
    Array<double> log_prob, backoff;
    ChainModel model;

    // `unknown`: log p of a token never seen, after no history; none: it is passed over.
    PyChainScorer(std::shared_ptr<PyChain> chain, const PyAnalyzer& analyzer, const Array<double>& log_prob,
                  const Array<double>& backoff, std::optional<double> unknown)
        : chain(std::move(chain)), analyzer(analyzer), log_prob(log_prob), backoff(backoff) {
        if (log_prob.size() != this->chain->index.size() || backoff.size() != this->chain->index.size())
            throw std::invalid_argument("arrays do not fit together: log_prob");
        model = {log_prob.data(), backoff.data(), unknown.value_or(0.0), unknown.has_value()};
    }
};

struct TokenWork {
    Scratch scratch;
    ChainWork chain;
    Buffer<uint32_t> table;
    std::vector<Span> words;

    // fill(row, work) leaves a document's tokens in scratch.spans.
    template <class Fill, class Visit>
    void score(const PyChainScorer& self, size_t row, Fill fill, Visit visit) {
        fill(row, *this);
        score_tokens(*self.chain->chain, self.model, {scratch.spans.begin(), scratch.spans.end()}, chain, table, visit);
    }

    static TokenWork& of_thread() {
        static thread_local TokenWork work;
        return work;
    }
};

inline double possible(double sum, size_t row) {
    if (std::isnan(sum))
        throw std::domain_error("document " + std::to_string(row) +
                                " is impossible and certain at once; smooth with kneser-ney");
    return sum;
}

// log p of each document; and of all together how many tokens are predicted, and how many of them were never seen.
template <class Fill>
auto score_documents(const PyChainScorer& self, size_t rows, int threads, Fill fill) {
    std::vector<double> sums(rows);
    const size_t workers = std::max<size_t>(1, std::min<size_t>(static_cast<size_t>(std::max(1, threads)), rows / 64));
    std::vector<std::pair<size_t, size_t>> totals(workers);
    {
        nb::gil_scoped_release release;
        in_parallel(workers, [&](size_t worker, size_t) {
            TokenWork& work = TokenWork::of_thread();
            size_t tokens = 0, unknown = 0;
            for (size_t row = rows * worker / workers; row < rows * (worker + 1) / workers; ++row) {
                double sum = 0.0;
                work.score(self, row, fill, [&](const TokenScore& token) {
                    sum += token.log_prob;
                    unknown += token.token == kAbsent;
                    ++tokens;
                });
                sums[row] = possible(sum, row);
            }
            totals[worker] = {tokens, unknown};
        });
    }
    for (size_t worker = 1; worker < workers; ++worker) {
        totals[0].first += totals[worker].first;
        totals[0].second += totals[worker].second;
    }
    return std::make_tuple(to_numpy(std::move(sums)), totals[0].first, totals[0].second);
}

// log p of each token of one document, and how many tokens the longest n-gram seen there has.
template <class Fill>
auto score_each(const PyChainScorer& self, Fill fill) {
    std::vector<double> log_probs;
    std::vector<int32_t> matched;
    TokenWork::of_thread().score(self, 0, fill, [&](const TokenScore& token) {
        log_probs.push_back(token.log_prob);
        matched.push_back(token.matched);
    });
    return std::make_tuple(to_numpy(std::move(log_probs)), to_numpy(std::move(matched)));
}

inline auto of_texts(const PyChainScorer& self, const TextColumn& texts) {
    return [&](size_t row, TokenWork& work) { self.analyzer.analyzer->tokens(texts.rows[row], work.scratch); };
}

inline auto of_words(const PyChainScorer& self, const WordLists& words) {
    return [&](size_t row, TokenWork& work) {
        words.row(row, work.words);
        self.analyzer.analyzer->tokens_of_words(work.words, work.scratch);
    };
}

inline auto chain_texts(const PyChainScorer& self, const nb::object& texts, int threads) {
    const Documents documents(texts, {});
    return score_documents(self, documents.text.size(), threads, of_texts(self, documents.text));
}

inline auto chain_words(const PyChainScorer& self, const nb::object& names, const Array<int64_t>& offsets,
                        const Array<int32_t>& indices, int threads) {
    const WordLists words(names, offsets, indices);
    return score_documents(self, words.rows(), threads, of_words(self, words));
}

// The shortest way, for one text.
inline double chain_text(const PyChainScorer& self, const nb::str& text) {
    TextColumn column;
    append_item(text, 0, column);
    double sum = 0.0;
    TokenWork::of_thread().score(self, 0, of_texts(self, column),
                                 [&](const TokenScore& token) { sum += token.log_prob; });
    return possible(sum, 0);
}

inline auto each_of_text(const PyChainScorer& self, const nb::str& text) {
    TextColumn column;
    append_item(text, 0, column);
    return score_each(self, of_texts(self, column));
}

inline auto each_of_words(const PyChainScorer& self, const nb::object& names, const Array<int64_t>& offsets,
                          const Array<int32_t>& indices) {
    const WordLists words(names, offsets, indices);
    if (words.rows() != 1) throw std::invalid_argument("one document at a time is looked at closely");
    return score_each(self, of_words(self, words));
}

inline void bind_chain(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyChain>(m, "Chain", "N-grams, each its first n - 1 tokens and its last.")
        .def_static("of", &make_chain, "term_offsets"_a, "term_bytes"_a, "words"_a, "order"_a)
        .def("take_links", &take_links);
    nb::class_<PyChainScorer>(m, "ChainScorer", "A language model as documents are scored by it.")
        .def(nb::init<std::shared_ptr<PyChain>, const PyAnalyzer&, const Array<double>&, const Array<double>&,
                      std::optional<double>>(),
             "chain"_a, "analyzer"_a, "log_prob"_a, "backoff"_a, "unknown"_a.none())
        .def("score", &chain_texts, "texts"_a, "threads"_a)
        .def("score_words", &chain_words, "names"_a, "offsets"_a, "indices"_a, "threads"_a)
        .def("score_one", &chain_text, "text"_a)
        .def("each", &each_of_text, "text"_a)
        .def("each_of_words", &each_of_words, "names"_a, "offsets"_a, "indices"_a);
    m.def("weigh_rows", &weigh_rows, "offsets"_a, "term"_a, "count"_a, "pair_offsets"_a, "pair_class"_a,
          "pair_weight"_a, "classes"_a);
    m.def("related_pairs", &related_pairs, "pair_offsets"_a, "pair_class"_a, "related"_a);
}

}  // namespace priori
