// One pass over documents: occurrences and documents per (term, class), lengths and documents per class, and a sample.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analyzer.hpp"
#include "sample.hpp"
#include "table.hpp"

namespace priori {

// A stretch of a document: its text, and what is put before each of its words ("subject:").
struct Segment {
    std::string_view prefix, text;
};

using Vocabulary = std::unordered_set<std::string>;

class Counter {
  public:
    // `vocabulary` may be null: every term counts. `keep_sample` false keeps no documents.
    Counter(std::shared_ptr<const Analyzer> analyzer, std::shared_ptr<const Vocabulary> vocabulary, bool keep_sample)
        : analyzer_(std::move(analyzer)), vocabulary_(std::move(vocabulary)), keep_sample_(keep_sample) {
        const AnalyzerOptions& options = analyzer_->options();
        const bool words = options.features == Features::words;
        first_level_ = words ? static_cast<size_t>(options.ngram_min) - 1 : 0;
        const size_t levels = words ? static_cast<size_t>(options.ngram_max) : 1;
        tables_.resize(levels);
        pairs_.resize(levels);
        hot_.resize(levels);
        hot_row_.resize(levels);
        distinct_.resize(levels);
    }

    void add_text(std::string_view label, std::span<const Segment> segments, int64_t weight) {
        if (!begin(label, weight)) return;
        for (const Segment& segment : segments) {
            analyzer_->spans(segment.text, segment.prefix, scratch_);
            count_words(scratch_.spans);
        }
        finish_document(weight);
    }

    // Words already told apart. Each needs kPadding readable bytes.
    void add_words(std::string_view label, std::span<const Span> words, int64_t weight) {
        if (!begin(label, weight)) return;
        count_words(words);
        finish_document(weight);
    }

    // Terms already counted: they are taken as they are, without n-grams. Each term at most once.
    void add_counts(std::string_view label, std::span<const Span> terms, const int64_t* counts, int64_t weight) {
        if (!begin(label, weight)) return;
        for (size_t i = 0; i < terms.size(); ++i) {
            if (counts[i] < 0 || counts[i] > INT32_MAX) {
                throw std::invalid_argument("a count is negative or over two billion; counts are whole numbers from 0");
            }
            if (counts[i] == 0) continue;
            const Probe probe = Probe::of_word(terms[i].data, terms[i].length);
            content_ += probe.hash * static_cast<uint64_t>(counts[i]);
            note(0, word_slot(probe), static_cast<uint32_t>(counts[i]));
        }
        finish_document(weight);
    }

    bool has_ngrams() const { return tables_.size() > 1; }

  private:
    friend class Finisher;

    struct Entry {
        uint32_t id, count;
    };
    struct ClassState {
        int64_t documents = 0;
        std::vector<int64_t> lengths;            // documents by length, short ones
        std::map<int64_t, int64_t> long_lengths;  // and long ones
    };
    static constexpr int64_t kShortLength = 4096;

    std::shared_ptr<const Analyzer> analyzer_;
    std::shared_ptr<const Vocabulary> vocabulary_;
    bool keep_sample_;
    size_t first_level_;
    Scratch scratch_;
    std::vector<TermTable> tables_;  // by n-gram order; the word table first
    std::vector<PairTable> pairs_;
    std::vector<HotCounts> hot_;
    std::vector<Count*> hot_row_;  // of the current document's class
    std::vector<std::vector<Entry>> distinct_;  // terms of the current document
    std::vector<uint32_t> words_, grams_;       // ids of the current segment, in order
    uint32_t document_ = 0, cls_ = 0;           // the current document and its class
    uint64_t content_ = 0;  // sum of the hashes of the document's words: an order-free content hash
    std::unordered_map<std::string, uint32_t> class_ids_;
    std::vector<std::string> labels_;
    std::vector<ClassState> classes_;
    Sample<uint64_t> sample_;  // terms as level << 32 | id
    std::vector<std::pair<uint64_t, int32_t>> row_;
    std::vector<uint64_t> row_terms_;
    std::vector<int32_t> row_counts_;

    // False for a document of no weight: zero entries vanish, and so does it.
    bool begin(std::string_view label, int64_t weight) {
        if (weight == 0) return false;
        cls_ = class_id(label);
        if (++document_ == 0) {  // the stamps have come round
            for (TermTable& table : tables_) table.clear_stamps();
            document_ = 1;
        }
        for (size_t level = 0; level < tables_.size(); ++level) {
            distinct_[level].clear();
            hot_row_[level] = hot_[level].row(cls_);
        }
        content_ = 0;
        return true;
    }

    uint32_t class_id(std::string_view label) {
        if (!labels_.empty() && labels_[cls_] == label) return cls_;
        const auto [place, fresh] = class_ids_.try_emplace(std::string(label), static_cast<uint32_t>(labels_.size()));
        if (fresh) {
            labels_.emplace_back(label);
            classes_.emplace_back();
        }
        return place->second;
    }

    void note(size_t level, Slot& slot, uint32_t count) {
        auto& distinct = distinct_[level];
        if (slot.stamp == document_) {
            distinct[slot.index].count += count;
            return;
        }
        slot.stamp = document_;
        slot.index = static_cast<uint32_t>(distinct.size());
        distinct.push_back({slot.id, count});
        if (slot.id < HotCounts::kTerms && hot_row_[level] != nullptr) {
            __builtin_prefetch(hot_row_[level] + slot.id, 1);
        } else {
            __builtin_prefetch(&tables_[level].info(slot.id), 1);
        }
    }

    Slot& word_slot(const Probe& probe) {
        TermTable& table = tables_[0];
        const size_t before = table.size();
        Slot& slot = table.find_or_insert(probe);
        if (vocabulary_ && table.size() != before && !vocabulary_->contains(std::string(table.word(slot.id)))) {
            table.info(slot.id).cls = kForbidden;
        }
        return slot;
    }

    // Hash a block of words, then look them up: two short loops, so that memory is waited for once per block.
    void count_words(std::span<const Span> spans) {
        constexpr size_t kBlock = 128;
        Probe probes[kBlock];
        const bool chain = has_ngrams();
        if (chain) words_.resize(spans.size());
        for (size_t base = 0; base < spans.size(); base += kBlock) {
            const size_t size = std::min(kBlock, spans.size() - base);
            for (size_t i = 0; i < size; ++i) {
                probes[i] = Probe::of_word(spans[base + i].data, spans[base + i].length);
                content_ += probes[i].hash;
                tables_[0].prefetch(probes[i].hash);
            }
            for (size_t i = 0; i < size; ++i) {
                Slot& slot = word_slot(probes[i]);
                if (first_level_ == 0) note(0, slot, 1);
                if (chain) words_[base + i] = slot.id;
            }
        }
        if (chain) count_ngrams();
    }

    // An n-gram is (id of its first n - 1 words, id of its last): tuples of ids, never joined text.
    void count_ngrams() {
        constexpr size_t kBlock = 128;
        Probe probes[kBlock];
        grams_ = words_;
        for (size_t level = 1; level < tables_.size() && words_.size() > level; ++level) {
            const size_t size = words_.size() - level;
            for (size_t base = 0; base < size; base += kBlock) {
                const size_t count = std::min(kBlock, size - base);
                for (size_t i = 0; i < count; ++i) {
                    probes[i] = Probe::of_ngram(uint64_t{grams_[base + i]} << 32 | words_[base + i + level]);
                    tables_[level].prefetch(probes[i].hash);
                }
                for (size_t i = 0; i < count; ++i) {
                    Slot& slot = ngram_slot(level, probes[i]);
                    if (level >= first_level_) note(level, slot, 1);
                    grams_[base + i] = slot.id;
                }
            }
        }
    }

    Slot& ngram_slot(size_t level, const Probe& probe) {
        TermTable& table = tables_[level];
        const size_t before = table.size();
        Slot& slot = table.find_or_insert(probe);
        if (vocabulary_ && table.size() != before && !vocabulary_->contains(text(level, slot.id))) {
            table.info(slot.id).cls = kForbidden;
        }
        return slot;
    }

    std::string text(size_t level, uint32_t id) const {
        if (level == 0) return std::string(tables_[0].word(id));
        const uint64_t key = tables_[level].pair(id);
        return text(level - 1, static_cast<uint32_t>(key >> 32)) + ' ' + text(0, static_cast<uint32_t>(key));
    }

    void finish_document(int64_t weight) {
        int64_t length = 0;
        for (size_t level = first_level_; level < tables_.size(); ++level) length += add_level(level, weight);
        count_document(classes_[cls_], length, weight);
        if (keep_sample_) sample_document(weight);
    }

    // The current document's terms of one level into the counts; returns how many features they are.
    int64_t add_level(size_t level, int64_t weight) {
        const bool binary = analyzer_->options().binary;
        Count* hot = hot_row_[level];
        int64_t length = 0;
        for (const Entry& entry : distinct_[level]) {
            if (entry.id < HotCounts::kTerms) continue;
            const uint32_t cls = tables_[level].info(entry.id).cls;
            if (cls != cls_ && cls < kForbidden) pairs_[level].prefetch(entry.id, cls_);
        }
        for (Entry& entry : distinct_[level]) {
            if (vocabulary_ && tables_[level].info(entry.id).cls == kForbidden) {
                entry.count = 0;
                continue;
            }
            if (binary) entry.count = 1;
            length += entry.count;
            Count& count = place(level, entry.id, hot);
            count.occurrences += weight * entry.count;
            count.documents += weight;
        }
        return length;
    }

    Count& place(size_t level, uint32_t id, Count* hot) {
        if (id < HotCounts::kTerms && hot != nullptr) return hot[id];
        TermInfo& info = tables_[level].info(id);
        if (info.cls == kNoClass) info.cls = cls_;
        return info.cls == cls_ ? info.count : pairs_[level].at(id, cls_);
    }

    static void count_document(ClassState& state, int64_t length, int64_t weight) {
        state.documents += weight;
        if (length >= kShortLength) {
            state.long_lengths[length] += weight;
        } else {
            if (static_cast<size_t>(length) >= state.lengths.size()) state.lengths.resize(static_cast<size_t>(length) + 1);
            state.lengths[static_cast<size_t>(length)] += weight;
        }
    }

    void sample_document(int64_t weight) {
        const uint64_t hash = mix(content_ ^ kSeed0, kSeed1);
        if (!sample_.keeps(hash)) return;
        row_.clear();
        for (size_t level = first_level_; level < tables_.size(); ++level) {
            for (const Entry& entry : distinct_[level]) {
                if (entry.count > 0) row_.emplace_back(level << 32 | entry.id, static_cast<int32_t>(entry.count));
            }
        }
        std::sort(row_.begin(), row_.end());
        row_terms_.clear();
        row_counts_.clear();
        for (const auto& [term, count] : row_) {
            row_terms_.push_back(term);
            row_counts_.push_back(count);
        }
        sample_.push(hash, static_cast<int32_t>(cls_), weight, row_terms_.data(), row_counts_.data(), row_.size());
        if (sample_.rows() > 2 * kSampleRows || sample_.term.size() > 2 * kSampleEntries) sample_ = sample_.canonical();
    }
};

}  // namespace priori
