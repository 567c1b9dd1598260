// Sums and counts of columns by class, for Python.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>

#include "bind_arrays.hpp"
#include "exact.hpp"
#include "grouped.hpp"
#include "row_hash.hpp"

namespace priori {

namespace nb = nanobind;

using Int64s = nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>;
using Int32s = nb::ndarray<nb::numpy, int32_t, nb::ndim<1>>;

inline Grouped grouped(const Array<int32_t>& group, const std::optional<Array<int64_t>>& weight, size_t groups,
                       size_t rows) {
    if (group.size() != rows || (weight && weight->size() != rows)) {
        throw std::invalid_argument("columns, groups and weights differ in length");
    }
    for (size_t i = 0; i < rows; ++i) {
        if (group.data()[i] >= static_cast<int64_t>(groups)) throw std::invalid_argument("a group is out of range");
        if (weight && weight->data()[i] < 0) throw std::invalid_argument("a weight is negative");
    }
    return {group.data(), weight ? weight->data() : nullptr, rows, groups};
}

// weight (groups,), missing (groups,), then origin and digits of the sums (groups, d) and of the products.
inline auto exact_moments(const std::vector<Array<double>>& columns, const Array<int32_t>& group,
                          const std::optional<Array<int64_t>>& weight, size_t groups, bool products) {
    std::vector<const double*> data;
    for (const Array<double>& column : columns) {
        if (column.size() != group.size()) throw std::invalid_argument("columns and groups differ in length");
        data.push_back(column.data());
    }
    const Grouped rows = grouped(group, weight, groups, group.size());
    Moments total = [&] {
        nb::gil_scoped_release release;
        return MomentSums(std::move(data), rows, products).summed();
    }();
    return std::make_tuple(to_numpy(std::move(total.weight)), to_numpy(std::move(total.missing)), total.sums.origin,
                           total.sums.width, to_numpy(std::move(total.sums.words)), total.products.origin,
                           total.products.width, to_numpy(std::move(total.products.words)));
}

inline auto tally_codes(const Array<int32_t>& codes, size_t values, const Array<int32_t>& group,
                        const std::optional<Array<int64_t>>& weight, size_t groups) {
    const Grouped rows = grouped(group, weight, groups, codes.size());
    std::vector<int64_t> counts(values * groups), missing(groups);
    {
        nb::gil_scoped_release release;
        tally(codes.data(), values, rows, counts.data(), missing.data());
    }
    return std::make_tuple(to_numpy(std::move(counts)), to_numpy(std::move(missing)));
}

inline auto bucket_counts(const Array<double>& values, const Array<int32_t>& group,
                          const std::optional<Array<int64_t>>& weight, size_t groups) {
    const Grouped rows = grouped(group, weight, groups, values.size());
    BucketCounts found = [&] {
        nb::gil_scoped_release release;
        return count_buckets(values.data(), rows);
    }();
    return std::make_tuple(to_numpy(std::move(found.bucket)), to_numpy(std::move(found.counts)),
                           to_numpy(std::move(found.missing)));
}

inline auto add_bucket_counts(const Array<int32_t>& a, const Array<int64_t>& a_counts, const Array<int32_t>& b,
                              const Array<int64_t>& b_counts, size_t groups) {
    if (a_counts.size() != a.size() * groups || b_counts.size() != b.size() * groups) {
        throw std::invalid_argument("buckets and counts differ in length");
    }
    BucketCounts found = [&] {
        nb::gil_scoped_release release;
        return merged_counts({a.data(), a_counts.data(), a.size()}, {b.data(), b_counts.data(), b.size()}, groups);
    }();
    return std::make_tuple(to_numpy(std::move(found.bucket)), to_numpy(std::move(found.counts)));
}

using Hashes = nb::ndarray<uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Columns: a number array, or a pair of codes and the hashes of their values.
inline void mix_cells(Hashes hashes, const nb::typed<nb::list, nb::any>& cells) {
    using Pair = std::tuple<Array<int32_t>, Array<uint64_t>>;
    std::vector<Array<double>> numbers;
    std::vector<Pair> codes;
    std::vector<HashedColumn> columns;
    for (const nb::handle cell : cells) {
        if (nb::isinstance<nb::tuple>(cell)) {
            const auto& [code, value] = codes.emplace_back(nb::cast<Pair>(cell));
            if (code.size() != hashes.size()) throw std::invalid_argument("hashes and codes differ in length");
            for (size_t i = 0; i < code.size(); ++i) {
                if (code.data()[i] >= static_cast<int64_t>(value.size()))
                    throw std::invalid_argument("a code is too large");
            }
            columns.push_back({nullptr, code.data(), value.data()});
        } else {
            const auto& column = numbers.emplace_back(nb::cast<Array<double>>(cell));
            if (column.size() != hashes.size()) throw std::invalid_argument("hashes and numbers differ in length");
            columns.push_back({column.data(), nullptr, nullptr});
        }
    }
    nb::gil_scoped_release release;
    mix_columns(hashes.data(), columns, hashes.size());
}

inline void bind_grouped(nb::module_& m) {
    using namespace nb::literals;
    m.def("exact_moments", &exact_moments, "columns"_a, "group"_a, "weight"_a.none(), "groups"_a, "products"_a);
    m.def("tally_codes", &tally_codes, "codes"_a, "values"_a, "group"_a, "weight"_a.none(), "groups"_a);
    m.def("add_bucket_counts", &add_bucket_counts, "a"_a, "a_counts"_a, "b"_a, "b_counts"_a, "groups"_a);
    m.def("mix_cells", &mix_cells, "hashes"_a, "cells"_a);
    m.def("bucket_counts", &bucket_counts, "values"_a, "group"_a, "weight"_a.none(), "groups"_a);
}

}  // namespace priori
