// Python's view of delimited.hpp: blocks in, Arrow-layout columns out as numpy arrays that own their memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "delimited.hpp"

namespace priori {

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: argument names read as "name"_a

using Block = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;
using Bytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

// Both arrays keep the column, whose bytes are used again when neither is left.
inline nb::tuple arrays_of(Column&& column) {
    auto* owned = new Column(std::move(column));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Column*>(p); });
    auto* offsets = const_cast<std::int64_t*>(owned->offsets().data());
    return nb::make_tuple(Offsets(offsets, {owned->offsets().size()}, owner),
                          Bytes(reinterpret_cast<std::uint8_t*>(owned->bytes()), {owned->size()}, owner));
}

inline Dialect dialect_of(int delimiter, int quote) {
    if (delimiter < 0 || delimiter > 127 || quote > 127)
        throw std::invalid_argument("delimiter and quote must be ASCII");
    return {static_cast<char>(delimiter), quote};
}

inline void bind_delimited(nb::module_& m) {
    nb::enum_<Problem>(m, "SplitProblem", "Why a splitter stopped before the end of a block.")
        .value("none", Problem::none)
        .value("ragged", Problem::ragged)
        .value("unterminated", Problem::unterminated);

    nb::class_<Split>(m, "Split", "The complete rows of a block of delimited text.")
        .def_ro("consumed", &Split::consumed)
        .def_ro("rows", &Split::rows)
        .def_ro("lines", &Split::lines)
        .def_ro("problem", &Split::problem)
        .def_ro("found", &Split::found)
        .def(
            "take_columns",
            [](Split& split) {
                nb::list columns;
                for (Column& column : split.columns) columns.append(arrays_of(std::move(column)));
                split.columns.clear();
                return columns;
            },
            nb::sig("def take_columns(self) -> list[tuple[numpy.typing.NDArray[numpy.int64], "
                    "numpy.typing.NDArray[numpy.uint8]]]"),
            "Hand over (offsets, bytes) per wanted column; they can be taken once.");

    m.def(
        "split_rows",
        [](Block block, bool last_block, int delimiter, int quote, std::size_t width,
           const std::vector<std::size_t>& wanted) {
            const Dialect dialect = dialect_of(delimiter, quote);
            const char* begin = reinterpret_cast<const char*>(block.data());
            const std::size_t size = block.size();
            nb::gil_scoped_release released;
            return split_rows(begin, begin + size, last_block, dialect, width, wanted);
        },
        "block"_a, "last_block"_a, "delimiter"_a, "quote"_a, "width"_a, "wanted"_a,
        "Split the complete rows of a block into the wanted columns.");

    m.def(
        "split_first_row",
        [](Block block, bool last_block, int delimiter, int quote) {
            const char* begin = reinterpret_cast<const char*>(block.data());
            return split_first_row(begin, begin + block.size(), last_block, dialect_of(delimiter, quote));
        },
        "block"_a, "last_block"_a, "delimiter"_a, "quote"_a,
        "Split the first row of a block into one column with a value per field.");
}

}  // namespace priori
