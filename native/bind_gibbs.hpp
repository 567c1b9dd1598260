// Gibbs chains, for Python.
#pragma once

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "bind_arrays.hpp"
#include "gibbs.hpp"

namespace priori {

namespace nb = nanobind;

// A chain and the arrays of the documents it walks over, which it does not copy.
struct PyGibbs {
    Array<int64_t> offsets;
    Array<int32_t> term, count;
    std::unique_ptr<GibbsChain> chain;
};

inline PyGibbs* make_gibbs(const Array<int64_t>& offsets, const Array<int32_t>& term, const Array<int32_t>& count,
                           size_t terms, const Array<int32_t>& labels, const Array<uint8_t>& fixed, double alpha,
                           const Array<int32_t>& prior_component, const Array<int32_t>& prior_term,
                           const Array<double>& prior_more, const Array<double>& documents) {
    const size_t rows = labels.size();
    if (offsets.size() != rows + 1 || fixed.size() != rows) throw std::invalid_argument("documents differ in number");
    if (offsets(rows) < 0 || static_cast<size_t>(offsets(rows)) > std::min(term.size(), count.size())) {
        throw std::invalid_argument("offsets lie beyond the terms");
    }
    if (prior_component.size() != prior_term.size() || prior_more.size() != prior_term.size()) {
        throw std::invalid_argument("the prior's pairs differ in number");
    }
    if (documents.size() == 0) throw std::invalid_argument("there must be a class");
    const EncodedRows encoded{offsets.data(), term.data(), count.data(), rows, terms};
    const HiddenPrior prior{alpha,
                            prior_component.data(),
                            prior_term.data(),
                            prior_more.data(),
                            prior_term.size(),
                            documents.data(),
                            documents.size()};
    auto chain = [&] {
        nb::gil_scoped_release release;
        return std::make_unique<GibbsChain>(encoded, prior, labels.data(), fixed.data());
    }();
    return new PyGibbs{offsets, term, count, std::move(chain)};
}

using Conditionals = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void sweep_gibbs(PyGibbs& self, const Array<double>& uniforms, bool exact, double power,
                        std::optional<Conditionals> conditionals) {
    GibbsChain& chain = *self.chain;
    if (uniforms.size() != chain.rows()) throw std::invalid_argument("give one uniform number per document");
    if (!(power >= 0 && power <= 1)) throw std::invalid_argument("the power must lie between 0 and 1");
    for (size_t i = 0; i < uniforms.size(); ++i) {
        if (!(uniforms(i) >= 0 && uniforms(i) < 1)) throw std::invalid_argument("uniform numbers lie in [0, 1)");
    }
    if (conditionals && (conditionals->shape(0) != chain.rows() || conditionals->shape(1) != chain.classes())) {
        throw std::invalid_argument("conditionals must be documents by classes");
    }
    nb::gil_scoped_release release;
    chain.sweep(uniforms.data(), exact, power, conditionals ? conditionals->data() : nullptr);
}

inline auto counts_of_gibbs(const PyGibbs& self) {
    std::vector<int32_t> counts(self.chain->terms() * self.chain->classes());
    self.chain->copy_counts(counts.data());
    return to_numpy(std::move(counts));
}

inline void bind_gibbs(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<PyGibbs>(m, "Gibbs", "A collapsed Gibbs chain over the classes of documents.")
        .def_static("of", &make_gibbs, "offsets"_a, "term"_a, "count"_a, "terms"_a, "labels"_a, "fixed"_a, "alpha"_a,
                    "prior_component"_a, "prior_term"_a, "prior_more"_a, "documents"_a, nb::rv_policy::take_ownership)
        .def("sweep", &sweep_gibbs, "uniforms"_a, "exact"_a = true, "power"_a = 1.0,
             "conditionals"_a.noconvert() = nb::none())
        .def("log_prior", [](const PyGibbs& self) { return self.chain->log_prior(); })
        .def("log_likelihood",
             [](PyGibbs& self) {
                 nb::gil_scoped_release release;
                 return self.chain->log_likelihood();
             })
        .def("labels", [](const PyGibbs& self) { return to_numpy(std::vector<int32_t>(self.chain->labels())); })
        .def("documents", [](const PyGibbs& self) { return to_numpy(std::vector<int64_t>(self.chain->documents())); })
        .def("counts", &counts_of_gibbs);
    m.def("log_rising", &log_rising, "x"_a, "n"_a);
}

}  // namespace priori
