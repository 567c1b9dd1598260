// Splits delimited text (CSV, TSV, lines) into Arrow-layout columns: int64 offsets and the bytes between them.
//
// Input: a block of raw bytes that begins at the start of a row. Output: the wanted columns of every complete row in
// it, and how many bytes those rows took. The caller keeps the rest and puts more bytes behind it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "blocks.hpp"

namespace priori {

struct Dialect {
    char delimiter;  // '\n' means none: every line is one field
    int quote;       // -1 means none
};

// One column of byte strings, growing. Never longer than the block it is filled from, so its bytes are allocated once.
class Column {
  public:
    explicit Column(std::size_t capacity) : block_(BlockPool::shared().take(capacity)) {}
    Column(Column&&) = default;
    ~Column() {
        if (block_.bytes) BlockPool::shared().give_back(std::move(block_));
    }

    void append(const char* begin, const char* end) {
        const auto length = static_cast<std::size_t>(end - begin);
        if (length == 0) return;
        std::memcpy(block_.bytes.get() + size_, begin, length);
        size_ += length;
    }
    void end_value() { offsets_.push_back(static_cast<std::int64_t>(size_)); }
    void drop_open_value() { size_ = static_cast<std::size_t>(offsets_.back()); }

    std::size_t size() const { return size_; }
    char* bytes() const { return block_.bytes.get(); }
    const std::vector<std::int64_t>& offsets() const { return offsets_; }

  private:
    ByteBlock block_;
    std::size_t size_ = 0;
    std::vector<std::int64_t> offsets_{0};
};

// The first byte equal to a or b, or limit. Sixteen bytes at a time, or eight: x - 0x01.. & ~x & 0x80.. marks the zero
// bytes of x, and its lowest mark is always a true one.
inline const char* find_either(const char* from, const char* limit, char a, char b) {
#if defined(__SSE2__)
    const __m128i all_a = _mm_set1_epi8(a), all_b = _mm_set1_epi8(b);
    for (; limit - from >= 16; from += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        const __m128i equal = _mm_or_si128(_mm_cmpeq_epi8(bytes, all_a), _mm_cmpeq_epi8(bytes, all_b));
        const auto marks = static_cast<unsigned>(_mm_movemask_epi8(equal));
        if (marks != 0) return from + std::countr_zero(marks);
    }
#endif
    if constexpr (std::endian::native == std::endian::little) {
        constexpr std::uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
        const std::uint64_t pattern_a = ones * static_cast<unsigned char>(a);
        const std::uint64_t pattern_b = ones * static_cast<unsigned char>(b);
        for (; limit - from >= 8; from += 8) {
            std::uint64_t word;
            std::memcpy(&word, from, 8);
            const std::uint64_t x = word ^ pattern_a, y = word ^ pattern_b;
            const std::uint64_t marks = (((x - ones) & ~x) | ((y - ones) & ~y)) & highs;
            if (marks != 0) return from + std::countr_zero(marks) / 8;
        }
    }
    while (from != limit && *from != a && *from != b) ++from;
    return from;
}

enum class FieldEnd { delimiter, newline, incomplete, unterminated };

// Walks over the fields of a block. The end of the last block ends a row as a newline does.
class FieldScanner {
  public:
    FieldScanner(const char* begin, const char* end, bool last_block, Dialect dialect)
        : cursor_(begin), limit_(end), last_block_(last_block), dialect_(dialect) {}

    const char* cursor() const { return cursor_; }
    bool at_end() const { return cursor_ == limit_; }
    void rewind(const char* to) { cursor_ = to; }
    std::int64_t take_quoted_newlines() { return std::exchange(quoted_newlines_, 0); }

    bool skip_blank_line() {
        const char* next = cursor_;
        if (*next == '\r') ++next;
        if (next == limit_ && !last_block_) return false;
        if (next != limit_ && *next != '\n') return false;
        cursor_ = next == limit_ ? next : next + 1;
        return true;
    }

    // Reads one field into sink (nullptr: skip it).
    FieldEnd next(Column* sink) {
        // A quote is special only as the first byte of a field (RFC 4180; stray quotes elsewhere are text).
        if (dialect_.quote >= 0 && cursor_ != limit_ && *cursor_ == static_cast<char>(dialect_.quote)) {
            return quoted(sink);
        }
        return plain(sink);
    }

  private:
    FieldEnd plain(Column* sink) {
        const char* end = find_either(cursor_, limit_, dialect_.delimiter, '\n');
        if (end == limit_ && !last_block_) return FieldEnd::incomplete;
        const bool row_ends = end == limit_ || *end == '\n';
        const char* content_end = row_ends && end != cursor_ && end[-1] == '\r' ? end - 1 : end;
        if (sink != nullptr) sink->append(cursor_, content_end);
        cursor_ = end == limit_ ? end : end + 1;
        return row_ends ? FieldEnd::newline : FieldEnd::delimiter;
    }

    FieldEnd quoted(Column* sink) {
        const char* from = cursor_ + 1;
        for (;;) {
            const void* found = std::memchr(from, dialect_.quote, static_cast<std::size_t>(limit_ - from));
            if (found == nullptr) return last_block_ ? FieldEnd::unterminated : FieldEnd::incomplete;
            const char* close = static_cast<const char*>(found);
            if (close + 1 == limit_ && !last_block_) return FieldEnd::incomplete;  // it may be the first of two
            quoted_newlines_ += std::count(from, close, '\n');
            const bool doubled = close + 1 != limit_ && close[1] == static_cast<char>(dialect_.quote);
            if (sink != nullptr) sink->append(from, doubled ? close + 1 : close);
            if (!doubled) {
                cursor_ = close + 1;
                return plain(sink);  // whatever follows the closing quote is text, as Python's csv module has it
            }
            from = close + 2;
        }
    }

    const char* cursor_;
    const char* limit_;
    bool last_block_;
    Dialect dialect_;
    std::int64_t quoted_newlines_ = 0;
};

enum class Problem { none, ragged, unterminated };

struct Split {
    Split() = default;
    Split(Split&&) = default;
    Split(const Split&) = delete;  // its columns own their bytes

    std::size_t consumed = 0;  // bytes of the block in complete rows
    std::int64_t rows = 0;
    std::int64_t lines = 0;  // physical lines before the end, or before the row with the problem
    Problem problem = Problem::none;
    std::int64_t found = 0;  // fields in the ragged row
    std::vector<Column> columns;
};

// Splits the complete rows of a block into the wanted columns (indices, ascending or not, each at most once).
inline Split split_rows(const char* begin, const char* end, bool last_block, Dialect dialect, std::size_t width,
                        const std::vector<std::size_t>& wanted) {
    Split result;
    const auto capacity = static_cast<std::size_t>(end - begin);
    for (std::size_t i = 0; i < wanted.size(); ++i) result.columns.emplace_back(capacity);
    std::vector<Column*> sinks(width, nullptr);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] >= width) throw std::invalid_argument("a wanted column lies beyond the width of the table");
        sinks[wanted[i]] = &result.columns[i];
    }
    FieldScanner scanner(begin, end, last_block, dialect);
    while (!scanner.at_end()) {
        const char* row = scanner.cursor();
        if (scanner.skip_blank_line()) {
            ++result.lines;
            continue;
        }
        std::size_t fields = 0;
        FieldEnd ended;
        do {
            ended = scanner.next(fields < width ? sinks[fields] : nullptr);
            ++fields;
        } while (ended == FieldEnd::delimiter);
        const bool whole = ended == FieldEnd::newline;
        if (!whole || fields != width) {
            for (Column& column : result.columns) column.drop_open_value();
            scanner.rewind(row);
            if (ended == FieldEnd::unterminated) result.problem = Problem::unterminated;
            if (whole) result.problem = Problem::ragged;
            result.found = static_cast<std::int64_t>(fields);
            break;
        }
        for (Column& column : result.columns) column.end_value();
        ++result.rows;
        result.lines += 1 + scanner.take_quoted_newlines();
    }
    result.consumed = static_cast<std::size_t>(scanner.cursor() - begin);
    return result;
}

// Reads only the first row of a block, one value per field; no value if the row is not complete.
inline Split split_first_row(const char* begin, const char* end, bool last_block, Dialect dialect) {
    Split result;
    Column& fields = result.columns.emplace_back(static_cast<std::size_t>(end - begin));
    FieldScanner scanner(begin, end, last_block, dialect);
    while (!scanner.at_end() && scanner.skip_blank_line()) ++result.lines;
    if (scanner.at_end()) return result;
    FieldEnd ended;
    do {
        ended = scanner.next(&fields);
        fields.end_value();
        ++result.found;
    } while (ended == FieldEnd::delimiter);
    if (ended == FieldEnd::unterminated) result.problem = Problem::unterminated;
    if (ended != FieldEnd::newline) return result;
    result.rows = 1;
    result.lines += 1 + scanner.take_quoted_newlines();
    result.consumed = static_cast<std::size_t>(scanner.cursor() - begin);
    return result;
}

}  // namespace priori
