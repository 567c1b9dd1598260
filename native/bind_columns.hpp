// Columns of text from Python: lists of str, or Arrow arrays of strings through the PyCapsule interface, uncopied.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nb = nanobind;

namespace priori {

// The Arrow C data interface, whose layout is its specification.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

// Views of the strings; a null is a view whose data is a null pointer. `owners` keeps what they point into.
struct TextColumn {
    std::vector<std::string_view> rows;
    std::vector<nb::object> owners;

    size_t size() const { return rows.size(); }
    static bool is_null(std::string_view row) { return row.data() == nullptr; }
};

inline std::string_view not_null(const char* data, size_t size) { return {data == nullptr ? "" : data, size}; }

template <class Offset>
void append_offsets(const ArrowArray& array, std::vector<std::string_view>& rows) {
    const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
    const auto* data = static_cast<const char*>(array.buffers[2]);
    for (int64_t i = 0; i < array.length; ++i) {
        rows.push_back(
            not_null(data == nullptr ? nullptr : data + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])));
    }
}

// String views: 16 bytes each, short strings inline, long ones as (length, prefix, buffer, offset).
inline void append_views(const ArrowArray& array, std::vector<std::string_view>& rows) {
    const auto* views = static_cast<const char*>(array.buffers[1]) + 16 * array.offset;
    for (int64_t i = 0; i < array.length; ++i, views += 16) {
        int32_t length, buffer, offset;
        std::memcpy(&length, views, 4);
        if (length <= 12) {
            rows.push_back(not_null(views + 4, static_cast<size_t>(length)));
            continue;
        }
        std::memcpy(&buffer, views + 8, 4);
        std::memcpy(&offset, views + 12, 4);
        rows.push_back(
            not_null(static_cast<const char*>(array.buffers[2 + buffer]) + offset, static_cast<size_t>(length)));
    }
}

inline void append_arrow(nb::handle source, TextColumn& column) {
    nb::object pair = source.attr("__arrow_c_array__")();
    nb::object schema_capsule = pair[0], array_capsule = pair[1];
    const auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(schema_capsule.ptr(), "arrow_schema"));
    const auto* array = static_cast<ArrowArray*>(PyCapsule_GetPointer(array_capsule.ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) throw nb::python_error();
    const std::string format = schema->format;
    const size_t first = column.rows.size();
    column.rows.reserve(first + static_cast<size_t>(array->length));
    if (schema->dictionary != nullptr) {
        throw std::invalid_argument("a dictionary-encoded Arrow column reached the core; decode it first");
    }
    if (array->length == 0) return;
    if (format == "u" || format == "z") {
        append_offsets<int32_t>(*array, column.rows);
    } else if (format == "U" || format == "Z") {
        append_offsets<int64_t>(*array, column.rows);
    } else if (format == "vu" || format == "vz") {
        append_views(*array, column.rows);
    } else if (format == "n") {
        column.rows.resize(first + static_cast<size_t>(array->length));
    } else {
        throw std::invalid_argument("an Arrow column of format '" + format + "' is not text; cast it to string first");
    }
    const auto* valid = format == "n" ? nullptr : static_cast<const uint8_t*>(array->buffers[0]);
    if (valid != nullptr && array->null_count != 0) {
        for (int64_t i = 0; i < array->length; ++i) {
            const int64_t bit = i + array->offset;
            if (!(valid[bit >> 3] >> (bit & 7) & 1)) column.rows[first + static_cast<size_t>(i)] = {};
        }
    }
    column.owners.push_back(array_capsule);
}

// A str, or None; `position` is said of anything else.
inline void append_item(nb::handle item, size_t position, TextColumn& column) {
    if (item.is_none()) {
        column.rows.emplace_back();
        return;
    }
    if (!PyUnicode_Check(item.ptr())) {
        const std::string type = nb::cast<std::string>(item.type().attr("__name__"));
        const char* remedy = PyBytes_Check(item.ptr()) ? "; decode it first, for example with .decode('utf-8')"
                                                       : "; give one str per document";
        throw std::invalid_argument("item " + std::to_string(position) + " is of type " + type + ", not str" + remedy);
    }
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (data == nullptr) {  // lone surrogates have no UTF-8: they become invalid bytes, which separate words
        PyErr_Clear();
        nb::object bytes = nb::steal(PyUnicode_AsEncodedString(item.ptr(), "utf-8", "surrogatepass"));
        if (!bytes.is_valid()) throw nb::python_error();
        data = PyBytes_AS_STRING(bytes.ptr());
        size = PyBytes_GET_SIZE(bytes.ptr());
        column.owners.push_back(bytes);
    }
    column.rows.push_back(not_null(data, static_cast<size_t>(size)));
}

inline void append_list(nb::handle source, TextColumn& column) {
    nb::list list = nb::borrow<nb::list>(source);
    column.rows.reserve(column.rows.size() + list.size());
    size_t position = 0;
    for (nb::handle item : list) append_item(item, position++, column);
    column.owners.push_back(nb::borrow(source));
}

// A list of str, an Arrow array, or None (no rows).
inline TextColumn load_column(nb::handle source) {
    TextColumn column;
    if (source.is_none()) return column;
    if (PyList_Check(source.ptr())) {
        append_list(source, column);
    } else if (nb::hasattr(source, "__arrow_c_array__")) {
        append_arrow(source, column);
    } else {
        const std::string type = nb::cast<std::string>(source.type().attr("__name__"));
        throw std::invalid_argument("texts came as " + type + "; give a list of str or an Arrow array of strings");
    }
    return column;
}

}  // namespace priori
