// Python's view of Characters: enough to build the running Python's tables and to check every code point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bind_arrays.hpp"
#include "unicode.hpp"

namespace priori {

template <nanobind::ssize_t columns>
using Rows = nanobind::ndarray<const uint32_t, nanobind::shape<-1, columns>, nanobind::c_contig, nanobind::device::cpu>;
using CodePoints = nanobind::ndarray<nanobind::numpy, uint32_t, nanobind::ndim<1>>;

// The rows of an array as the structs that are laid out like them.
template <typename Row, nanobind::ssize_t columns>
std::span<const Row> rows_of(const Rows<columns>& array) {
    static_assert(sizeof(Row) == columns * sizeof(uint32_t));
    return {reinterpret_cast<const Row*>(array.data()), array.shape(0)};
}

// One row (properties, lower, fold) of numbers for each code point, row after row.
inline CodePoints every_character(const Characters& characters) {
    std::vector<uint32_t> values;
    values.reserve(3 * kCodePoints);
    for (char32_t c = 0; c < kCodePoints; ++c)
        values.insert(values.end(), {characters.properties(c), characters.lower(c), characters.fold(c)});
    return to_numpy(std::move(values));
}

inline std::string_view view_of(const nanobind::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

inline CodePoints decode_all(const nanobind::bytes& bytes) {
    const auto* p = reinterpret_cast<const uint8_t*>(bytes.c_str());
    const uint8_t* const end = p + bytes.size();
    std::vector<uint32_t> codes;
    while (p < end) codes.push_back(decode_utf8(p, end));
    return to_numpy(std::move(codes));
}

inline nanobind::bytes lower_bytes(const Characters& characters, const nanobind::bytes& bytes) {
    std::string out;
    lower_text(characters, view_of(bytes), out);
    return nanobind::bytes(out.data(), out.size());
}

inline void bind_unicode(nanobind::module_& m) {
    namespace nb = nanobind;
    using namespace nb::literals;
    m.attr("UNICODE_VERSION") = kUnicodeVersion;
    nb::class_<Characters>(m, "Characters", "The characters of one Unicode version.")
        .def(
            "__init__",
            [](Characters* self, const Rows<3>& ranges, const Rows<2>& lower) {
                new (self) Characters(rows_of<PropertyRange>(ranges), rows_of<Mapping>(lower));
            },
            "ranges"_a, "lower"_a, "From rows (first, last, properties) and rows (from, to).")
        .def_static("pinned", &Characters::pinned, nb::rv_policy::reference, "The version the default analyzer uses.")
        .def(
            "properties", [](const Characters& self, uint32_t c) { return self.properties(c); }, "c"_a,
            "The Property bits of a code point, 0 for any other number.")
        .def("every_character", &every_character, "Properties, lower and fold of code point 0, of 1, and so on.")
        .def("lower_text", &lower_bytes, "text"_a, "The lower case of a whole UTF-8 text.");
    m.def("decode_utf8", &decode_all, "text"_a, "The code points of a UTF-8 text, 0xFFFFFFFF where it is malformed.");
}

}  // namespace priori
