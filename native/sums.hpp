// The weights of a document's terms, added up by class.
//
// Terms with weights in half of the classes or more are dense: their rows go to two sums in turns, so that one addition
// need not wait for the one before it. The weights of the others go to a third sum. Which term is added to which does
// not depend on how it was looked up, so that a score is the same number whichever way was taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priori {

class Sums {
  public:
    Sums(std::vector<double>& room, size_t classes) : stride_(stride_of(classes)) {
        room.assign(3 * stride_, 0.0);
        first_ = room.data();
        second_ = first_ + stride_;
        sparse_ = second_ + stride_;
    }

    // The length of a dense row: the classes, rounded up so that rows add in whole vectors.
    static constexpr size_t stride_of(size_t classes) { return (classes + 3) / 4 * 4; }
    static constexpr bool is_dense(size_t pairs, size_t classes) { return 2 * pairs >= classes; }

    // Dense rows of stride_of(classes) numbers.
    void add_rows(const double* const* rows, size_t count) {
        if (odd_ && count > 0) {
            add_row(*rows++);
            --count;
        }
        const size_t even = count - count % 2;
        if (stride_ == 4) {
            add_in_registers<4>(rows, even);
        } else if (stride_ == 8) {
            add_in_registers<8>(rows, even);
        } else if (stride_ == 12) {
            add_in_registers<12>(rows, even);
        } else if (stride_ == 16) {
            add_in_registers<16>(rows, even);
        } else {
            for (size_t i = 0; i < even; ++i) add_row(rows[i]);
        }
        if (even != count) add_row(rows[even]);
    }

    void add_sparse(int32_t cls, double weight) { sparse_[cls] += weight; }

    // One term by its weights, dense or not.
    void add_term(const int32_t* classes, const double* weights, size_t count, bool dense) {
        double* sum = !dense ? sparse_ : odd_ ? second_ : first_;
        for (size_t i = 0; i < count; ++i) sum[classes[i]] += weights[i];
        odd_ ^= dense;
    }

    double total(size_t cls) const { return (first_[cls] + second_[cls]) + sparse_[cls]; }

  private:
    size_t stride_;
    double *first_, *second_, *sparse_;
    bool odd_ = false;  // the next dense row goes to second_

    void add_row(const double* row) {
        double* sum = odd_ ? second_ : first_;
        for (size_t c = 0; c < stride_; ++c) sum[c] += row[c];
        odd_ = !odd_;
    }

    // An even number of rows of a known length, the first of them for first_.
    template <size_t kStride>
    void add_in_registers(const double* const* rows, size_t count) {
        double first[kStride], second[kStride];
        for (size_t c = 0; c < kStride; ++c) first[c] = first_[c], second[c] = second_[c];
        for (size_t i = 0; i < count; i += 2) {
            for (size_t c = 0; c < kStride; ++c) first[c] += rows[i][c];
            for (size_t c = 0; c < kStride; ++c) second[c] += rows[i + 1][c];
        }
        for (size_t c = 0; c < kStride; ++c) first_[c] = first[c], second_[c] = second[c];
    }
};

}  // namespace priori
