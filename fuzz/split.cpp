// Fuzzes the splitter of delimited text: any bytes, any dialect, any cutting into blocks.
//
// Held against a splitter that goes byte by byte over the whole text; every block is exactly its own heap block.
#include "delimited.hpp"
#include "driver.hpp"
#include "nasty.hpp"

using namespace fuzz;
using priori::Dialect;
using priori::Problem;
using priori::Split;

namespace {

using Row = std::vector<std::string>;

struct Table {
    std::vector<Row> rows;
    Problem problem = Problem::none;
    int64_t lines = 0;
    bool operator==(const Table&) const = default;
};

// The definition, one byte after the other.
class Naive {
  public:
    Naive(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}

    Table split(size_t width) {
        Table table;
        while (at_ < text_.size()) {
            if (blank_line()) {
                ++table.lines;
                continue;
            }
            const size_t start = at_;
            Row row;
            if (!read_row(row)) {
                table.problem = Problem::unterminated;
                break;
            }
            if (row.size() != width) {
                table.problem = Problem::ragged;
                break;
            }
            table.rows.push_back(row);
            const std::string_view raw = text_.substr(start, at_ - start);
            table.lines += std::count(raw.begin(), raw.end(), '\n') + (raw.back() != '\n' || ended_in_quotes_);
        }
        return table;
    }

    bool read_row(Row& row) {
        for (bool more = true; more;) {
            row.emplace_back();
            if (!quoted(row.back())) return false;
            more = plain(row.back());
        }
        return true;
    }

    bool blank_line() {
        const std::string_view rest = text_.substr(at_);
        const size_t size = rest.starts_with("\r\n") ? 2 : rest.starts_with("\n") || rest == "\r" ? 1 : 0;
        at_ += size;
        return size > 0;
    }

  private:
    std::string_view text_;
    Dialect dialect_;
    size_t at_ = 0;
    bool ended_in_quotes_ = false;  // the text ends in a quoted newline: the row's own line is still to be counted

    bool is_quote(size_t i) const {
        return i < text_.size() && dialect_.quote >= 0 && text_[i] == static_cast<char>(dialect_.quote);
    }

    // The part in quotes, if there is one. False when it never ends.
    bool quoted(std::string& field) {
        ended_in_quotes_ = false;
        if (!is_quote(at_)) return true;
        for (++at_; at_ < text_.size(); ++at_) {
            if (is_quote(at_)) {
                ended_in_quotes_ = ++at_ == text_.size();
                if (!is_quote(at_)) return true;
            }
            field += text_[at_];
        }
        return false;
    }

    // The rest of the field. True when another follows.
    bool plain(std::string& field) {
        std::string rest;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '\n' || c == dialect_.delimiter) {
                ++at_;
                if (c == '\n') break;
                field += rest;
                return true;
            }
            rest += c;
        }
        if (rest.ends_with('\r')) rest.pop_back();
        field += rest;
        return false;
    }
};

void append_rows(Split& split, Table& table) {
    for (auto& column : split.columns) {
        check(static_cast<int64_t>(column.offsets().size()) == split.rows + 1, "a column has not one value per row");
        check(column.offsets().back() == static_cast<int64_t>(column.size()), "bytes behind the last value");
    }
    for (int64_t i = 0; i < split.rows; ++i) {
        Row row;
        for (auto& column : split.columns) {
            const auto begin = column.offsets()[static_cast<size_t>(i)];
            row.emplace_back(column.bytes() + begin, column.bytes() + column.offsets()[static_cast<size_t>(i) + 1]);
        }
        table.rows.push_back(row);
    }
    table.lines += split.lines;
    table.problem = split.problem;
}

// As the reader does: what a block leaves is put before the next one.
Table split_in_blocks(std::string_view text, Dialect dialect, size_t width, const std::vector<size_t>& wanted,
                      size_t largest, Random& random) {
    Table table;
    std::string rest;
    while (table.problem == Problem::none) {
        const size_t size = std::min(text.size(), random.below(largest) + 1);
        rest += text.substr(0, size);
        text.remove_prefix(size);
        const bool last = text.empty();
        const Exact block(rest);
        const char* begin = block.view().data();
        Split split = priori::split_rows(begin, begin + rest.size(), last, dialect, width, wanted);
        check(split.consumed <= rest.size(), "more was consumed than there was");
        rest.erase(0, split.consumed);
        append_rows(split, table);
        if (last) break;
    }
    check(table.problem != Problem::none || rest.empty(), "rows were left over");
    return table;
}

Table with_columns(Table table, const std::vector<size_t>& wanted) {
    for (Row& row : table.rows) {
        Row kept;
        for (const size_t column : wanted) kept.push_back(row[column]);
        row = kept;
    }
    return table;
}

Row first_row(std::string_view text, Dialect dialect) {
    const Exact block(text);
    const char* begin = block.view().data();
    Split split = priori::split_first_row(begin, begin + text.size(), true, dialect);
    Naive naive(text, dialect);
    while (naive.blank_line()) {
    }
    Row expected;
    if (split.rows == 0) return {};
    check(naive.read_row(expected), "a first row was found that does not end");
    auto& column = split.columns[0];
    Row row;
    for (size_t i = 0; i + 1 < column.offsets().size(); ++i)
        row.emplace_back(column.bytes() + column.offsets()[i], column.bytes() + column.offsets()[i + 1]);
    check(row == expected, "the first row differs");
    return row;
}

Dialect random_dialect(Random& random) {
    const char delimiters[] = {',', '\t', ';', '|', ' ', '\n', 'a', '\r'};
    const int quotes[] = {'"', '"', '\'', -1, 'b'};
    return {random.pick(delimiters), random.pick(quotes)};
}

void target(const Bytes& input, Random& random) {
    const std::string_view text = view(input);
    const Dialect dialect = random_dialect(random);
    const Row header = first_row(text, dialect);
    const size_t width = random.one_in(4) || header.empty() ? random.below(5) + 1 : header.size();
    std::vector<size_t> wanted;
    for (size_t column = 0; column < width; ++column) {
        if (random.one_in(2))
            wanted.insert(wanted.begin() + static_cast<int64_t>(random.below(wanted.size() + 1)), column);
    }
    const Table expected = with_columns(Naive(text, dialect).split(width), wanted);
    for (const size_t largest : {text.size() + 1, size_t{1}, size_t{7}, size_t{64}}) {
        if (largest == 1 && text.size() > 600) continue;  // quadratic
        check(split_in_blocks(text, dialect, width, wanted, largest, random) == expected, "the rows differ");
    }
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, nasty_tables(), target); }
