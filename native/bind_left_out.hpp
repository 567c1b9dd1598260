// Leave-one-out for Python.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "bind_arrays.hpp"
#include "calibrated_loss.hpp"
#include "left_out_scores.hpp"

namespace priori {

namespace nb = nanobind;

using Matrix2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void expect_length(size_t found, size_t expected, const char* name) {
    if (found != expected) throw std::invalid_argument(std::string("arrays do not fit together: ") + name);
}

inline LeftOut* gather_left_out(const Array<int64_t>& pair_offsets, const Array<int32_t>& pair_class,
                                const Array<double>& occurrences, const Array<double>& documents,
                                const Array<double>& class_occurrences, const Array<double>& class_documents,
                                const std::optional<Array<uint8_t>>& stays, bool keep_all,
                                const Array<int64_t>& offsets, const Array<int32_t>& term, const Array<int32_t>& count,
                                const Array<int32_t>& cls, const Array<double>& weight, const Array<int32_t>& block,
                                const std::optional<Array<int64_t>>& unknown, const Array<int64_t>& number) {
    if (pair_offsets.size() == 0 || offsets.size() == 0) throw std::invalid_argument("there are no offsets");
    const size_t terms = pair_offsets.size() - 1, classes = class_documents.size(), rows = offsets.size() - 1;
    const auto pairs = static_cast<size_t>(pair_offsets(terms)), entries = static_cast<size_t>(offsets(rows));
    expect_length(pair_class.size(), pairs, "pair_class");
    expect_length(occurrences.size(), pairs, "occurrences");
    expect_length(documents.size(), pairs, "documents");
    expect_length(class_occurrences.size(), classes, "class_occurrences");
    if (stays) expect_length(stays->size(), terms, "stays");
    expect_length(term.size(), entries, "term");
    expect_length(count.size(), entries, "count");
    expect_length(cls.size(), rows, "cls");
    expect_length(weight.size(), rows, "weight");
    expect_length(block.size(), rows, "block");
    expect_length(number.size(), rows, "number");
    if (unknown) expect_length(unknown->size(), rows, "unknown");
    for (size_t e = 0; e < entries; ++e) {
        if (term(e) < 0 || static_cast<size_t>(term(e)) >= terms) throw std::invalid_argument("a term is out of range");
    }
    for (size_t i = 0; i < rows; ++i) {
        if (cls(i) >= static_cast<int64_t>(classes)) throw std::invalid_argument("a class is out of range");
        if (i > 0 && block(i) < block(i - 1)) throw std::invalid_argument("the blocks do not ascend");
    }
    const WholeCounts whole{terms,
                            classes,
                            pair_offsets.data(),
                            pair_class.data(),
                            occurrences.data(),
                            documents.data(),
                            class_occurrences.data(),
                            class_documents.data(),
                            stays ? stays->data() : nullptr,
                            keep_all};
    const LeftRows from{rows,         offsets.data(), term.data(),  count.data(),
                        cls.data(),   weight.data(),  block.data(), unknown ? unknown->data() : nullptr,
                        number.data()};
    nb::gil_scoped_release release;
    return new LeftOut(whole, from);
}

inline Event event_named(const std::string& name) {
    if (name == "multinomial") return Event::multinomial;
    if (name == "urn") return Event::urn;
    if (name == "complement") return Event::complement;
    if (name == "bernoulli") return Event::bernoulli;
    throw std::invalid_argument("there is no event model " + name);
}

inline nb::ndarray<nb::numpy, double, nb::ndim<2>> matrix_of(std::unique_ptr<double[]>&& values, size_t rows,
                                                             size_t columns) {
    double* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return {data, {rows, columns}, owner};
}

// (joint (n, K), features (n,), known (n,)): log p(x, y) of each row without its block; its features, all of them and
// those that still have a place.
// The class prior: an array of log p(y), or None for equal ones, or a number of imagined documents of each class.
inline auto left_out_scores(const LeftOut& self, const std::string& event, double alpha, bool with_unknown, bool once,
                            const Array<double>& total, const std::optional<Array<double>>& pair_alpha,
                            const std::optional<Array<double>>& term_alpha,
                            const std::optional<Array<double>>& log_prior, const std::optional<double>& prior_documents,
                            const Array<int64_t>& histogram_offsets, const Array<double>& histogram_documents,
                            const Array<double>& histogram_alpha, const Array<double>& histogram_times,
                            const std::optional<Array<uint8_t>>& out, const std::optional<Matrix2>& chosen_total,
                            const std::optional<Array<double>>& chosen_places, size_t rows, int threads) {
    const auto& ends = self.block_rows;  // as many whole blocks as have at most so many rows
    const auto blocks = static_cast<size_t>(std::upper_bound(ends.begin() + 1, ends.end(), static_cast<int64_t>(rows)) -
                                            (ends.begin() + 1));
    rows = static_cast<size_t>(ends[blocks]);
    expect_length(total.size(), self.classes, "total");
    if (pair_alpha) expect_length(pair_alpha->size(), self.pair_ids.size(), "pair_alpha");
    if (term_alpha) expect_length(term_alpha->size(), self.term_ids.size(), "term_alpha");
    if (pair_alpha.has_value() != term_alpha.has_value()) throw std::invalid_argument("give both priors, or neither");
    if (log_prior) expect_length(log_prior->size(), self.classes, "log_prior");
    const Event which = event_named(event);
    if (which == Event::bernoulli) {
        expect_length(histogram_offsets.size(), self.classes + 1, "histogram_offsets");
        const auto size = static_cast<size_t>(histogram_offsets(self.classes));
        expect_length(histogram_documents.size(), size, "histogram_documents");
        expect_length(histogram_alpha.size(), size, "histogram_alpha");
        expect_length(histogram_times.size(), size, "histogram_times");
    }
    if (out.has_value() != chosen_total.has_value() || out.has_value() != chosen_places.has_value()) {
        throw std::invalid_argument("give all of the chosen terms, or nothing");
    }
    if (out) {
        if (which == Event::bernoulli || pair_alpha) throw std::invalid_argument("chosen terms have one alpha here");
        expect_length(out->size(), self.count.size(), "out");
        expect_length(chosen_total->shape(0), self.blocks(), "chosen_total");
        expect_length(chosen_total->shape(1), self.classes, "chosen_total");
        expect_length(chosen_places->size(), self.blocks(), "chosen_places");
    }
    const ChosenTerms chosen{out ? out->data() : nullptr, chosen_total ? chosen_total->data() : nullptr,
                             chosen_places ? chosen_places->data() : nullptr};
    const Pseudo pseudo{alpha,
                        with_unknown,
                        once,
                        total.data(),
                        pair_alpha ? pair_alpha->data() : nullptr,
                        term_alpha ? term_alpha->data() : nullptr};
    const LeftClassPrior prior{log_prior         ? ClassPriorKind::given
                               : prior_documents ? ClassPriorKind::counted
                                                 : ClassPriorKind::uniform,
                               log_prior ? log_prior->data() : nullptr, prior_documents.value_or(0.0)};
    const DocumentHistogram histogram{histogram_offsets.data(), histogram_documents.data(), histogram_alpha.data(),
                                      histogram_times.data()};
    std::unique_ptr<double[]> joint(new double[rows * self.classes]);
    std::vector<double> features(rows), known(rows);
    {
        nb::gil_scoped_release release;
        LeftOutScorer(self, which, pseudo, prior, histogram, chosen)
            .score(blocks, joint.get(), features.data(), known.data(), threads);
    }
    return std::make_tuple(matrix_of(std::move(joint), rows, self.classes), to_numpy(std::move(features)),
                           to_numpy(std::move(known)));
}

// (loss, gradient (K + 3,)) of scores (n, K); parameters: log scale, power, logit of the noise, offsets.
inline auto loss_of_calibrated(const Matrix2& scores, const Array<int32_t>& cls, const Array<double>& weight,
                               const Array<double>& length, const Array<double>& parameters) {
    const size_t rows = scores.shape(0), classes = scores.shape(1);
    expect_length(cls.size(), rows, "cls");
    expect_length(weight.size(), rows, "weight");
    expect_length(length.size(), rows, "length");
    expect_length(parameters.size(), classes + 3, "parameters");
    for (size_t i = 0; i < rows; ++i) {
        if (cls(i) < 0 || static_cast<size_t>(cls(i)) >= classes)
            throw std::invalid_argument("a class is out of range");
    }
    CalibratedLoss found = [&] {
        nb::gil_scoped_release release;
        return calibrated_loss(scores.data(), rows, classes, cls.data(), weight.data(), length.data(),
                               parameters.data());
    }();
    return std::make_tuple(found.loss, to_numpy(std::move(found.gradient)));
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> copied(const std::vector<T>& values) {
    return to_numpy(std::vector<T>(values));
}

inline void bind_left_out(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<LeftOut>(m, "LeftOut", "Counts without each block of documents.")
        .def_static("of", &gather_left_out, "pair_offsets"_a, "pair_class"_a, "occurrences"_a, "documents"_a,
                    "class_occurrences"_a, "class_documents"_a, "stays"_a.none(), "keep_all"_a, "offsets"_a, "term"_a,
                    "count"_a, "cls"_a, "weight"_a, "block"_a, "unknown"_a.none(), "number"_a,
                    nb::rv_policy::take_ownership)
        .def("scores", &left_out_scores, "event"_a, "alpha"_a, "with_unknown"_a, "once"_a, "total"_a,
             "pair_alpha"_a.none(), "term_alpha"_a.none(), "log_prior"_a.none(), "prior_documents"_a.none(),
             "histogram_offsets"_a, "histogram_documents"_a, "histogram_alpha"_a, "histogram_times"_a, "out"_a.none(),
             "chosen_total"_a.none(), "chosen_places"_a.none(), "rows"_a, "threads"_a)
        .def("term_ids", [](const LeftOut& self) { return copied(self.term_ids); })
        .def("pair_ids", [](const LeftOut& self) { return copied(self.pair_ids); });
    m.def("calibrated_loss", &loss_of_calibrated, "scores"_a, "cls"_a, "weight"_a, "length"_a, "parameters"_a);
}

}  // namespace priori
