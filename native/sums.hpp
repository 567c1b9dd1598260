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
        switch (stride_) {  // rows of a known length are added up in registers
            case 4:
                add_pairs_of_rows<4>(rows, count / 2);
                break;
            case 8:
                add_pairs_of_rows<8>(rows, count / 2);
                break;
            case 12:
                add_pairs_of_rows<12>(rows, count / 2);
                break;
            case 16:
                add_pairs_of_rows<16>(rows, count / 2);
                break;
            default:
                add_pairs_of_rows<0>(rows, count / 2);
        }
        if (count % 2 != 0) add_row(rows[count - 1]);
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

    template <size_t kStride>
    void add_pairs_of_rows(const double* const* rows, size_t pairs) {
        if constexpr (kStride == 0) {
            for (size_t i = 0; i < 2 * pairs; ++i) add_row(rows[i]);
        } else {
            double first[kStride], second[kStride];
            for (size_t c = 0; c < kStride; ++c) first[c] = first_[c], second[c] = second_[c];
            for (size_t i = 0; i < pairs; ++i) {
                const double* row = rows[2 * i];
                const double* next = rows[2 * i + 1];
                for (size_t c = 0; c < kStride; ++c) first[c] += row[c];
                for (size_t c = 0; c < kStride; ++c) second[c] += next[c];
            }
            for (size_t c = 0; c < kStride; ++c) first_[c] = first[c], second_[c] = second[c];
        }
    }
};

}  // namespace priori
