// log p(x, y) of documents as if they had never been learned, under each event model.
//
// The multinomial with a prior everywhere is a sum over (term, class) pairs, as in scorer.hpp, with the touched pairs
// put right; the others look at each term in every class.
#pragma once

#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <thread>

#include "left_out.hpp"

namespace priori {

enum class Event { multinomial, urn, complement, bernoulli };
enum class ClassPriorKind { given, uniform, counted };

// Imagined counts, over the whole vocabulary.
struct Pseudo {
    double alpha;         // of terms without a prior of their own, and of the slot for unknown words
    bool with_unknown;    // whether there is such a slot
    bool once;            // features count once in a document, so those without a place are one together
    const double* total;  // by class, without that slot
    const double* pair;   // by pair of the rows' terms; null: alpha everywhere
    const double* term;   // by term of the rows
};

struct LeftClassPrior {
    ClassPriorKind kind;
    const double* log;  // by class, where it is given
    double pseudo;      // imagined documents of each class, where they are counted
};

// How many pairs of a class have so many documents and this prior, all terms together (for the Bernoulli's absences).
struct DocumentHistogram {
    const int64_t* offsets;  // by class
    const double* documents;
    const double* alpha;
    const double* times;
};

// Terms chosen anew without each block; null where all terms are read.
struct ChosenTerms {
    const uint8_t* out;    // by entry: its term is not chosen, so it is as one never seen
    const double* total;   // by block and class: occurrences of the chosen terms that are left
    const double* places;  // by block: how many are chosen
};

class LeftOutScorer {
  public:
    LeftOutScorer(const LeftOut& left, Event event, const Pseudo& pseudo, const LeftClassPrior& prior,
                  const DocumentHistogram& histogram, const ChosenTerms& chosen)
        : left_(left), event_(event), pseudo_(pseudo), prior_(prior), histogram_(histogram), chosen_(chosen) {
        if (event == Event::multinomial) weigh();
    }

    // joint (rows, classes), and the features of each row: all of them, and those that still have a place. Of the first
    // blocks only.
    void score(size_t blocks, double* joint, double* features, double* known, int threads) const {
        const size_t workers = std::max<size_t>(1, std::min<size_t>(static_cast<size_t>(std::max(1, threads)), blocks));
        std::vector<std::exception_ptr> failures(workers);
        const auto run = [&](size_t worker) {
            try {
                Workspace work(left_.classes);
                const size_t last = blocks * (worker + 1) / workers;
                for (size_t b = blocks * worker / workers; b < last; ++b) score_block(b, work, joint, features, known);
            } catch (...) {
                failures[worker] = std::current_exception();
            }
        };
        std::vector<std::thread> pool;
        for (size_t worker = 1; worker < workers; ++worker) pool.emplace_back(run, worker);
        run(0);
        for (std::thread& thread : pool) thread.join();
        for (const auto& failure : failures) {
            if (failure) std::rethrow_exception(failure);
        }
    }

  private:
    static constexpr double kNever = -std::numeric_limits<double>::infinity();
    static constexpr size_t kTable = 4096;

    struct Length {
        double known, unknown;
    };

    // A sum of logarithms, those of zeros counted apart so that they can be taken out again.
    struct LogSum {
        double sum = 0, zeros = 0;
        void add(double present, double absent, double times = 1) {  // log(present / (present + absent))
            if (present == 0) {
                zeros += times;
            } else {
                sum += times * log_share(present, absent);
            }
        }
        double value() const { return zeros > 0 ? kNever : sum; }
    };

    struct Workspace {
        explicit Workspace(size_t classes)
            : constant(classes),
              total(classes),
              log_total(classes),
              documents(classes),
              sums(classes),
              here(classes),
              here_documents(classes),
              alpha(classes),
              dead(classes),
              base(classes),
              row(classes) {}
        std::vector<double> constant, total, log_total, documents, sums, here, here_documents, alpha;
        std::vector<uint8_t> dead;
        std::vector<LogSum> base, row;
        std::map<std::pair<size_t, double>, LogSum> absences;
    };

    const LeftOut& left_;
    Event event_;
    Pseudo pseudo_;
    LeftClassPrior prior_;
    DocumentHistogram histogram_;
    ChosenTerms chosen_;
    std::vector<double> weight_, default_, log_of_;
    std::vector<size_t> place_;  // of a term's weights
    bool linear_ = false;

    bool is_out(size_t e) const { return left_.vanished[e] != 0 || (chosen_.out != nullptr && chosen_.out[e] != 0); }
    double at_pair(size_t p) const { return pseudo_.pair == nullptr ? pseudo_.alpha : pseudo_.pair[p]; }
    double at_term(size_t t) const { return pseudo_.term == nullptr ? pseudo_.alpha : pseudo_.term[t]; }

    // Words in few documents are many, and log1p keeps the digits of their sum.
    static double log_share(double present, double absent) {
        const double whole = present + absent, other = absent / whole;
        return other < 0.5 ? std::log1p(-other) : std::log(present) - std::log(whole);
    }

    // Logarithms by pair and by term, where no count is 0.
    void weigh() {
        const size_t terms = left_.term_ids.size();
        default_.resize(pseudo_.term == nullptr ? 1 : terms);
        linear_ = true;
        for (size_t t = 0; t < default_.size(); ++t) {
            linear_ = linear_ && at_term(t) > 0;
            default_[t] = std::log(at_term(t));
        }
        for (size_t p = 0; p < left_.pair_ids.size() && linear_; ++p) linear_ = at_pair(p) > 0;
        if (!linear_) return;
        if (pseudo_.pair == nullptr) {
            log_of_.resize(kTable);
            for (size_t k = 0; k < kTable; ++k) log_of_[k] = std::log(static_cast<double>(k) + pseudo_.alpha);
        }
        place_.resize(terms + 1);
        for (size_t t = 0; t < terms; ++t) place_[t + 1] = place_[t] + (is_dense(t) ? left_.classes : pairs_of(t));
        weight_.assign(place_[terms], 0.0);
        for (size_t t = 0; t < terms; ++t) {
            const auto begin = static_cast<size_t>(left_.pair_offsets[t]);
            for (size_t k = 0; k < pairs_of(t); ++k) {
                const double weight = log_count(left_.occurrences[begin + k], begin + k) - default_of(t);
                weight_[place_[t] + (is_dense(t) ? static_cast<size_t>(left_.pair_class[begin + k]) : k)] = weight;
            }
        }
    }

    size_t pairs_of(size_t t) const { return static_cast<size_t>(left_.pair_offsets[t + 1] - left_.pair_offsets[t]); }

    // Terms of half of the classes or more have a weight for each: those rows add in whole vectors.
    bool is_dense(size_t t) const { return 2 * pairs_of(t) >= left_.classes; }

    double default_of(size_t t) const { return default_[default_.size() == 1 ? 0 : t]; }

    // log(N + alpha) of a pair: whole small numbers come from a table.
    double log_count(double n, size_t p) const {
        if (!log_of_.empty() && n < static_cast<double>(kTable)) {
            const auto whole = static_cast<size_t>(n);
            if (static_cast<double>(whole) == n) return log_of_[whole];
        }
        return std::log(n + at_pair(p));
    }

    void score_block(size_t b, Workspace& work, double* joint, double* features, double* known) const {
        settle_classes(b, work);
        if (event_ == Event::bernoulli) settle_absences(b, work);
        for (auto row = static_cast<size_t>(left_.block_rows[b]); row < static_cast<size_t>(left_.block_rows[b + 1]);
             ++row) {
            double* scores = joint + row * left_.classes;
            const Length length = linear_ ? score_linear(row, work, scores) : score_each(row, work, scores);
            known[row] = length.known;
            features[row] = length.known + length.unknown;
            for (size_t c = 0; c < left_.classes; ++c) {
                if (work.dead[c] != 0) scores[c] = kNever;
            }
        }
    }

    // What is left of the classes without the block: documents, log p(y), and what the words are divided by.
    void settle_classes(size_t b, Workspace& work) const {
        const size_t classes = left_.classes;
        std::copy(left_.class_documents.begin(), left_.class_documents.end(), work.documents.begin());
        std::copy(left_.class_occurrences.begin(), left_.class_occurrences.end(), work.total.begin());
        std::fill(work.dead.begin(), work.dead.end(), 0);
        for (auto k = static_cast<size_t>(left_.block_taken[b]); k < static_cast<size_t>(left_.block_taken[b + 1]);
             ++k) {
            const auto& taken = left_.taken[k];
            const auto c = static_cast<size_t>(taken.cls);
            work.documents[c] -= taken.documents;
            work.total[c] -= taken.occurrences;
            // without its last document a class is unknown, as it would be had it never been learned
            if (work.documents[c] <= 0 && work.total[c] <= 0) work.dead[c] = 1;
        }
        settle_prior(work);
        if (event_ == Event::bernoulli) return;
        if (chosen_.out != nullptr) {
            std::copy(chosen_.total + b * classes, chosen_.total + (b + 1) * classes, work.total.begin());
        }
        double all = 0;
        for (size_t c = 0; c < classes; ++c) all += work.total[c];
        for (size_t c = 0; c < classes; ++c) {
            if (event_ == Event::complement) work.total[c] = all - work.total[c];
            work.total[c] += chosen_.out != nullptr ? chosen_.places[b] * pseudo_.alpha : pseudo_.total[c];
            work.total[c] += pseudo_.with_unknown ? pseudo_.alpha : 0.0;
        }
        if (chosen_.out == nullptr) take_gone(b, work.total);
        const int64_t gone = left_.block_gone[b + 1] - left_.block_gone[b];
        const bool some = chosen_.out != nullptr ? chosen_.places[b] > 0 : static_cast<int64_t>(left_.terms) > gone;
        const bool places = pseudo_.with_unknown || some;
        for (size_t c = 0; c < classes; ++c) {
            // its words' probabilities are 0/0; where no word has a place, none needs one
            if (work.total[c] <= 0 && places && event_ != Event::complement) work.dead[c] = 1;
            work.log_total[c] = std::log(work.total[c]);
        }
    }

    void settle_prior(Workspace& work) const {
        double living = 0, all = 0;
        for (size_t c = 0; c < left_.classes; ++c) {
            if (work.dead[c] != 0) continue;
            living += 1;
            all += work.documents[c] + prior_.pseudo;
        }
        for (size_t c = 0; c < left_.classes; ++c) {
            if (prior_.kind == ClassPriorKind::given) {
                work.constant[c] = prior_.log[c];
            } else if (prior_.kind == ClassPriorKind::uniform) {
                work.constant[c] = -std::log(living);
            } else {
                const double share = work.documents[c] + prior_.pseudo;
                if (share < 0 && work.dead[c] == 0) no_mode();
                work.constant[c] = share <= 0 ? kNever : std::log(share) - std::log(all);
            }
        }
    }

    // The imagined counts of terms that are no more.
    void take_gone(size_t b, std::vector<double>& total) const {
        const auto begin = static_cast<size_t>(left_.block_gone[b]), end = static_cast<size_t>(left_.block_gone[b + 1]);
        if (begin == end) return;
        if (pseudo_.term == nullptr && pseudo_.pair == nullptr) {
            const double gone = static_cast<double>(end - begin) * pseudo_.alpha;
            for (double& value : total) value -= gone;
            return;
        }
        for (size_t k = begin; k < end; ++k) {
            const auto t = static_cast<size_t>(left_.gone[k]);
            for (double& value : total) value -= at_term(t);
            for (auto p = static_cast<size_t>(left_.pair_offsets[t]);
                 p < static_cast<size_t>(left_.pair_offsets[t + 1]); ++p) {
                total[static_cast<size_t>(left_.pair_class[p])] -= at_pair(p) - at_term(t);
            }
        }
    }

    // How many of a row's features without a place count in the slot for them.
    double in_slot(double unknown) const {
        if (!pseudo_.with_unknown) return 0;
        return pseudo_.once || event_ == Event::bernoulli ? std::min(unknown, 1.0) : unknown;
    }

    Length score_linear(size_t row, Workspace& work, double* scores) const {
        const size_t classes = left_.classes;
        std::fill(work.sums.begin(), work.sums.end(), 0.0);
        double* sums = work.sums.data();
        double common = 0, known = 0, unknown = static_cast<double>(left_.unknown[row]);
        for (auto e = static_cast<size_t>(left_.offsets[row]); e < static_cast<size_t>(left_.offsets[row + 1]); ++e) {
            const double n = left_.count[e];
            if (is_out(e)) {
                unknown += n;
                continue;
            }
            const auto t = static_cast<size_t>(left_.term[e]);
            known += n;
            common += n * default_of(t);
            const double* weight = weight_.data() + place_[t];
            if (is_dense(t)) {
                for (size_t c = 0; c < classes; ++c) sums[c] += n * weight[c];
            } else {
                const int32_t* cls = left_.pair_class.data() + left_.pair_offsets[t];
                const size_t pairs = pairs_of(t);
                for (size_t k = 0; k < pairs; ++k) sums[cls[k]] += n * weight[k];
            }
            const LeftOut::Touch* touch = left_.touches.data() + left_.touch_begin[e];
            for (int32_t k = 0; k < left_.touch_count[e]; ++k) {
                const auto p = static_cast<size_t>(touch[k].pair);
                const double change = log_count(touch[k].occurrences, p) - log_count(left_.occurrences[p], p);
                sums[static_cast<size_t>(left_.pair_class[p])] += n * change;
            }
        }
        const Length length{known, unknown};
        unknown = in_slot(unknown);
        if (unknown > 0) common += unknown * std::log(pseudo_.alpha);
        for (size_t c = 0; c < classes; ++c) {
            scores[c] = work.constant[c] + common + sums[c];
            if (known + unknown > 0) scores[c] -= (known + unknown) * work.log_total[c];
        }
        return length;
    }

    Length score_each(size_t row, Workspace& work, double* scores) const {
        const size_t classes = left_.classes;
        std::fill(work.sums.begin(), work.sums.end(), 0.0);
        if (event_ == Event::bernoulli) work.row = work.base;
        double known = 0, unknown = static_cast<double>(left_.unknown[row]);
        for (auto e = static_cast<size_t>(left_.offsets[row]); e < static_cast<size_t>(left_.offsets[row + 1]); ++e) {
            const double n = event_ == Event::bernoulli ? 1.0 : left_.count[e];
            if (is_out(e)) {
                unknown += left_.count[e];
                continue;
            }
            known += n;
            const double total = look_up(e, work);
            for (size_t c = 0; c < classes; ++c) add_term(c, n, total, work);
        }
        const Length length{known, unknown};
        unknown = in_slot(unknown);
        for (size_t c = 0; c < classes; ++c) {
            if (unknown > 0) add_unknown(c, unknown, work);
            scores[c] = work.constant[c] + (event_ == Event::bernoulli ? work.row[c].value() : work.sums[c]);
            if (event_ == Event::bernoulli || known + unknown == 0) continue;
            if (event_ == Event::multinomial) scores[c] -= (known + unknown) * work.log_total[c];
            if (event_ == Event::complement) scores[c] += (known + unknown) * work.log_total[c];
            if (event_ == Event::urn) scores[c] -= log_rising(work.total[c], known + unknown);
        }
        return length;
    }

    // The counts of one entry's term in every class, as they are left, with their priors; the sum is returned.
    double look_up(size_t e, Workspace& work) const {
        const auto t = static_cast<size_t>(left_.term[e]);
        std::fill(work.here.begin(), work.here.end(), 0.0);
        std::fill(work.here_documents.begin(), work.here_documents.end(), 0.0);
        std::fill(work.alpha.begin(), work.alpha.end(), at_term(t));
        for (auto p = static_cast<size_t>(left_.pair_offsets[t]); p < static_cast<size_t>(left_.pair_offsets[t + 1]);
             ++p) {
            const auto c = static_cast<size_t>(left_.pair_class[p]);
            work.here[c] = left_.occurrences[p];
            work.here_documents[c] = left_.documents[p];
            work.alpha[c] = at_pair(p);
        }
        const LeftOut::Touch* touch = left_.touches.data() + left_.touch_begin[e];
        for (int32_t k = 0; k < left_.touch_count[e]; ++k) {
            const auto c = static_cast<size_t>(left_.pair_class[static_cast<size_t>(touch[k].pair)]);
            work.here[c] = touch[k].occurrences;
            work.here_documents[c] = touch[k].documents;
        }
        double total = 0;
        for (const double n : work.here) total += n;
        return total;
    }

    void add_term(size_t c, double n, double total, Workspace& work) const {
        if (work.dead[c] != 0) return;
        if (event_ == Event::bernoulli) {
            const double present = work.here_documents[c] + work.alpha[c];
            const double absent = work.documents[c] - work.here_documents[c] + work.alpha[c];
            if (present < 0 || absent < 0) no_mode();
            work.row[c].add(absent, present, -1);
            work.row[c].add(present, absent);
            return;
        }
        const double value = (event_ == Event::complement ? total - work.here[c] : work.here[c]) + work.alpha[c];
        if (value < 0) no_mode();
        if (event_ == Event::urn) {
            work.sums[c] += log_rising(value, n);
        } else {
            work.sums[c] += (event_ == Event::complement ? -n : n) * std::log(value);
        }
    }

    void add_unknown(size_t c, double unknown, Workspace& work) const {
        if (work.dead[c] != 0) return;
        if (event_ == Event::bernoulli) {
            const double absent = work.documents[c] + pseudo_.alpha;
            work.row[c].add(absent, pseudo_.alpha, -1);
            work.row[c].add(pseudo_.alpha, absent);
        } else if (event_ == Event::urn) {
            work.sums[c] += log_rising(pseudo_.alpha, unknown);
        } else {
            work.sums[c] += (event_ == Event::complement ? -unknown : unknown) * std::log(pseudo_.alpha);
        }
    }

    // The probability of having none of the words, in each class without the block.
    void settle_absences(size_t b, Workspace& work) const {
        const auto gone = static_cast<double>(left_.block_gone[b + 1] - left_.block_gone[b]);
        for (size_t c = 0; c < left_.classes; ++c) {
            if (work.documents[c] + 2 * pseudo_.alpha <= 0) work.dead[c] = 1;  // its probabilities are 0/0
            if (work.dead[c] != 0) continue;
            work.base[c] = absences_of(c, work);
            work.base[c].add(work.documents[c] + pseudo_.alpha, pseudo_.alpha, -gone);
        }
        for (auto k = static_cast<size_t>(left_.block_touches[b]); k < static_cast<size_t>(left_.block_touches[b + 1]);
             ++k) {
            const auto& touch = left_.touches[k];
            const auto p = static_cast<size_t>(touch.pair);
            const auto c = static_cast<size_t>(left_.pair_class[p]);
            if (work.dead[c] != 0) continue;
            const double all = work.documents[c], alpha = at_pair(p);
            if (all >= left_.documents[p]) {
                work.base[c].add(all - left_.documents[p] + alpha, left_.documents[p] + alpha, -1);
            }
            if (touch.vanished) {
                work.base[c].add(all + pseudo_.alpha, pseudo_.alpha, 1);  // it was taken out with those of no pair
            } else {
                work.base[c].add(checked(all - touch.documents + alpha), touch.documents + alpha);
            }
        }
    }

    // By class and documents left. Words in more documents than are left are touched, and added by who touches them.
    const LogSum& absences_of(size_t c, Workspace& work) const {
        const double all = work.documents[c];
        const auto [found, made] = work.absences.try_emplace({c, all});
        if (!made) return found->second;
        LogSum& sum = found->second;
        const double others = static_cast<double>(left_.terms) - static_cast<double>(left_.class_pairs[c]) +
                              (pseudo_.with_unknown ? 1 : 0);
        if (others > 0) sum.add(all + pseudo_.alpha, pseudo_.alpha, others);
        for (auto k = static_cast<size_t>(histogram_.offsets[c]); k < static_cast<size_t>(histogram_.offsets[c + 1]);
             ++k) {
            const double documents = histogram_.documents[k], alpha = histogram_.alpha[k];
            if (documents <= all) sum.add(checked(all - documents + alpha), documents + alpha, histogram_.times[k]);
        }
        return sum;
    }

    static double checked(double count) {
        if (count < 0) no_mode();
        return count;
    }

    // Sums of logarithms: differences of lnG lose digits when x is large.
    static double log_rising(double x, double n) {
        double sum = 0;
        for (double i = 0; i < n; ++i) sum += std::log(x + i);
        return sum;
    }

    [[noreturn]] static void no_mode() {
        throw std::domain_error(
            "without some document the posterior has no mode: with alpha < 1 a word without counts pulls it to the "
            "edge; use alpha >= 1 with estimate='map', or estimate='bayes'");
    }
};

}  // namespace priori
