// EM for Python.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bind_arrays.hpp"
#include "bind_left_out.hpp"
#include "log_counts.hpp"
#include "mixture.hpp"

namespace priori {

namespace nb = nanobind;

using Table2 = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline BlockedRows* blocked_rows(const Array<int64_t>& offsets, const Array<int32_t>& term, const Array<int32_t>& count,
                                 size_t terms, size_t documents) {
    if (offsets.size() == 0 || offsets(0) != 0) throw std::invalid_argument("the offsets do not start at 0");
    const size_t rows = offsets.size() - 1;
    for (size_t i = 0; i < rows; ++i) {
        if (offsets(i + 1) < offsets(i)) throw std::invalid_argument("the offsets do not ascend");
    }
    const auto entries = static_cast<size_t>(offsets(rows));
    expect_length(term.size(), entries, "term");
    expect_length(count.size(), entries, "count");
    for (size_t e = 0; e < entries; ++e) {
        if (term(e) < 0 || static_cast<size_t>(term(e)) >= terms) throw std::invalid_argument("a term is out of range");
        if (count(e) < 0) throw std::invalid_argument("a count is negative");
    }
    nb::gil_scoped_release release;
    return new BlockedRows(rows, terms, offsets.data(), term.data(), count.data(), documents);
}

inline auto told_sums(MixtureSums&& sums) {
    return std::make_tuple(sums.objective, sums.log_likelihood, to_numpy(std::move(sums.weight)),
                           to_numpy(std::move(sums.length)));
}

// (objective, log-likelihood, documents by component, features by component); gathered takes the expected counts.
inline auto bound_em_pass(const BlockedRows& rows, const Array<double>& weight, const Array<double>& temper,
                          const Array<int32_t>& cls, const Matrix2& table, const Array<double>& constant,
                          const Array<double>& per_feature, const Array<int32_t>& component_class,
                          const Table2& gathered, const std::optional<Table2>& responsibilities, int threads) {
    const size_t terms = table.shape(0), components = table.shape(1);
    expect_length(terms, rows.terms, "table");
    expect_length(weight.size(), rows.size, "weight");
    expect_length(temper.size(), rows.size, "temper");
    expect_length(cls.size(), rows.size, "cls");
    expect_length(constant.size(), components, "constant");
    expect_length(per_feature.size(), components, "per_feature");
    expect_length(component_class.size(), components, "component_class");
    expect_length(gathered.size(), terms * components, "gathered");
    if (responsibilities) expect_length(responsibilities->size(), rows.size * components, "responsibilities");
    const MixtureDocuments documents{weight.data(), temper.data(), cls.data()};
    const MixtureTable from{terms,        components,      component_class.data(),
                            table.data(), constant.data(), per_feature.data()};
    MixtureSums sums = [&] {
        nb::gil_scoped_release release;
        return em_pass(rows, documents, from, gathered.data(), responsibilities ? responsibilities->data() : nullptr,
                       threads);
    }();
    return told_sums(std::move(sums));
}

inline auto bound_m_pass(const BlockedRows& rows, const Matrix2& responsibilities, const Table2& gathered,
                         int threads) {
    expect_length(gathered.shape(0), rows.terms, "gathered");
    expect_length(responsibilities.shape(0), rows.size, "responsibilities");
    expect_length(responsibilities.shape(1), gathered.shape(1), "responsibilities");
    MixtureSums sums = [&] {
        nb::gil_scoped_release release;
        return m_pass(rows, gathered.shape(1), responsibilities.data(), gathered.data(), threads);
    }();
    return told_sums(std::move(sums));
}

// The sums of the columns of out = log(counts + added).
inline auto bound_log_table(const Matrix2& counts, const Array<double>& added, const Table2& out, int threads) {
    const size_t rows = counts.shape(0), columns = counts.shape(1);
    expect_length(added.size(), columns, "added");
    expect_length(out.size(), rows * columns, "out");
    std::vector<double> sums = [&] {
        nb::gil_scoped_release release;
        return log_table(counts.data(), added.data(), rows, columns, out.data(), threads);
    }();
    return to_numpy(std::move(sums));
}

// What is written to is never converted, for a copy would be written to instead.
inline void bind_mixture(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<BlockedRows>(m, "BlockedRows", "Documents laid out for EM.")
        .def_static("of", &blocked_rows, "offsets"_a, "term"_a, "count"_a, "terms"_a, "documents"_a,
                    nb::rv_policy::take_ownership);
    m.def("em_pass", &bound_em_pass, "rows"_a, "weight"_a, "temper"_a, "cls"_a, "table"_a, "constant"_a,
          "per_feature"_a, "component_class"_a, "gathered"_a.noconvert(), "responsibilities"_a.none().noconvert(),
          "threads"_a);
    m.def("log_table", &bound_log_table, "counts"_a, "added"_a, "out"_a.noconvert(), "threads"_a);
    m.def("m_pass", &bound_m_pass, "rows"_a, "responsibilities"_a, "gathered"_a.noconvert(), "threads"_a);
}

}  // namespace priori
