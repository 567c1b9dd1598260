// Collapsed Gibbs sampling of the hidden classes of documents, over whole counts (lecture 001).
//
// A sweep weighs, for each document without a label, every class c by
//
//     (D_c + a_c) x [ product over its words j, m = 0 .. n_j - 1 of (N_cj + alpha_cj + m)
//                     / product over t = 0 .. n - 1 of (N_c + alpha_c0 + t) ] ^ power,
//
// its exact predictive by all other documents (a word that comes twice has updated the urn), draws one and moves the
// document there. The slide's product form leaves m and t at 0.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pages.hpp"
#include "rising.hpp"
#include "urn.hpp"

namespace priori {

struct EncodedRows {
    const int64_t* offsets;  // (rows + 1,) into term and count
    const int32_t* term;
    const int32_t* count;
    size_t rows, terms;
};

struct HiddenPrior {
    double alpha;              // imagined counts of every pair of class and term
    const int32_t* component;  // of the pairs that have more
    const int32_t* term;
    const double* more;
    size_t pairs;
    const double* documents;  // imagined documents of each class
    size_t classes;
};

class GibbsChain {
  public:
    // Labels of all documents: those of fixed ones stay; -1 for a document that is not in the counts yet.
    GibbsChain(const EncodedRows& rows, const HiddenPrior& prior, const int32_t* labels, const uint8_t* fixed)
        : rows_(rows),
          classes_(prior.classes),
          kernel_(urn_kernel(prior.classes)),
          stride_((prior.classes + kernel_.lanes - 1) / kernel_.lanes * kernel_.lanes),
          alpha_(prior.alpha),
          imagined_(prior.documents, prior.documents + prior.classes),
          labels_(labels, labels + rows.rows),
          fixed_(fixed, fixed + rows.rows),
          documents_(prior.classes),
          total_(stride_),
          imagined_words_(stride_, prior.alpha * static_cast<double>(rows.terms)),
          words_(stride_),
          mantissa_(stride_),
          exponent_(stride_),
          weight_(prior.classes),
          own_(rows.terms, stride_),
          rising_(prior.alpha) {
        seed(prior, checked_occurrences());
        table_.assign(rows.terms * stride_, 0);
        for (size_t i = 0; i < rows.rows; ++i) {
            if (labels_[i] >= 0) move(i, labels_[i], 1);
        }
    }

    // One uniform number in [0, 1) per document. conditionals (rows, classes), unless null, is given p(class | all
    // other labels, data) of each document as it was drawn from; fixed documents are left alone there.
    void sweep(const double* uniforms, bool exact, double power, double* conditionals) {
        for (size_t i = 0; i < rows_.rows; ++i) {
            if (fixed_[i]) continue;
            const double sum = weigh(i, exact, power);
            const int32_t cls = drawn(uniforms[i] * sum);
            if (conditionals != nullptr) {
                for (size_t c = 0; c < classes_; ++c) conditionals[i * classes_ + c] = weight_[c] / sum;
            }
            if (cls == labels_[i]) continue;
            if (labels_[i] >= 0) move(i, labels_[i], -1);
            move(i, cls, 1);
            labels_[i] = cls;
        }
    }

    // log p(labels): the Polya urn of the classes. Documents that are not in the counts are left out.
    double log_prior() const {
        double sum = 0, imagined = 0, seen = 0;
        for (size_t c = 0; c < classes_; ++c) {
            sum += log_rising(imagined_[c], static_cast<double>(documents_[c]));
            imagined += imagined_[c];
            seen += static_cast<double>(documents_[c]);
        }
        return sum - log_rising(imagined, seen);
    }

    // log p(words | labels), on word sequences.
    double log_likelihood() {
        Compensated sum;
        for (size_t j = 0; j < rows_.terms; ++j) {
            const int32_t* row = table_.data() + j * stride_;
            const auto term = static_cast<int32_t>(j);
            const double* alpha = own_.has(term) ? own_.of(term) : nullptr;
            double here = 0;
            for (size_t c = 0; c < classes_; ++c) {
                if (row[c] == 0) continue;
                here += alpha == nullptr ? rising_(row[c]) : log_rising(alpha[c], row[c]);
            }
            sum.add(here);
        }
        for (size_t c = 0; c < classes_; ++c) sum.add(-log_rising(imagined_words_[c], static_cast<double>(total_[c])));
        return sum.value();
    }

    const std::vector<int32_t>& labels() const { return labels_; }
    const std::vector<int64_t>& documents() const { return documents_; }
    size_t classes() const { return classes_; }
    size_t rows() const { return rows_.rows; }
    size_t terms() const { return rows_.terms; }

    // (terms, classes)
    void copy_counts(int32_t* out) const {
        for (size_t j = 0; j < rows_.terms; ++j) {
            std::copy_n(table_.data() + j * stride_, classes_, out + j * classes_);
        }
    }

  private:
    EncodedRows rows_;
    size_t classes_;
    UrnKernel kernel_;
    size_t stride_;
    double alpha_;
    std::vector<double> imagined_;
    std::vector<int32_t> labels_;
    std::vector<uint8_t> fixed_;
    std::vector<int64_t> documents_, total_;  // by class: documents, and words
    std::vector<double> imagined_words_;      // alpha_c0
    std::vector<double> words_;               // both together
    std::vector<double> mantissa_;
    std::vector<int64_t> exponent_;
    std::vector<double> weight_;
    OwnPriors own_;
    RisingTable rising_;
    LargeVector<int32_t> table_;  // (terms, stride)
    int burst_ = 1;               // factors that cannot overflow or underflow together

    // How many words there are, when all arrays have been looked through.
    int64_t checked_occurrences() const {
        if (rows_.offsets[0] != 0) throw std::invalid_argument("offsets must begin with 0");
        int64_t occurrences = 0;
        for (size_t i = 0; i < rows_.rows; ++i) {
            if (rows_.offsets[i + 1] < rows_.offsets[i]) throw std::invalid_argument("offsets must not fall");
            if (labels_[i] < -1 || labels_[i] >= static_cast<int64_t>(classes_) || (fixed_[i] && labels_[i] < 0)) {
                throw std::invalid_argument("a label is out of range");
            }
        }
        for (int64_t e = 0; e < rows_.offsets[rows_.rows]; ++e) {
            if (rows_.term[e] < 0 || rows_.term[e] >= static_cast<int64_t>(rows_.terms)) {
                throw std::invalid_argument("a term is out of range");
            }
            if (rows_.count[e] < 1) throw std::invalid_argument("a count is below 1");
            occurrences += rows_.count[e];
        }
        if (occurrences > std::numeric_limits<int32_t>::max()) {
            throw std::invalid_argument("more than 2^31 - 1 words at once");
        }
        if (!(alpha_ > 0)) throw std::invalid_argument("alpha must be above 0");
        for (const double a : imagined_) {
            if (!(a > 0)) throw std::invalid_argument("every class needs imagined documents above 0");
        }
        return occurrences;
    }

    // Priors of some terms' own, and how many factors can be multiplied before their exponents are put aside.
    void seed(const HiddenPrior& prior, int64_t occurrences) {
        std::vector<int32_t> terms(prior.term, prior.term + prior.pairs);
        std::sort(terms.begin(), terms.end());
        terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
        for (size_t p = 0; p < prior.pairs; ++p) {
            const auto j = static_cast<int64_t>(prior.term[p]), c = static_cast<int64_t>(prior.component[p]);
            if (j < 0 || j >= static_cast<int64_t>(rows_.terms) || c < 0 || c >= static_cast<int64_t>(classes_)) {
                throw std::invalid_argument("a prior's pair is out of range");
            }
        }
        own_.set(std::move(terms), alpha_);
        for (size_t p = 0; p < prior.pairs; ++p) {
            const auto c = static_cast<size_t>(prior.component[p]);
            own_.at(prior.term[p], c) += prior.more[p];
            imagined_words_[c] += prior.more[p];
        }
        const double low = own_.least(alpha_);
        double high = 0;
        for (const double a : imagined_words_) high = std::max(high, a);
        if (!(low > 0) || !std::isfinite(high)) throw std::invalid_argument("every prior count must be above 0");
        high += static_cast<double>(occurrences);
        const int bits = std::max({1 - std::ilogb(low), 1 + std::ilogb(high), 1});
        if (bits > 1020) throw std::invalid_argument("a prior count is too small or too large");
        burst_ = 1020 / bits;
    }

    // Adds a document to a class, or takes it out (sign -1).
    void move(size_t i, int32_t cls, int32_t sign) {
        const int64_t first = rows_.offsets[i], last = rows_.offsets[i + 1];
        int32_t* column = table_.data() + cls;
        int64_t length = 0;
        for (int64_t e = first; e < last; ++e) {
            column[static_cast<size_t>(rows_.term[e]) * stride_] += sign * rows_.count[e];
            length += rows_.count[e];
        }
        total_[static_cast<size_t>(cls)] += sign * length;
        documents_[static_cast<size_t>(cls)] += sign;
    }

    // The weight of every class for a document as if it were not in the counts; their sum.
    double weigh(size_t i, bool exact, double power) {
        const auto first = static_cast<size_t>(rows_.offsets[i]), last = static_cast<size_t>(rows_.offsets[i + 1]);
        const auto holder = static_cast<size_t>(labels_[i]);
        for (size_t c = 0; c < stride_; ++c) words_[c] = static_cast<double>(total_[c]) + imagined_words_[c];
        if (labels_[i] >= 0) {
            const int64_t length = std::accumulate(rows_.count + first, rows_.count + last, int64_t{0});
            words_[holder] = static_cast<double>(total_[holder] - length) + imagined_words_[holder];
        }
        const size_t ahead = std::min(last - first, static_cast<size_t>(rows_.offsets[rows_.rows]) - last);
        kernel_.predictive({rows_.term + first, rows_.count + first, last - first, ahead, labels_[i], table_.data(),
                            stride_, alpha_, &own_, words_.data(), exact, burst_, mantissa_.data(), exponent_.data()});
        const int64_t top = *std::max_element(exponent_.begin(), exponent_.begin() + static_cast<int64_t>(classes_));
        double sum = 0;
        for (size_t c = 0; c < classes_; ++c) {
            const auto below = static_cast<double>(exponent_[c] - top);
            const double likelihood =
                power == 1 ? std::ldexp(mantissa_[c], static_cast<int>(std::max(below, -2000.0)))
                           : std::exp(power * (below * 0.693147180559945309417232 + std::log(mantissa_[c])));
            const auto others = static_cast<double>(documents_[c] - (labels_[i] == static_cast<int32_t>(c) ? 1 : 0));
            weight_[c] = (others + imagined_[c]) * likelihood;
            sum += weight_[c];
        }
        return sum;
    }

    // The class where the running sum of the weights passes the threshold.
    int32_t drawn(double threshold) const {
        double sum = 0;
        size_t last = 0;
        for (size_t c = 0; c < classes_; ++c) {
            sum += weight_[c];
            if (sum > threshold) return static_cast<int32_t>(c);
            if (weight_[c] > 0) last = c;
        }
        return static_cast<int32_t>(last);  // subtle: the threshold may round up to the whole sum
    }
};

}  // namespace priori
