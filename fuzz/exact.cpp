// Fuzzes sums and counts by class: any doubles, groups and weights.
//
// Held against integers of 5120 bits that add one shifted product after the other; columns are exactly their own heap
// blocks.
#include <array>
#include <map>

#include "driver.hpp"
#include "grouped.hpp"

using namespace fuzz;

namespace {

// An integer of fixed width in two's complement, the lowest bit first.
class Naive {
  public:
    // Plus or minus value 2^place: a value that is taken away is complemented, and 1 added.
    void add(bool negative, std::vector<uint32_t> value, int32_t place) {
        const size_t word = static_cast<size_t>(place) / 32, shift = static_cast<size_t>(place) % 32;
        uint64_t carry = negative;
        value.push_back(0);
        for (size_t i = word; i < words_.size(); ++i) {
            const size_t at = i - word;
            const uint64_t high = at < value.size() ? value[at] : 0, low = at && at <= value.size() ? value[at - 1] : 0;
            const auto piece = static_cast<uint32_t>((high << 32 | low) << shift >> 32);
            carry += uint64_t{words_[i]} + (negative ? ~piece : piece);
            words_[i] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
    }

    uint32_t word(size_t i) const { return words_[i]; }

  private:
    std::array<uint32_t, 160> words_{};
};

std::vector<uint32_t> times(const std::vector<uint32_t>& a, uint64_t b) {
    std::vector<uint32_t> product(a.size() + 2);
    for (size_t part = 0; part < 2; ++part) {
        const uint64_t factor = part ? b >> 32 : b & 0xffffffff;
        uint64_t carry = 0;
        for (size_t i = 0; i + part < product.size(); ++i) {
            carry += (i < a.size() ? a[i] * factor : 0);
            const uint64_t sum = uint64_t{product[i + part]} + (carry & 0xffffffff);
            product[i + part] = static_cast<uint32_t>(sum);
            carry = (carry >> 32) + (sum >> 32);
        }
    }
    return product;
}

struct Number {
    bool negative;
    uint64_t mantissa;
    int32_t place;
};

// By the library, not by bits: x = mantissa 2^(place - 1074).
Number taken_apart(double x) {
    if (x == 0) return {false, 0, 0};
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);
    const int bits = std::min(53, exponent + 1074);
    return {x < 0, static_cast<uint64_t>(std::ldexp(fraction, bits)), exponent - bits + 1074};
}

struct Data {
    std::vector<std::vector<double>> columns;
    std::vector<int32_t> group;
    std::vector<int64_t> weight;  // empty: 1 each
    size_t groups;

    priori::Grouped rows() const {
        return {group.data(), weight.empty() ? nullptr : weight.data(), group.size(), groups};
    }
    int64_t weight_of(size_t i) const { return weight.empty() ? 1 : weight[i]; }
};

double number_of(const Bytes& input, size_t& at, Random& random) {
    static const double nasty[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   5e-324,
                                   -5e-324,
                                   2.2250738585072014e-308,
                                   1.7976931348623157e308,
                                   -1.7976931348623157e308,
                                   9007199254740991.0,
                                   NAN};
    if (random.one_in(3)) return random.pick(nasty);
    uint64_t bits = random.next();
    for (size_t i = 0; i < 8 && at < input.size(); ++i, ++at) bits = bits << 8 | input[at];
    const double x = std::bit_cast<double>(bits);
    return std::isinf(x) ? 1.0 : x;
}

Data data_of(const Bytes& input, Random& random) {
    const size_t dimensions[] = {1, 1, 2, 5};
    const size_t d = random.pick(dimensions), rows = random.below(40);
    Data data{{}, {}, {}, random.below(4)};
    size_t at = 0;
    for (size_t j = 0; j < d; ++j) {
        const double fixed = number_of(input, at, random);
        const bool alike = random.one_in(4);  // one number, with alternating sign
        std::vector<double> column;
        for (size_t i = 0; i < rows; ++i)
            column.push_back(alike ? (i % 2 ? -fixed : fixed) : number_of(input, at, random));
        data.columns.push_back(column);
    }
    for (size_t i = 0; i < rows; ++i) data.group.push_back(static_cast<int32_t>(random.below(data.groups + 1)) - 1);
    if (random.one_in(2)) return data;
    for (size_t i = 0; i < rows; ++i) {
        const int64_t any = static_cast<int64_t>(random.next() >> 13);  // below 2^51, as weights are
        const int64_t choices[] = {0, 1, int64_t{1} << 20, int64_t{1} << 51, any};
        data.weight.push_back(random.pick(choices));
    }
    return data;
}

void same_digits(const priori::Digits& found, size_t sum, const Naive& expected, size_t size) {
    const auto origin = static_cast<size_t>(found.origin) / 32;
    const int64_t* words = found.words.data() + sum * found.width;
    check(words[found.width - 1] >= INT32_MIN && words[found.width - 1] <= INT32_MAX, "the last digit overflows");
    const uint32_t sign = words[found.width - 1] < 0 ? 0xffffffff : 0;
    for (size_t i = 0; i < size; ++i) {
        uint32_t word = sign;
        if (i < origin)
            word = 0;
        else if (i < origin + found.width)
            word = static_cast<uint32_t>(words[i - origin]);
        check(word == expected.word(i), "a sum differs");
    }
}

void moments(const Data& data, bool products) {
    const size_t d = data.columns.size(), pairs = products ? d * (d + 1) / 2 : 0;
    std::vector<const double*> columns;
    for (const auto& column : data.columns) columns.push_back(column.data());
    const priori::Moments found = priori::MomentSums(columns, data.rows(), products).summed();
    std::vector<int64_t> weight(data.groups), missing(data.groups);
    std::vector<Naive> sums(data.groups * d), squares(data.groups * pairs);
    for (size_t i = 0; i < data.group.size(); ++i) {
        if (data.group[i] < 0) continue;
        const auto group = static_cast<size_t>(data.group[i]);
        const auto w = static_cast<uint64_t>(data.weight_of(i));
        std::vector<Number> row;
        for (const auto& column : data.columns) {
            if (!std::isnan(column[i])) row.push_back(taken_apart(column[i]));
        }
        if (row.size() < d) {
            missing[group] += static_cast<int64_t>(w);
            continue;
        }
        weight[group] += static_cast<int64_t>(w);
        for (size_t j = 0, pair = 0; j < d; ++j) {
            const auto once =
                times({static_cast<uint32_t>(row[j].mantissa), static_cast<uint32_t>(row[j].mantissa >> 32)}, w);
            sums[group * d + j].add(row[j].negative, once, row[j].place);
            for (size_t k = j; k < d && products; ++k, ++pair)
                squares[group * pairs + pair].add(row[j].negative != row[k].negative, times(once, row[k].mantissa),
                                                  row[j].place + row[k].place);
        }
    }
    check(found.weight == weight, "the weights differ");
    check(found.missing == missing, "what is missing differs");
    for (size_t sum = 0; sum < sums.size(); ++sum) same_digits(found.sums, sum, sums[sum], 160);
    for (size_t sum = 0; sum < squares.size(); ++sum) same_digits(found.products, sum, squares[sum], 160);
}

// The definition: sign, exponent and the first ten bits of the mantissa, in the order of the numbers.
int32_t bucket_of(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0);
    const auto size = static_cast<int32_t>((bits & ~(uint64_t{1} << 63)) >> 42);
    return bits >> 63 ? -size - 1 : size;
}

void buckets(const Data& data) {
    const auto& column = data.columns[0];
    const priori::BucketCounts found = priori::count_buckets(column.data(), data.rows());
    std::map<int32_t, std::vector<int64_t>> counts;
    std::vector<int64_t> missing(data.groups);
    for (size_t i = 0; i < column.size(); ++i) {
        if (data.group[i] < 0 || data.weight_of(i) == 0) continue;
        const auto group = static_cast<size_t>(data.group[i]);
        if (std::isnan(column[i])) {
            missing[group] += data.weight_of(i);
        } else {
            auto& row = counts[bucket_of(column[i])];
            row.resize(data.groups);
            row[group] += data.weight_of(i);
        }
    }
    check(found.missing == missing && found.bucket.size() == counts.size(), "the buckets differ");
    for (size_t at = 0; at < found.bucket.size(); ++at) {
        const auto from = found.counts.begin() + static_cast<int64_t>(at * data.groups);
        check(std::vector<int64_t>(from, from + static_cast<int64_t>(data.groups)) == counts[found.bucket[at]],
              "the counts of a bucket differ");
    }
}

void target(const Bytes& input, Random& random) {
    const Data data = data_of(input, random);
    moments(data, true);
    moments(data, false);
    buckets(data);
}

}  // namespace

int main(int argc, char** argv) {
    return run(argc, argv, {std::string(64, '\x3f'), std::string(64, '\0'), "\x7f\xef"}, target);
}
