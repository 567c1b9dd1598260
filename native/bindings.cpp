// What Python sees of the loops. This file and bind_*.hpp alone know of Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <thread>

#include "bind_arrays.hpp"
#include "bind_chain.hpp"
#include "bind_columns.hpp"
#include "bind_delimited.hpp"
#include "bind_documents.hpp"
#include "bind_gibbs.hpp"
#include "bind_grouped.hpp"
#include "bind_left_out.hpp"
#include "bind_mixture.hpp"
#include "bind_unicode.hpp"
#include "finish.hpp"
#include "scorer.hpp"

using namespace nb::literals;
using namespace priori;

namespace {

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;  // by name, for the generated stub

// --- analyzer ------------------------------------------------------------------------------------

Features features_named(const std::string& name) {
    if (name == "words") return Features::words;
    if (name == "chars") return Features::chars;
    if (name == "chars_across") return Features::chars_across;
    throw std::invalid_argument("features='" + name + "' is unknown; choose words, chars or chars_across");
}

// A function from a list of words to the list of their stems. Only whoever holds the interpreter asks it, and asks for
// words that nobody has asked for.
std::shared_ptr<Stems> stems_by(const nb::object& stemmer) {
    if (stemmer.is_none()) return nullptr;
    return std::make_shared<Stems>([function = nb::handle(stemmer)](const auto& ask, const auto& tell) {
        const nb::gil_scoped_acquire acquire;
        nb::list words;
        for (const std::string& word : ask()) {
            words.append(nb::steal(PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "replace")));
        }
        if (nb::len(words) == 0) return;
        tell(nb::cast<Stems::Words>(function(words)));
    });
}

PyAnalyzer make_analyzer(const std::string& features, std::pair<int, int> ngrams, bool lowercase, bool fold_accents,
                         int min_length, bool binary, const nb::object& characters,
                         const std::optional<std::vector<std::string>>& stop_words, const nb::object& stemmer,
                         bool boundaries) {
    AnalyzerOptions options{
        features_named(features), ngrams.first, ngrams.second, lowercase, fold_accents, min_length, binary, boundaries};
    const Characters& used = characters.is_none() ? Characters::pinned() : nb::cast<const Characters&>(characters);
    const auto stopped = stop_words ? std::make_shared<StopWords>(*stop_words) : nullptr;
    return {characters, stemmer, std::make_shared<Analyzer>(options, used, stopped, stems_by(stemmer))};
}

// The features of a text; with `as_written` the words in place of their stems, one for one.
nb::typed<nb::list, nb::str> analyzer_features(const PyAnalyzer& self, const nb::object& text,
                                               const std::string& prefix, bool as_written) {
    nb::list one;
    one.append(text);
    TextColumn column;
    if (nb::isinstance<nb::bytes>(text)) {
        const auto bytes = nb::borrow<nb::bytes>(text);
        column.rows.emplace_back(bytes.c_str(), bytes.size());
    } else {
        column = load_column(one);
    }
    Scratch scratch;
    if (!as_written) return to_texts(self.analyzer->features(column.rows[0], prefix, scratch));
    self.analyzer->spans(column.rows[0], prefix, scratch);
    return to_texts(self.analyzer->with_ngrams(scratch));
}

// The same of words told apart elsewhere.
nb::typed<nb::list, nb::str> features_of_words(const PyAnalyzer& self, const nb::object& words, bool as_written) {
    const Words laid_out(load_column(words));
    Scratch scratch;
    return to_texts(self.analyzer->features_of_words(laid_out.spans, scratch, as_written));
}

// What n-grams are made of, with the marks: of a text, or of words told apart elsewhere.
nb::typed<nb::list, nb::str> analyzer_tokens(const PyAnalyzer& self, const nb::object& text) {
    TextColumn column;
    append_item(text, 0, column);
    Scratch scratch;
    self.analyzer->tokens(column.rows[0], scratch);
    return to_texts(scratch.spans);
}

nb::typed<nb::list, nb::str> tokens_of_words(const PyAnalyzer& self, const nb::object& words) {
    const Words laid_out(load_column(words));
    Scratch scratch;
    self.analyzer->tokens_of_words(laid_out.spans, scratch);
    return to_texts(scratch.spans);
}

// Stems known from elsewhere: texts "stem NUL word".
void know_stems(const PyAnalyzer& self, const Array<int64_t>& offsets, const Array<uint8_t>& bytes) {
    if (self.analyzer->stems() == nullptr) return;
    std::vector<uint8_t> padded;
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + offsets(i),
                                    static_cast<size_t>(offsets(i + 1) - offsets(i)));
        const size_t middle = text.find('\0');
        if (middle == std::string_view::npos) throw std::invalid_argument("a word and its stem are not told apart");
        const std::string_view word = text.substr(middle + 1);
        padded.assign(word.size() + kPadding, 0);
        std::copy(word.begin(), word.end(), padded.begin());
        self.analyzer->stems()->know({padded.data(), static_cast<uint32_t>(word.size())}, text.substr(0, middle));
    }
}

// --- counter ------------------------------------------------------------------------------------------------------

struct PyCounter {
    PyAnalyzer analyzer;
    Counter counter;
};

PyCounter* make_counter(const PyAnalyzer& analyzer, std::optional<std::vector<std::string>> vocabulary,
                        bool keep_sample) {
    std::shared_ptr<const Vocabulary> terms;
    if (vocabulary) terms = std::make_shared<Vocabulary>(vocabulary->begin(), vocabulary->end());
    return new PyCounter{analyzer, Counter(analyzer.analyzer, terms, keep_sample)};
}

// Calls add(row, label, weight) for the rows that have a label; returns how many have none.
template <class Add>
int64_t each_labelled(size_t rows, const TextColumn& labels, const std::optional<Array<int64_t>>& weights, Add add) {
    if (labels.size() != rows) throw std::invalid_argument("there are not as many labels as documents");
    if (weights && weights->size() != rows) throw std::invalid_argument("there are not as many weights as documents");
    int64_t unlabelled = 0;
    for (size_t row = 0; row < rows; ++row) {
        if (TextColumn::is_null(labels.rows[row])) {
            ++unlabelled;
        } else {
            add(row, labels.rows[row], weights ? (*weights)(row) : 1);
        }
    }
    return unlabelled;
}

int64_t add_texts(PyCounter& self, const nb::object& texts, const nb::object& labels,
                  const std::optional<Array<int64_t>>& weights, const Fields& fields) {
    const Documents documents(texts, fields);
    const TextColumn label_column = load_column(labels);
    nb::gil_scoped_release release;
    std::vector<Segment> segments;
    return each_labelled(documents.text.size(), label_column, weights,
                         [&](size_t row, std::string_view label, int64_t weight) {
                             documents.segments(row, segments);
                             self.counter.add_text(label, segments, weight);
                         });
}

int64_t add_words(PyCounter& self, const nb::object& names, const Array<int64_t>& offsets,
                  const Array<int32_t>& indices, const nb::object& labels,
                  const std::optional<Array<int64_t>>& weights) {
    const WordLists words(names, offsets, indices);
    const TextColumn label_column = load_column(labels);
    nb::gil_scoped_release release;
    std::vector<Span> spans;
    return each_labelled(words.rows(), label_column, weights, [&](size_t row, std::string_view label, int64_t weight) {
        words.row(row, spans);
        self.counter.add_words(label, spans, weight);
    });
}

int64_t add_counts(PyCounter& self, const nb::object& names, const Array<int64_t>& offsets,
                   const Array<int32_t>& indices, const Array<int64_t>& counts, const nb::object& labels,
                   const std::optional<Array<int64_t>>& weights) {
    const WordLists terms(names, offsets, indices);
    if (counts.size() != indices.size()) throw std::invalid_argument("there are not as many counts as terms");
    const TextColumn label_column = load_column(labels);
    nb::gil_scoped_release release;
    std::vector<Span> spans;
    return each_labelled(terms.rows(), label_column, weights, [&](size_t row, std::string_view label, int64_t weight) {
        terms.row(row, spans);
        self.counter.add_counts(label, spans, counts.data() + offsets(row), weight);
    });
}

Arrays sample_to_dict(Sample<int32_t>&& sample) {
    Arrays result;
    result["bits"] = sample.bits;
    result["hash"] = to_numpy(std::move(sample.hash));
    result["class"] = to_numpy(std::move(sample.cls));
    result["copies"] = to_numpy(std::move(sample.copies));
    result["offsets"] = to_numpy(std::move(sample.offsets));
    result["term"] = to_numpy(std::move(sample.term));
    result["count"] = to_numpy(std::move(sample.count));
    return result;
}

Arrays counts_to_dict(TermCounts&& counts) {
    Arrays result;
    result["term_offsets"] = to_numpy(std::move(counts.term_offsets));
    result["term_bytes"] = to_numpy(std::move(counts.term_bytes));
    result["pair_offsets"] = to_numpy(std::move(counts.pair_offsets));
    result["pair_class"] = to_numpy(std::move(counts.pair_class));
    result["pair_occurrences"] = to_numpy(std::move(counts.pair_occurrences));
    result["pair_documents"] = to_numpy(std::move(counts.pair_documents));
    return result;
}

Arrays finish_counter(const PyCounter& self) {
    Finished finished;
    {
        nb::gil_scoped_release release;
        finished = finish(self.counter);
    }
    Arrays result = counts_to_dict(std::move(finished.counts));
    nb::list labels;
    for (const std::string& label : finished.labels) {
        labels.append(nb::steal(PyUnicode_DecodeUTF8(label.data(), static_cast<Py_ssize_t>(label.size()), "replace")));
    }
    result["labels"] = labels;
    result["class_documents"] = to_numpy(std::move(finished.class_documents));
    result["length_class"] = to_numpy(std::move(finished.length_class));
    result["length"] = to_numpy(std::move(finished.length));
    result["length_documents"] = to_numpy(std::move(finished.length_documents));
    result["sample"] = sample_to_dict(std::move(finished.sample));
    if (self.analyzer.analyzer->stems() != nullptr) result["forms"] = counts_to_dict(self.counter.forms());
    return result;
}

// --- algebra ------------------------------------------------------------------------------------------------------

// As it is, never converted: the loops keep pointers into these arrays.
template <class T>
Array<T> array_named(const Arrays& arrays, const char* name) {
    Array<T> array;
    if (!nb::try_cast(arrays[name], array, false)) {
        throw std::invalid_argument(std::string("arrays do not fit together: ") + name + " has another type or layout");
    }
    return array;
}

void expect_size(size_t size, size_t expected, const char* what) {
    if (size != expected) throw std::invalid_argument(std::string("arrays do not fit together: ") + what);
}

struct CountArrays {
    Array<int64_t> term_offsets;
    Array<uint8_t> term_bytes;
    Array<int64_t> pair_offsets;
    Array<int32_t> pair_class;
    Array<int64_t> pair_occurrences, pair_documents;

    explicit CountArrays(const Arrays& arrays)
        : term_offsets(array_named<int64_t>(arrays, "term_offsets")),
          term_bytes(array_named<uint8_t>(arrays, "term_bytes")),
          pair_offsets(array_named<int64_t>(arrays, "pair_offsets")),
          pair_class(array_named<int32_t>(arrays, "pair_class")),
          pair_occurrences(array_named<int64_t>(arrays, "pair_occurrences")),
          pair_documents(array_named<int64_t>(arrays, "pair_documents")) {
        if (term_offsets.size() == 0) throw std::invalid_argument("arrays do not fit together: no term offsets");
        expect_size(pair_offsets.size(), term_offsets.size(), "pair_offsets");
        expect_size(term_bytes.size(), static_cast<size_t>(term_offsets(term_offsets.size() - 1)), "term_bytes");
        expect_size(pair_class.size(), static_cast<size_t>(pair_offsets(pair_offsets.size() - 1)), "pair_class");
        expect_size(pair_occurrences.size(), pair_class.size(), "pair_occurrences");
        expect_size(pair_documents.size(), pair_class.size(), "pair_documents");
    }

    TermCountsView view() const {
        return {term_offsets.data(),     term_bytes.data(),     pair_offsets.data(),    pair_class.data(),
                pair_occurrences.data(), pair_documents.data(), term_offsets.size() - 1};
    }
};

nb::typed<nb::tuple, Arrays, nb::any, nb::any> combine_counts(const Arrays& left, const Arrays& right,
                                                              const Array<int32_t>& left_classes,
                                                              const Array<int32_t>& right_classes, int64_t left_factor,
                                                              int64_t right_factor) {
    const CountArrays a(left), b(right);
    std::vector<int32_t> left_place(a.view().terms), right_place(b.view().terms);
    TermCounts result;
    {
        nb::gil_scoped_release release;
        result = combine(a.view(), b.view(), left_classes.data(), right_classes.data(), left_factor, right_factor,
                         left_place.data(), right_place.data());
    }
    return nb::make_tuple(counts_to_dict(std::move(result)), to_numpy(std::move(left_place)),
                          to_numpy(std::move(right_place)));
}

// (term_offsets, term_bytes, pair_offsets) of counts with further terms inserted.
nb::typed<nb::tuple, nb::any, nb::any, nb::any> insert_terms_sorted(const Arrays& counts, const nb::object& further) {
    const CountArrays arrays(counts);
    const TextColumn column = load_column(further);
    TermCounts result;
    insert_terms(arrays.view(), column.rows, result);
    return nb::make_tuple(to_numpy(std::move(result.term_offsets)), to_numpy(std::move(result.term_bytes)),
                          to_numpy(std::move(result.pair_offsets)));
}

// The index of each text among sorted terms, -1 where it is none.
nb::ndarray<nb::numpy, int64_t, nb::ndim<1>> find_terms(const Array<int64_t>& offsets, const Array<uint8_t>& bytes,
                                                        const nb::object& texts) {
    const TextColumn column = load_column(texts);
    const TermIndex index(offsets.data(), bytes.data(), offsets.size() - 1);
    std::vector<int64_t> found;
    for (const std::string_view text : column.rows) {
        const uint32_t id =
            index.search(reinterpret_cast<const uint8_t*>(text.data()), static_cast<uint32_t>(text.size()));
        found.push_back(id == kAbsent ? -1 : static_cast<int64_t>(id));
    }
    return to_numpy(std::move(found));
}

// Whether texts are unique and sorted by their bytes, as binary search needs them.
bool is_strictly_sorted(const Array<int64_t>& offsets, const Array<uint8_t>& bytes) {
    if (offsets.size() == 0) return false;
    nb::gil_scoped_release release;
    const TermIndex index(offsets.data(), bytes.data(), offsets.size() - 1);
    for (size_t i = 1; i < index.size(); ++i) {
        if (!(index.term(i - 1) < index.term(i))) return false;
    }
    return true;
}

Arrays canonical_sample(int bits, const Array<uint64_t>& hash, const Array<int32_t>& cls, const Array<int64_t>& copies,
                        const Array<int64_t>& offsets, const Array<int32_t>& term, const Array<int32_t>& count) {
    if (offsets.size() == 0) throw std::invalid_argument("arrays do not fit together: no sample offsets");
    expect_size(hash.size(), offsets.size() - 1, "hash");
    expect_size(cls.size(), hash.size(), "class");
    expect_size(copies.size(), hash.size(), "copies");
    expect_size(term.size(), static_cast<size_t>(offsets(hash.size())), "term");
    expect_size(count.size(), term.size(), "count");
    Sample<int32_t> sample;
    {
        nb::gil_scoped_release release;
        sample.bits = bits;
        sample.hash.assign(hash.data(), hash.data() + hash.size());
        sample.cls.assign(cls.data(), cls.data() + cls.size());
        sample.copies.assign(copies.data(), copies.data() + copies.size());
        sample.offsets.assign(offsets.data(), offsets.data() + offsets.size());
        sample.term.assign(term.data(), term.data() + term.size());
        sample.count.assign(count.data(), count.data() + count.size());
        sample = sample.canonical();
    }
    return sample_to_dict(std::move(sample));
}

// --- scorer -------------------------------------------------------------------------------------------------------

struct PyScorer {
    PyAnalyzer analyzer;
    Arrays arrays;  // keeps what the weights point into
    std::unique_ptr<Scorer> scorer;
    Calibration calibration;
    std::shared_ptr<PyChain> chain;  // keeps the terms that it looks into
};

// Null where there is no such array.
template <class T>
const T* pointer(const Arrays& arrays, const char* name, size_t size) {
    if (!arrays.contains(name)) return nullptr;
    const auto array = array_named<T>(arrays, name);
    expect_size(array.size(), size, name);
    return array.data();
}

PyScorer* make_scorer(const PyAnalyzer& analyzer, const Arrays& arrays, bool distinct, bool unknown_counts,
                      double unknown_default, double urn_unknown, bool known_only,
                      const std::shared_ptr<PyChain>& chain) {
    const auto offsets = array_named<int64_t>(arrays, "term_offsets");
    const auto pair_offsets = array_named<int64_t>(arrays, "pair_offsets");
    if (offsets.size() == 0) throw std::invalid_argument("arrays do not fit together: no term offsets");
    expect_size(pair_offsets.size(), offsets.size(), "pair_offsets");
    const size_t terms = offsets.size() - 1, classes = array_named<double>(arrays, "constant").size();
    const auto pairs = static_cast<size_t>(pair_offsets(terms)), bytes = static_cast<size_t>(offsets(terms));
    const bool uniform = array_named<double>(arrays, "term_default").size() == 1;
    Weights weights{};
    weights.pair_offsets = pair_offsets.data();
    weights.pair_class = pointer<int32_t>(arrays, "pair_class", pairs);
    weights.pair_weight = pointer<double>(arrays, "pair_weight", pairs);
    weights.term_default = pointer<double>(arrays, "term_default", uniform ? 1 : terms);
    weights.uniform_default = uniform;
    weights.constant = pointer<double>(arrays, "constant", classes);
    weights.per_feature = pointer<double>(arrays, "per_feature", classes);
    weights.classes = classes;
    weights.pair_certain = pointer<double>(arrays, "pair_certain", pairs);
    weights.certain = pointer<double>(arrays, "certain", classes);
    weights.distinct = distinct;
    weights.unknown_counts = unknown_counts;
    weights.unknown_default = unknown_default;
    weights.urn_pair = pointer<double>(arrays, "urn_pair", pairs);
    weights.urn_default = pointer<double>(arrays, "urn_default", uniform ? 1 : terms);
    weights.urn_total = pointer<double>(arrays, "urn_total", classes);
    weights.urn_unknown = urn_unknown;
    auto index = std::make_shared<TermIndex>(offsets.data(), pointer<uint8_t>(arrays, "term_bytes", bytes), terms);
    weights.known_only = known_only;
    auto scorer = std::make_unique<Scorer>(analyzer.analyzer, index, weights);
    if (chain) {
        scorer->use_chain(std::make_unique<ChainRows>(chain->chain, weights.pair_offsets, weights.pair_class,
                                                      weights.pair_weight, terms, classes));
    }
    return new PyScorer{analyzer, arrays, std::move(scorer), {}, chain};
}

void set_calibration(PyScorer& self, double scale, double power, double noise,
                     const std::optional<Array<double>>& offset, const std::optional<Array<double>>& shift) {
    const size_t classes = self.scorer->classes();
    self.calibration = Calibration{true, scale, power, noise, {}, {}};
    if (offset) {
        expect_size(offset->size(), classes, "offset");
        self.calibration.offset.assign(offset->data(), offset->data() + classes);
    }
    if (shift) {
        expect_size(shift->size(), classes, "shift");
        self.calibration.shift.assign(shift->data(), shift->data() + classes);
    }
}

// Runs work(row, workspace) over all rows on some threads; answers Ctrl-C between blocks.
template <class Work>
void each_row(size_t rows, int threads, Work work) {
    constexpr size_t kBlock = 2048;
    const auto workers = static_cast<size_t>(std::max(1, threads));
    std::vector<Scorer::Workspace> workspaces(workers);
    std::vector<std::exception_ptr> failures(workers);
    for (size_t base = 0; base < rows; base += kBlock * workers) {
        {
            nb::gil_scoped_release release;
            const auto run = [&](size_t worker) {
                try {
                    const size_t first = base + worker * kBlock, last = std::min(rows, first + kBlock);
                    for (size_t row = first; row < last; ++row) work(row, workspaces[worker]);
                } catch (...) {
                    failures[worker] = std::current_exception();
                }
            };
            std::vector<std::thread> pool;
            for (size_t worker = 1; worker < workers && base + worker * kBlock < rows; ++worker)
                pool.emplace_back(run, worker);
            run(0);
            for (std::thread& thread : pool) thread.join();
        }
        for (const auto& failure : failures) {
            if (failure) std::rethrow_exception(failure);
        }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
}

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

Matrix make_matrix(std::unique_ptr<double[]>&& values, size_t rows, size_t columns) {
    double* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return Matrix(data, {rows, columns}, owner);
}

// What a score is given as: log p(x, y); p(y | x); its logarithm.
enum class Output { joint, posterior, log_posterior };

Output output_named(const std::string& name) {
    if (name == "joint") return Output::joint;
    return name == "posterior" ? Output::posterior : Output::log_posterior;
}

template <class Score>
Matrix score_rows(const PyScorer& self, size_t rows, int threads, const std::string& wanted, Score score) {
    const Output output = output_named(wanted);
    const size_t classes = self.scorer->classes();
    std::unique_ptr<double[]> values(new double[rows * classes]);
    const auto work = [&](size_t row, Scorer::Workspace& workspace) {
        double* joint = values.get() + row * classes;
        score(row, workspace, joint);
        if (output == Output::joint) return;
        const bool logarithms = output == Output::log_posterior;
        if (!calibrate(self.calibration, joint, classes, workspace.features, logarithms)) {
            throw std::domain_error("document " + std::to_string(row) +
                                    " has probability 0 in every class: each class lacks one of its words, and without "
                                    "smoothing 0/0 is no probability; use estimate='bayes', or a larger alpha");
        }
    };
    if (rows == 1) {
        static thread_local Scorer::Workspace workspace;
        work(0, workspace);
    } else {
        each_row(rows, threads, work);
    }
    return make_matrix(std::move(values), rows, classes);
}

Matrix score_texts(const PyScorer& self, const nb::object& texts, const Fields& fields, const std::string& output,
                   int threads) {
    const Documents documents(texts, fields);
    return score_rows(self, documents.text.size(), threads, output,
                      [&](size_t row, Scorer::Workspace& work, double* joint) {
                          static thread_local std::vector<Segment> segments;
                          documents.segments(row, segments);
                          self.scorer->log_joint(segments, work, joint);
                      });
}

Matrix score_words(const PyScorer& self, const nb::object& names, const Array<int64_t>& offsets,
                   const Array<int32_t>& indices, const std::string& output, int threads) {
    const WordLists words(names, offsets, indices);
    return score_rows(self, words.rows(), threads, output, [&](size_t row, Scorer::Workspace& work, double* joint) {
        static thread_local std::vector<Span> spans;
        words.row(row, spans);
        self.scorer->log_joint_of_words(spans, work, joint);
    });
}

Matrix score_counts(const PyScorer& self, const nb::object& names, const Array<int64_t>& offsets,
                    const Array<int32_t>& indices, const Array<int64_t>& counts, const std::string& output,
                    int threads) {
    const WordLists terms(names, offsets, indices);
    if (counts.size() != indices.size()) throw std::invalid_argument("there are not as many counts as terms");
    std::vector<uint32_t> ids(terms.names.size());
    for (size_t i = 0; i < ids.size(); ++i)
        ids[i] = self.scorer->index().search(terms.names[i].data, terms.names[i].length);
    return score_rows(self, terms.rows(), threads, output, [&](size_t row, Scorer::Workspace& work, double* joint) {
        std::vector<uint32_t> row_ids;
        for (int64_t i = offsets(row); i < offsets(row + 1); ++i) {
            row_ids.push_back(ids[static_cast<size_t>(indices(static_cast<size_t>(i)))]);
        }
        self.scorer->log_joint_of_counts(row_ids, {counts.data() + offsets(row), row_ids.size()}, work, joint);
    });
}

Arrays encoded_to_dict(Encoded&& encoded) {
    Arrays result;
    result["offsets"] = to_numpy(std::move(encoded.offsets));
    result["term"] = to_numpy(std::move(encoded.term));
    result["count"] = to_numpy(std::move(encoded.count));
    result["unknown"] = to_numpy(std::move(encoded.unknown));
    return result;
}

Arrays encode_texts(const PyScorer& self, const nb::object& texts, const Fields& fields) {
    const Documents documents(texts, fields);
    Encoded encoded;
    {
        nb::gil_scoped_release release;
        Scorer::Workspace workspace;
        std::vector<Segment> segments;
        for (size_t row = 0; row < documents.text.size(); ++row) {
            documents.segments(row, segments);
            self.scorer->encode(segments, workspace, encoded);
        }
    }
    return encoded_to_dict(std::move(encoded));
}

Arrays encode_words(const PyScorer& self, const nb::object& names, const Array<int64_t>& offsets,
                    const Array<int32_t>& indices) {
    const WordLists words(names, offsets, indices);
    Encoded encoded;
    {
        nb::gil_scoped_release release;
        Scorer::Workspace workspace;
        std::vector<Span> spans;
        for (size_t row = 0; row < words.rows(); ++row) {
            words.row(row, spans);
            self.scorer->encode_words(spans, workspace, encoded);
        }
    }
    return encoded_to_dict(std::move(encoded));
}

// The core's errors are the user's: DataError for bad arguments, EstimateError for 0/0.
void raise_as(const char* name, const char* message) {
    PyErr_SetString(nb::module_::import_("priori.errors").attr(name).ptr(), message);
}

void translate(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const std::invalid_argument& e) {
        raise_as("DataError", e.what());
    } catch (const std::length_error& e) {
        raise_as("DataError", e.what());
    } catch (const std::domain_error& e) {
        raise_as("EstimateError", e.what());
    }
}

}  // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);  // a model may live until the interpreter ends
    m.doc() = "Compiled loops of Priori.";
    nb::register_exception_translator(translate);

    bind_chain(m);
    bind_unicode(m);
    bind_delimited(m);
    bind_grouped(m);
    bind_gibbs(m);
    bind_left_out(m);
    bind_mixture(m);

    nb::class_<PyAnalyzer>(m, "Analyzer", "Bytes to features.")
        .def_static("of", &make_analyzer, "features"_a, "ngrams"_a, "lowercase"_a, "fold_accents"_a, "min_length"_a,
                    "binary"_a, "characters"_a = nb::none(), "stop_words"_a = nb::none(), "stemmer"_a = nb::none(),
                    "boundaries"_a = false)
        .def("features", &analyzer_features, "text"_a, "prefix"_a = "", "as_written"_a = false)
        .def("features_of_words", &features_of_words, "words"_a, "as_written"_a = false)
        .def("know_stems", &know_stems, "offsets"_a, "bytes"_a)
        .def("tokens", &analyzer_tokens, "text"_a)
        .def("tokens_of_words", &tokens_of_words, "words"_a);

    nb::class_<PyCounter>(m, "Counter", "One pass over documents; finish() reads the sums off.")
        .def_static("of", &make_counter, "analyzer"_a, "vocabulary"_a.none(), "keep_sample"_a,
                    nb::rv_policy::take_ownership)
        .def("add", &add_texts, "texts"_a, "labels"_a, "weights"_a.none(), "fields"_a)
        .def("add_words", &add_words, "names"_a, "offsets"_a, "indices"_a, "labels"_a, "weights"_a.none())
        .def("add_counts", &add_counts, "names"_a, "offsets"_a, "indices"_a, "counts"_a, "labels"_a, "weights"_a.none())
        .def("finish", &finish_counter);

    m.def("combine", &combine_counts, "left"_a, "right"_a, "left_classes"_a, "right_classes"_a, "left_factor"_a,
          "right_factor"_a);
    m.def("insert_terms", &insert_terms_sorted, "counts"_a, "further"_a);
    m.def("find_terms", &find_terms, "offsets"_a, "bytes"_a, "texts"_a);
    m.def("is_strictly_sorted", &is_strictly_sorted, "offsets"_a, "bytes"_a);
    m.def("canonical_sample", &canonical_sample, "bits"_a, "hash"_a, "cls"_a, "copies"_a, "offsets"_a, "term"_a,
          "count"_a);

    nb::class_<PyScorer>(m, "Scorer", "log p(x, y) or p(y | x) of documents.")
        .def_static("of", &make_scorer, "analyzer"_a, "arrays"_a, "distinct"_a, "unknown_counts"_a, "unknown_default"_a,
                    "urn_unknown"_a, "known_only"_a, "chain"_a = nb::none(), nb::rv_policy::take_ownership)
        .def("calibrate", &set_calibration, "scale"_a, "power"_a, "noise"_a, "offset"_a.none(), "shift"_a.none())
        .def("score", &score_texts, "texts"_a, "fields"_a, "output"_a, "threads"_a)
        .def("score_words", &score_words, "names"_a, "offsets"_a, "indices"_a, "output"_a, "threads"_a)
        .def("score_counts", &score_counts, "names"_a, "offsets"_a, "indices"_a, "counts"_a, "output"_a, "threads"_a)
        .def("encode", &encode_texts, "texts"_a, "fields"_a)
        .def("encode_words", &encode_words, "names"_a, "offsets"_a, "indices"_a);
}
