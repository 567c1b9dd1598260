// Documents from Python: texts with further fields, or words already told apart.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind_arrays.hpp"
#include "bind_columns.hpp"
#include "counter.hpp"

namespace priori {

struct PyAnalyzer {
    nanobind::object characters;  // kept alive; None for the pinned ones
    nanobind::object stemmer;     // kept alive; None for words as they are written
    std::shared_ptr<const Analyzer> analyzer;
};

using Fields = std::vector<std::pair<std::string, nb::object>>;

// A batch of documents: the text and the further fields of each.
struct Documents {
    TextColumn text;
    std::vector<std::string> prefixes;
    std::vector<TextColumn> fields;

    Documents(nb::handle texts, const Fields& further) : text(load_column(texts)) {
        for (size_t row = 0; row < text.size(); ++row) {
            if (TextColumn::is_null(text.rows[row])) {
                throw std::invalid_argument("text " + std::to_string(row) +
                                            " is None; leave it out, or give '' for no words");
            }
        }
        for (const auto& [prefix, column] : further) {
            prefixes.push_back(prefix);
            fields.push_back(load_column(column));
            if (fields.back().size() != text.size())
                throw std::invalid_argument("a field has another length than the text");
        }
    }

    void segments(size_t row, std::vector<Segment>& out) const {
        out.clear();
        out.push_back({{}, text.rows[row]});
        for (size_t f = 0; f < fields.size(); ++f) {
            if (!TextColumn::is_null(fields[f].rows[row])) out.push_back({prefixes[f], fields[f].rows[row]});
        }
    }
};

inline nb::object to_text(const Span& span) {
    return nb::steal(PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(span.data), span.length, "replace"));
}

inline nb::typed<nb::list, nb::str> to_texts(const Buffer<Span>& spans) {
    nb::typed<nb::list, nb::str> result;
    for (const Span& span : spans) result.append(to_text(span));
    return result;
}

// Words of a document, laid out as the analyzer wants them: with room to read on behind each.
struct Words {
    std::vector<uint8_t> bytes;
    std::vector<Span> spans;

    explicit Words(const TextColumn& column) {
        size_t size = kPadding;
        for (const auto& word : column.rows) size += word.size();
        bytes.resize(size);
        uint8_t* out = bytes.data();
        for (const std::string_view word : column.rows) {
            spans.push_back({out, static_cast<uint32_t>(word.size())});
            out = std::copy(word.begin(), word.end(), out);
        }
    }
};

// Documents whose words are already told apart: indices into names, with offsets by document.
struct WordLists {
    std::vector<uint8_t> bytes;
    std::vector<Span> names;
    Array<int64_t> offsets;
    Array<int32_t> indices;

    WordLists(nb::handle name_column, const Array<int64_t>& offsets, const Array<int32_t>& indices)
        : offsets(offsets), indices(indices) {
        const TextColumn column = load_column(name_column);
        size_t total = 0;
        for (const auto& name : column.rows) total += name.size();
        bytes.resize(total + kPadding);
        uint8_t* out = bytes.data();
        for (const auto& name : column.rows) {
            if (TextColumn::is_null(name)) throw std::invalid_argument("a token is null; leave it out of its list");
            if (!is_valid_utf8(name)) {
                throw std::invalid_argument("a token is not valid UTF-8 (a lone surrogate?); clean the tokens first");
            }
            std::memcpy(out, name.data(), name.size());
            names.push_back({out, static_cast<uint32_t>(name.size())});
            out += name.size();
        }
        if (offsets.size() == 0 || offsets(0) != 0 ||
            offsets(offsets.size() - 1) != static_cast<int64_t>(indices.size())) {
            throw std::invalid_argument("token offsets do not fit the tokens");
        }
        for (size_t i = 0; i + 1 < offsets.size(); ++i) {
            if (offsets(i) > offsets(i + 1)) throw std::invalid_argument("token offsets do not ascend");
        }
        for (size_t i = 0; i < indices.size(); ++i) {
            if (indices(i) < 0 || static_cast<size_t>(indices(i)) >= names.size()) {
                throw std::invalid_argument("a token index lies outside the names");
            }
        }
    }

    size_t rows() const { return offsets.size() - 1; }

    void row(size_t document, std::vector<Span>& out) const {
        out.clear();
        for (int64_t i = offsets(document); i < offsets(document + 1); ++i) {
            out.push_back(names[static_cast<size_t>(indices(static_cast<size_t>(i)))]);
        }
    }
};

}  // namespace priori
