// Fuzzes the way from bytes to scores: analyzer, counter, finish, sums, sample, scorer, over any bytes and options.
//
// Every text is exactly its own heap block; the portable loop must find what SIMD finds; all counts and scores are held
// against naive ones.
#include "naive.hpp"
#include "nasty.hpp"

using namespace fuzz;
using namespace priori;

namespace {

std::shared_ptr<const Analyzer> make_analyzer(const AnalyzerOptions& options, bool simd) {
    if (simd) {
        unsetenv("PRIORI_SIMD");
    } else {
        setenv("PRIORI_SIMD", "off", 1);
    }
    return std::make_shared<Analyzer>(options, Characters::pinned());
}

// A stem is a word's beginning; of some words none is told, so that they are their own.
void cut_short(const std::function<Stems::Words()>& ask, const std::function<void(Stems::Words)>& tell) {
    Stems::Words words = ask();
    for (std::string& word : words) word = word.size() == 5 ? "" : word.substr(0, 3);
    if (!words.empty()) tell(std::move(words));
}

// Often with stop words out of the text, runs of two among them, and with stems.
std::shared_ptr<const Analyzer> analyzer_of_words(const AnalyzerOptions& options, std::string_view text,
                                                  Random& random) {
    const auto plain = make_analyzer(options, true);
    if (options.features != Features::words) return plain;
    std::shared_ptr<const StopWords> stop_words;
    if (random.one_in(3)) {
        std::vector<std::string> entries = {"no such word"};
        Scratch scratch;
        plain->spans(text.substr(0, 300), "", scratch);
        for (const Span& span : scratch.spans) {
            const std::string word(reinterpret_cast<const char*>(span.data), span.length);
            if (random.one_in(4)) entries.push_back(random.one_in(2) ? word : entries.back() + ' ' + word);
        }
        stop_words = std::make_shared<const StopWords>(entries);
    }
    setenv("PRIORI_SIMD", random.one_in(2) ? "off" : "on", 1);
    return std::make_shared<Analyzer>(options, Characters::pinned(), stop_words,
                                      random.one_in(3) ? std::make_shared<Stems>(cut_short) : nullptr);
}

AnalyzerOptions random_options(Random& random) {
    const Features kinds[] = {Features::words, Features::words, Features::chars, Features::chars_across};
    const int first = random.one_in(3) ? static_cast<int>(random.below(3)) + 1 : 1;
    const int last = first + static_cast<int>(random.below(random.one_in(20) ? 14 : 3));
    return {random.pick(kinds), first, last, !random.one_in(4), random.one_in(3), static_cast<int>(random.below(4)),
            random.one_in(4)};
}

// The input cut into documents of up to three parts.
std::vector<Document> random_documents(std::string_view text, Random& random) {
    const std::string prefixes[] = {"subject:", "x", "é", "a b"};
    const int64_t weights[] = {1, 1, 1, 2, 0, int64_t{1} << 20};
    const size_t classes = random.one_in(30) ? 1100 : random.one_in(10) ? 70 : 3;
    std::vector<Document> documents;
    while (!text.empty() || documents.empty()) {
        Document document{"c" + std::to_string(random.below(classes)), {}, random.pick(weights)};
        for (size_t parts = random.one_in(3) ? 3 : 1; parts > 0; --parts) {
            const size_t size = std::min(text.size(), random.below(random.one_in(3) ? 800 : 40));
            const std::string prefix = document.parts.empty() ? "" : random.pick(prefixes);
            document.parts.push_back({prefix, Exact(text.substr(0, size))});
            text.remove_prefix(size);
        }
        documents.push_back(std::move(document));
        if (random.one_in(50)) documents.push_back({"", {}, 1});
    }
    return documents;
}

std::shared_ptr<const Vocabulary> random_vocabulary(const Analyzer& analyzer, const std::vector<Document>& documents,
                                                    Random& random) {
    if (!random.one_in(4)) return nullptr;
    auto vocabulary = std::make_shared<Vocabulary>();
    for (const Document& document : documents) {
        for (const std::string& feature : features_of(analyzer, document)) {
            if (random.one_in(2)) vocabulary->insert(feature);
        }
    }
    return vocabulary;
}

Finished count(const std::shared_ptr<const Analyzer>& analyzer, const std::shared_ptr<const Vocabulary>& vocabulary,
               std::span<const Document> documents) {
    Counter counter(analyzer, vocabulary, true);
    for (const Document& document : documents) counter.add_text(document.label, document.segments(), document.weight);
    return finish(counter);
}

std::vector<int32_t> places(const std::vector<std::string>& labels, const std::vector<std::string>& among) {
    std::vector<int32_t> result;
    for (const auto& label : labels)
        result.push_back(static_cast<int32_t>(std::lower_bound(among.begin(), among.end(), label) - among.begin()));
    return result;
}

// Two halves counted apart and added up have the counts of the whole.
void check_sum(const Finished& whole, const Finished& left, const Finished& right) {
    const auto a = view_of(left.counts), b = view_of(right.counts);
    std::vector<int32_t> place_a(a.terms), place_b(b.terms);
    const auto class_a = places(left.labels, whole.labels), class_b = places(right.labels, whole.labels);
    const TermCounts sum = combine(a, b, class_a.data(), class_b.data(), 1, 1, place_a.data(), place_b.data());
    check(sum.term_bytes == whole.counts.term_bytes && sum.term_offsets == whole.counts.term_offsets &&
              sum.pair_offsets == whole.counts.pair_offsets && sum.pair_class == whole.counts.pair_class &&
              sum.pair_occurrences == whole.counts.pair_occurrences &&
              sum.pair_documents == whole.counts.pair_documents,
          "halves do not add up to the whole");
    for (size_t j = 0; j < a.terms; ++j)
        check(a.term(j) == view_of(sum).term(static_cast<size_t>(place_a[j])), "a term lost its place");
}

void check_sample(const Finished& finished, const Analyzer& analyzer, const std::vector<Document>& documents,
                  const Vocabulary* vocabulary) {
    std::map<std::pair<std::string, Terms>, int64_t> expected;
    for (const Document& document : documents) {
        if (document.weight != 0)
            expected[{document.label, terms_of(analyzer, document, vocabulary)}] += document.weight;
    }
    check(finished.sample.bits == 0 && rows_of(finished) == expected, "the sample is not that of the documents");
}

// Weights of some reading, in arrays of exactly their sizes.
struct Reading {
    std::vector<double> pair_weight, term_default, constant, per_feature, urn_pair, urn_default, urn_total;
    Weights weights;

    Reading(const Finished& finished, Random& random) {
        const size_t classes = finished.labels.size(), terms = finished.counts.term_offsets.size() - 1;
        const auto fill = [&](std::vector<double>& values, size_t size) {
            for (size_t i = 0; i < size; ++i) values.push_back(static_cast<double>(random.below(1000) + 1) / 100);
        };
        const bool uniform = random.one_in(2);
        fill(pair_weight, finished.counts.pair_class.size());
        fill(term_default, uniform ? 1 : terms);
        fill(constant, classes);
        fill(per_feature, classes);
        fill(urn_pair, pair_weight.size());
        fill(urn_default, uniform ? 1 : terms);
        fill(urn_total, classes);
        const bool urn = random.one_in(3);
        weights = {finished.counts.pair_offsets.data(),
                   finished.counts.pair_class.data(),
                   pair_weight.data(),
                   term_default.data(),
                   uniform,
                   constant.data(),
                   per_feature.data(),
                   classes,
                   nullptr,  // no term is certain
                   nullptr,
                   random.one_in(3),
                   random.one_in(2),
                   0.25,
                   random.one_in(2),
                   urn ? urn_pair.data() : nullptr,
                   urn_default.data(),
                   urn_total.data(),
                   0.5};
    }
};

double rising(double x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::log(x + static_cast<double>(i));
    return sum;
}

// The scores by their definition, term by term and class by class. Unknown terms are all one when terms count once.
std::vector<double> naive_scores(const Weights& w, const Finished& finished, const std::vector<std::string>& features,
                                 bool once) {
    std::map<std::string, size_t> ids;
    for (size_t j = 0; j < view_of(finished.counts).terms; ++j) ids[std::string(view_of(finished.counts).term(j))] = j;
    std::map<size_t, int64_t> found;
    for (const auto& feature : features) ++found[ids.contains(feature) ? ids[feature] : SIZE_MAX];
    std::vector<double> joint(w.constant, w.constant + w.classes);
    int64_t total = 0;
    for (auto [id, repeats] : found) {
        if (id == SIZE_MAX && !w.unknown_counts) continue;
        if (once) repeats = 1;
        total += repeats;
        for (size_t c = 0; c < w.classes; ++c) {
            double weight = 0, ball = id == SIZE_MAX ? w.urn_unknown : w.urn_default[w.uniform_default ? 0 : id];
            for (auto p = id == SIZE_MAX ? 0 : w.pair_offsets[id]; id != SIZE_MAX && p < w.pair_offsets[id + 1]; ++p) {
                if (static_cast<size_t>(w.pair_class[p]) != c) continue;
                weight = w.pair_weight[p];
                if (w.urn_pair != nullptr) ball = w.urn_pair[p];
            }
            weight += id == SIZE_MAX ? w.unknown_default : w.term_default[w.uniform_default ? 0 : id];
            joint[c] += w.urn_pair != nullptr ? rising(ball, repeats)
                                              : static_cast<double>(repeats) * (weight + w.per_feature[c]);
        }
    }
    for (size_t c = 0; c < w.classes && w.urn_pair != nullptr; ++c) joint[c] -= rising(w.urn_total[c], total);
    return joint;
}

void check_scores(const Finished& finished, const std::shared_ptr<const Analyzer>& analyzer,
                  const std::vector<Document>& documents, Random& random) {
    const Reading reading(finished, random);
    const auto counts = view_of(finished.counts);
    const auto index = std::make_shared<TermIndex>(counts.term_offsets, counts.term_bytes, counts.terms);
    const Scorer scorer(analyzer, index, reading.weights);
    const bool once = reading.weights.distinct || analyzer->options().binary;
    Scorer::Workspace work;
    Encoded encoded;
    std::vector<double> joint(scorer.classes());
    for (const Document& document : documents) {  // the first by binary search, the later ones by hashing
        const auto segments = document.segments();
        const auto features = features_of(*analyzer, document);
        scorer.log_joint(segments, work, joint.data());
        const auto expected = naive_scores(reading.weights, finished, features, once);
        for (size_t c = 0; c < joint.size(); ++c)
            check(std::abs(joint[c] - expected[c]) <= 1e-9 * std::max(1.0, std::abs(expected[c])), "a score differs");
        scorer.encode(segments, work, encoded);
        auto known = encoded.unknown.back();
        for (auto i = encoded.offsets.end()[-2]; i < encoded.offsets.back(); ++i)
            known += encoded.count[static_cast<size_t>(i)];
        if (!analyzer->options().binary) check(known == static_cast<int64_t>(features.size()), "a row lost features");
        normalise(joint.data(), joint.size());
    }
}

// Ready words: any bytes, each with the readable bytes that are asked for and no more.
void check_ready_words(std::string_view text, const AnalyzerOptions& options, Random& random) {
    std::vector<std::vector<uint8_t>> buffers;
    std::vector<Span> words;
    Terms expected;
    if (random.one_in(10)) text = text.substr(0, 1);  // often the empty word alone
    while (!text.empty()) {
        const std::string_view word = text.substr(0, random.one_in(4) ? 0 : random.below(20));
        text.remove_prefix(std::max<size_t>(word.size(), 1));
        buffers.emplace_back(word.begin(), word.end());
        buffers.back().resize(std::max(word.size(), kPadding), 0xAA);
        words.push_back({buffers.back().data(), static_cast<uint32_t>(word.size())});
        int64_t& count = expected[std::string(word)];
        count = options.binary ? 1 : count + 1;
    }
    AnalyzerOptions single = options;
    single.features = Features::words;
    single.ngram_min = single.ngram_max = 1;
    const auto analyzer = make_analyzer(single, true);
    Counter counter(analyzer, nullptr, true), counted(analyzer, nullptr, true);
    counter.add_words("x", words, 1);
    counted.add_counts("x", words, std::vector<int64_t>(words.size(), 1).data(), 1);
    const Finished finished = finish(counter);
    check(plain(finished) == plain(finish(counted)), "words and counts differ");
    const auto pairs = plain(finished).pairs;
    check(pairs.size() == expected.size(), "words were lost or confused");
    for (const auto& [term, count] : expected) check(pairs.at({term, "x"}).first == count, "a word has a wrong count");
    Counter joined(make_analyzer({Features::words, 1, 2, true, false, 1, false}, true), nullptr, true);
    joined.add_words("x", words, 1);
    try {
        plain(finish(joined));
    } catch (const std::invalid_argument&) {  // words with spaces or control characters have no n-grams
    }
}

// Cheap, so many times: any stretch of the input under any options.
void check_features(std::string_view text, Random& random) {
    Scratch scratch, other;
    for (int i = 0; i < 30; ++i) {
        const AnalyzerOptions options = random_options(random);
        const auto analyzer = make_analyzer(options, true), portable = make_analyzer(options, false);
        const Exact part(text.substr(random.below(text.size() + 1), random.below(300)));
        const auto& found = analyzer->features(part.view(), "", scratch);
        const auto& expected = portable->features(part.view(), "", other);
        check(std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                         [](const Span& a, const Span& b) {
                             return a.length == b.length && std::memcmp(a.data, b.data, a.length) == 0;
                         }),
              "SIMD finds other features");
    }
}

void target(const Bytes& input, Random& random) {
    const AnalyzerOptions options = random_options(random);
    const auto documents = random_documents(view(input), random);
    const auto analyzer = analyzer_of_words(options, view(input), random);
    const auto vocabulary = random_vocabulary(*analyzer, documents, random);
    check_features(view(input), random);
    check_ready_words(view(input).substr(0, 200), options, random);
    try {
        const Finished whole = count(analyzer, vocabulary, documents);
        check(plain(whole) == naive_counts(*analyzer, documents, vocabulary.get()), "the counts differ");
        check_sample(whole, *analyzer, documents, vocabulary.get());
        const std::span<const Document> all = documents;
        const size_t cut = random.below(all.size() + 1);
        check_sum(whole, count(analyzer, vocabulary, all.first(cut)), count(analyzer, vocabulary, all.subspan(cut)));
        check_scores(whole, analyzer, documents, random);
    } catch (const std::invalid_argument& refusal) {  // a prefix with a space, and n-grams
        check(std::strstr(refusal.what(), "holds a space") != nullptr, refusal.what());
    }
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, nasty_texts(), target); }
