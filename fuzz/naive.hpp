// Counting and scoring once more, with std::map: what the tables of the core are held against.
#pragma once

#include <map>
#include <set>

#include "driver.hpp"
#include "finish.hpp"
#include "scorer.hpp"

namespace fuzz {

struct Part {
    std::string prefix;
    Exact text;
};

struct Document {
    std::string label;
    std::vector<Part> parts;
    int64_t weight;

    std::vector<priori::Segment> segments() const {
        std::vector<priori::Segment> result;
        for (const Part& part : parts) result.push_back({part.prefix, part.text.view()});
        return result;
    }
};

using Terms = std::map<std::string, int64_t>;  // of one document, with their counts

struct Counts {
    std::map<std::pair<std::string, std::string>, std::pair<int64_t, int64_t>> pairs;  // (term, label)
    std::map<std::string, int64_t> documents;
    std::map<std::pair<std::string, int64_t>, int64_t> lengths;
    bool operator==(const Counts&) const = default;
};

inline std::vector<std::string> features_of(const priori::Analyzer& analyzer, const Document& document) {
    std::vector<std::string> result;
    priori::Scratch scratch;
    for (const Part& part : document.parts) {
        for (const priori::Span& span : analyzer.features(part.text.view(), part.prefix, scratch))
            result.emplace_back(reinterpret_cast<const char*>(span.data), span.length);
    }
    return result;
}

inline Terms terms_of(const priori::Analyzer& analyzer, const Document& document,
                      const priori::Vocabulary* vocabulary) {
    Terms terms;
    for (const std::string& feature : features_of(analyzer, document)) {
        if (vocabulary != nullptr && !vocabulary->contains(feature)) continue;
        int64_t& count = terms[feature];
        count = analyzer.options().binary ? 1 : count + 1;
    }
    return terms;
}

inline Counts naive_counts(const priori::Analyzer& analyzer, const std::vector<Document>& documents,
                           const priori::Vocabulary* vocabulary) {
    Counts counts;
    for (const Document& document : documents) {
        if (document.weight == 0) continue;
        int64_t length = 0;
        for (const auto& [term, count] : terms_of(analyzer, document, vocabulary)) {
            auto& [occurrences, containing] = counts.pairs[{term, document.label}];
            occurrences += document.weight * count;
            containing += document.weight;
            length += count;
        }
        counts.documents[document.label] += document.weight;
        counts.lengths[{document.label, length}] += document.weight;
    }
    return counts;
}

inline priori::TermCountsView view_of(const priori::TermCounts& counts) {
    return {counts.term_offsets.data(),    counts.term_bytes.data(),       counts.pair_offsets.data(),
            counts.pair_class.data(),      counts.pair_occurrences.data(), counts.pair_documents.data(),
            counts.term_offsets.size() - 1};
}

// Finished counts as maps; what is out of canonical order is a finding.
inline Counts plain(const priori::Finished& finished) {
    Counts result;
    const auto counts = view_of(finished.counts);
    for (size_t j = 0; j < counts.terms; ++j) {
        check(j == 0 || counts.term(j - 1) < counts.term(j), "terms are not strictly sorted");
        check(counts.pair_offsets[j] < counts.pair_offsets[j + 1], "a term without classes");
        for (auto p = counts.pair_offsets[j]; p < counts.pair_offsets[j + 1]; ++p) {
            check(p == counts.pair_offsets[j] || counts.pair_class[p - 1] < counts.pair_class[p],
                  "classes of a term are not strictly sorted");
            result.pairs[{std::string(counts.term(j)), finished.labels.at(static_cast<size_t>(counts.pair_class[p]))}] =
                {counts.pair_occurrences[p], counts.pair_documents[p]};
        }
    }
    for (size_t c = 0; c < finished.labels.size(); ++c) {
        check(c == 0 || finished.labels[c - 1] < finished.labels[c], "labels are not strictly sorted");
        result.documents[finished.labels[c]] = finished.class_documents[c];
    }
    for (size_t i = 0; i < finished.length.size(); ++i) {
        result.lengths[{finished.labels.at(static_cast<size_t>(finished.length_class[i])), finished.length[i]}] =
            finished.length_documents[i];
    }
    return result;
}

// The rows of a sample as (label, terms) with their copies.
inline std::map<std::pair<std::string, Terms>, int64_t> rows_of(const priori::Finished& finished) {
    std::map<std::pair<std::string, Terms>, int64_t> rows;
    const auto counts = view_of(finished.counts);
    const auto& sample = finished.sample;
    for (size_t row = 0; row < sample.rows(); ++row) {
        check(row == 0 || sample.compare(row - 1, row) < 0, "rows of the sample are not strictly sorted");
        Terms terms;
        for (auto i = static_cast<size_t>(sample.offsets[row]); i < static_cast<size_t>(sample.offsets[row + 1]); ++i) {
            check(sample.term[i] >= 0 && static_cast<size_t>(sample.term[i]) < counts.terms, "a sample names no term");
            terms[std::string(counts.term(static_cast<size_t>(sample.term[i])))] = sample.count[i];
        }
        rows[{finished.labels.at(static_cast<size_t>(sample.cls[row])), terms}] += sample.copies[row];
    }
    return rows;
}

}  // namespace fuzz
