// Bytes to features: words and their n-grams, or character n-grams inside words or across them.
//
// A document is first normalised into a scratch buffer (lower-cased, one bit per byte telling word bytes), sixty-four
// ASCII bytes at a time; the runs of set bits are the words. Invalid UTF-8 always separates words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "ascii.hpp"
#include "buffer.hpp"
#include "edges.hpp"
#include "span.hpp"
#include "stems.hpp"
#include "steps.hpp"
#include "stop_words.hpp"

namespace priori {

enum class Features : uint8_t { words, chars, chars_across };

struct AnalyzerOptions {
    Features features = Features::words;
    int ngram_min = 1, ngram_max = 1;
    bool lowercase = true;
    bool fold_accents = false;
    int min_length = 1;  // of words, in code points
    bool binary = false;
    bool boundaries = false;  // a document begins and ends with a mark, which n-grams include
};

inline constexpr size_t kLongestDocument = size_t{1} << 30;

// The marks around a document: no word of a text has a '<'; characters 2 and 3 of a text are read as spaces.
inline constexpr uint8_t kBeginWord[kPadding] = "<s>", kEndWord[kPadding] = "</s>";
inline constexpr uint8_t kBeginChar = 2, kEndChar = 3;

// What one thread needs to analyse document after document.
struct Scratch {
    Buffer<uint8_t> text, prefixed, joined;  // each with kPadding bytes to spare
    std::vector<uint64_t> mask;              // bit per byte of text: part of a word
    Buffer<uint32_t> edges;                  // positions where words start and end, alternating
    size_t edge_count = 0;
    Buffer<uint32_t> points;   // byte offset of each code point (character n-grams)
    Buffer<uint8_t> is_space;  // per code point (character n-grams)
    Buffer<Span> spans;        // the words, or character n-grams, of the last text
    Buffer<Span> features;     // with word n-grams
    Buffer<uint8_t> stems;     // the words' stems, where they are asked for
    Buffer<uint32_t> stem_ids;
};

class Analyzer {
  public:
    // `stop_words` and `stems` may be null: every word counts, as it is written.
    Analyzer(const AnalyzerOptions& options, const Characters& characters,
             std::shared_ptr<const StopWords> stop_words = nullptr, std::shared_ptr<Stems> stems = nullptr)
        : options_(options),
          stop_words_(std::move(stop_words)),
          stems_(std::move(stems)),
          characters_(characters),
          steps_(characters, options.lowercase, options.fold_accents),
          ascii_scan_(choose_ascii_scan()),
          edge_scan_(choose_edge_scan()) {
        if (options.ngram_min < 1 || options.ngram_max < options.ngram_min || options.ngram_max > 16) {
            throw std::invalid_argument("n-grams must be a range within 1 to 16, such as 1-2");
        }
    }

    const AnalyzerOptions& options() const { return options_; }
    const StopWords* stop_words() const { return stop_words_.get(); }
    Stems* stems() const { return stems_.get(); }

    // Words (or character n-grams) of a text, in order and as they are written, into scratch.spans; `prefix` is put
    // before each.
    void spans(std::string_view text, std::string_view prefix, Scratch& scratch) const {
        find_spans(text, scratch, options_.ngram_min, options_.ngram_max);
        if (!prefix.empty()) put_prefix(prefix, scratch);
    }

    // What n-grams are made of, with the marks: the words (or their stems), or the single characters, of a text.
    void tokens(std::string_view text, Scratch& scratch) const {
        find_spans(text, scratch, 1, 1);
        if (stems_) stems_->replace(scratch.spans, scratch.stem_ids, scratch.stems);
    }

    // Words already told apart, as they are written, into scratch.spans.
    void take_words(std::span<const Span> words, Scratch& scratch) const {
        scratch.spans.resize(words.size());
        std::copy(words.begin(), words.end(), scratch.spans.begin());
        if (stop_words_) stop_words_->take_out_of(scratch.spans);
        if (!options_.boundaries) return;
        for (const Span& word : words) {
            if (word.length == 0) {
                throw std::invalid_argument("a word is empty, so nothing tells what follows it; take it out");
            }
            if (is_mark(word)) {
                throw std::invalid_argument(
                    "the token '<s>' or '</s>' stands for the beginning or end of a document; take it out of the "
                    "words");
            }
        }
        put_marks(scratch);
    }

    // The same as n-grams are made of them.
    void tokens_of_words(std::span<const Span> words, Scratch& scratch) const {
        take_words(words, scratch);
        if (stems_) stems_->replace(scratch.spans, scratch.stem_ids, scratch.stems);
    }

    // All features of a text: unigrams first, then bigrams, ... as scikit-learn lists them.
    const Buffer<Span>& features(std::string_view text, std::string_view prefix, Scratch& scratch) const {
        find_spans(text, scratch, options_.ngram_min, options_.ngram_max);
        if (stems_) stems_->replace(scratch.spans, scratch.stem_ids, scratch.stems);
        if (!prefix.empty()) put_prefix(prefix, scratch);
        return with_ngrams(scratch);
    }

    // The features of words told apart elsewhere.
    const Buffer<Span>& features_of_words(std::span<const Span> words, Scratch& scratch,
                                          bool as_written = false) const {
        take_words(words, scratch);
        if (stems_ && !as_written) stems_->replace(scratch.spans, scratch.stem_ids, scratch.stems);
        return with_ngrams(scratch);
    }

    // scratch.spans and their n-grams.
    const Buffer<Span>& with_ngrams(Scratch& scratch) const {
        if (options_.features != Features::words || options_.ngram_max == 1) return scratch.spans;
        join_words(scratch);
        return scratch.features;
    }

  private:
    static constexpr int kAsciiRun = 4;

    // Character n-grams of these orders.
    void find_spans(std::string_view text, Scratch& scratch, int shortest, int longest) const {
        if (text.size() > kLongestDocument) throw std::invalid_argument("a document is longer than 1 GiB; split it");
        scratch.spans.clear();
        if (options_.features == Features::words) {
            const size_t size = normalise(text, scratch);
            find_edges(size, scratch);
            collect_words(scratch);
            if (options_.boundaries) put_marks(scratch);
        } else {
            character_ngrams(text, scratch, shortest, longest);
        }
    }

    static uint8_t* room(Buffer<uint8_t>& buffer, size_t size) {
        buffer.resize(size + kPadding);
        return buffer.data();
    }

    AnalyzerOptions options_;
    std::shared_ptr<const StopWords> stop_words_;
    std::shared_ptr<Stems> stems_;
    const Characters& characters_;
    Steps steps_;
    AsciiScan ascii_scan_;
    EdgeScan edge_scan_;

    struct Writer {
        uint8_t* out;
        uint64_t* mask;
        size_t at = 0;
        bool after_alone = false;  // the next word character starts a new word

        void mark(uint64_t bits, size_t position) {
            const unsigned shift = position & 63;
            mask[position >> 6] |= bits << shift;
            if (shift != 0) mask[(position >> 6) + 1] |= bits >> (64 - shift);
        }
        void separate() {
            out[at++] = ' ';
            after_alone = false;
        }
        void word_point(char32_t c) {
            const int size = encode_utf8(c, out + at);
            mark((uint64_t{1} << size) - 1, at);
            at += static_cast<size_t>(size);
        }
    };

    size_t normalise(std::string_view text, Scratch& scratch) const {
        // Twice the input is enough: lower-casing adds at most one byte to two, a separator one to three.
        const size_t bound = 2 * text.size() + kPadding;
        Writer writer{room(scratch.text, bound), nullptr};
        scratch.mask.assign(bound / 64 + 2, 0);
        writer.mask = scratch.mask.data();
        const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
        const uint8_t* end = begin + text.size();
        for (const uint8_t* p = begin; p < end;) {
            const size_t left = static_cast<size_t>(end - p);
            const size_t step = left < 64 ? left : 64;
            AsciiBlock block;
            if (left >= 64) {
                block = ascii_scan_(p, writer.out + writer.at, options_.lowercase);
            } else {
                uint8_t tail[64] = {};
                std::memcpy(tail, p, left);
                block = ascii_scan_(tail, writer.out + writer.at, options_.lowercase);
            }
            if (block.other == 0) {
                writer.mark(block.word, writer.at);
                writer.at += step;
                p += step;
                continue;
            }
            const int ascii = std::countr_zero(block.other);
            writer.mark(block.word & ((uint64_t{1} << ascii) - 1), writer.at);
            writer.at += static_cast<size_t>(ascii);
            p = normalise_wide(begin, p + ascii, end, writer);
        }
        return writer.at;
    }

    // Code point by code point, until a few ASCII bytes in a row promise that blocks pay again.
    const uint8_t* normalise_wide(const uint8_t* begin, const uint8_t* p, const uint8_t* end, Writer& writer) const {
        for (int ascii_run = 0; p < end && ascii_run < kAsciiRun;) {
            if (!writer.after_alone) {
                ascii_run = normalise_steps(p, end, ascii_run, writer);
                if (p == end || ascii_run == kAsciiRun) break;
            }
            ascii_run = *p < 0x80 ? ascii_run + 1 : 0;
            const uint8_t* start = p;
            const char32_t c = decode_utf8(p, end);
            look_closer(c, begin, start, p, end, writer);
        }
        if (writer.after_alone) writer.separate();
        return p;
    }

    // The same as far as single steps lead, without a memory access for every bit of the mask.
    int normalise_steps(const uint8_t*& p, const uint8_t* end, int ascii_run, Writer& writer) const {
        const size_t first = writer.at;
        uint8_t* out = writer.out + first;
        uint64_t bits = 0;
        unsigned size = 0;
        while (p < end && ascii_run < kAsciiRun && size <= 60) {
            const uint8_t* next = p;
            const Step step = steps_[decode_utf8(next, end)];
            if (!step.known()) break;
            ascii_run = *p < 0x80 ? ascii_run + 1 : 0;
            step.write(out + size);
            bits |= step.word_bits() << size;
            size += step.size();
            p = next;
        }
        writer.mark(bits, first);
        writer.at += size;
        return ascii_run;
    }

    // Any character, with regard to its neighbours; it stands at start..p.
    void look_closer(char32_t c, const uint8_t* begin, const uint8_t* start, const uint8_t* p, const uint8_t* end,
                     Writer& writer) const {
        if (c == kInvalid) {
            writer.separate();
        } else if (!options_.lowercase) {
            put(c, writer);
        } else if (c == kDottedCapitalI) {
            put('i', writer);
            put(kDotAbove, writer);
        } else if (c == kCapitalSigma) {
            put(is_final_sigma(characters_, after_cased(begin, start), p, end) ? kFinalSigma : 0x3C3, writer);
        } else {
            put(characters_.lower(c), writer);
        }
    }

    // Whether the text before `p` ends in a cased letter, case-ignorable characters aside.
    bool after_cased(const uint8_t* begin, const uint8_t* p) const {
        while (p > begin) {
            const uint8_t* start = p - 1;
            while (start > begin && p - start < 4 && (*start & 0xC0) == 0x80) --start;
            const uint8_t* stop = start;
            const char32_t c = decode_utf8(stop, p);
            if (c == kInvalid || stop != p) return false;
            const uint8_t property = characters_.properties(c);
            if (!(property & kCaseIgnorable)) return (property & kCased) != 0;
            p = start;
        }
        return false;
    }

    void put(char32_t c, Writer& writer) const {
        if (options_.fold_accents && c != 0 && (c = characters_.fold(c)) == 0) return;  // NUL is no accent
        const uint8_t property = characters_.properties(c);
        if (!(property & kWord)) {
            writer.separate();
        } else if (property & kAlone) {
            writer.separate();
            writer.word_point(c);
            writer.after_alone = true;
        } else if (property & kMark) {
            writer.word_point(c);
        } else {
            if (writer.after_alone) writer.separate();
            writer.word_point(c);
        }
    }

    void find_edges(size_t size, Scratch& scratch) const {
        scratch.edges.resize(size + 1 + 64);
        const size_t words = size / 64 + 1;  // one bit beyond the text is always clear, so every word ends
        scratch.edge_count = edge_scan_(scratch.mask.data(), words, scratch.edges.data());
    }

    void collect_words(Scratch& scratch) const {
        const size_t count = scratch.edge_count;
        const uint8_t* text = scratch.text.data();
        // subtle: a stop word may be a run of short words ("s t" in min_length 2), so those go after it
        const int64_t shortest = stop_words_ ? 1 : options_.min_length;
        scratch.spans.resize(count / 2);
        Span* next = scratch.spans.data();
        for (size_t i = 0; i < count; i += 2) {
            const uint32_t start = scratch.edges[i], length = scratch.edges[i + 1] - start;
            if (shortest > 1 && length < 4 * shortest && too_short(text + start, length)) continue;
            *next++ = {text + start, length};
        }
        scratch.spans.resize(static_cast<size_t>(next - scratch.spans.data()));
        if (stop_words_) {
            stop_words_->take_out_of(scratch.spans);
            if (options_.min_length > 1) drop_short(scratch.spans);
        }
    }

    void drop_short(Buffer<Span>& words) const {
        Span* end = std::remove_if(words.begin(), words.end(),
                                   [&](const Span& word) { return too_short(word.data, word.length); });
        words.resize(static_cast<size_t>(end - words.begin()));
    }

    bool too_short(const uint8_t* word, uint32_t length) const {
        int points = 0;
        for (uint32_t i = 0; i < length; ++i) points += (word[i] & 0xC0) != 0x80;
        if (points >= options_.min_length) return false;
        const uint8_t* p = word;  // characters of scripts without spaces are words of their own, however short
        return !(characters_.properties(decode_utf8(p, word + length)) & kAlone);
    }

    static bool is_mark(const Span& word) {
        const std::string_view text{reinterpret_cast<const char*>(word.data), word.length};
        return text == "<s>" || text == "</s>";
    }

    static void put_marks(Scratch& scratch) {
        const size_t count = scratch.spans.size();
        scratch.spans.resize(count + 2);
        Span* words = scratch.spans.data();
        std::memmove(words + 1, words, count * sizeof(Span));
        words[0] = {kBeginWord, 3};
        words[count + 1] = {kEndWord, 4};
    }

    static void put_prefix(std::string_view prefix, Scratch& scratch) {
        size_t total = 0;
        for (const Span& span : scratch.spans) total += prefix.size() + span.length;
        uint8_t* out = room(scratch.prefixed, total);
        for (Span& span : scratch.spans) {
            std::memcpy(out, prefix.data(), prefix.size());
            std::memcpy(out + prefix.size(), span.data, span.length);
            span = {out, static_cast<uint32_t>(prefix.size()) + span.length};
            out += span.length;
        }
    }

    void join_words(Scratch& scratch) const {
        const auto& words = scratch.spans;
        auto& features = scratch.features;
        features.clear();
        size_t bytes = words.size();
        for (const Span& word : words) bytes += word.length;
        const auto longest = static_cast<size_t>(options_.ngram_max);
        uint8_t* out = room(scratch.joined, bytes * longest * (longest + 1) / 2);
        for (auto n = static_cast<size_t>(options_.ngram_min); n <= longest; ++n) {
            if (n == 1) {
                for (const Span& word : words) features.push_back(word);
                continue;
            }
            for (size_t first = 0; first + n <= words.size(); ++first) {
                uint8_t* start = out;
                for (size_t i = first; i < first + n; ++i) {
                    if (i != first) *out++ = ' ';
                    std::memcpy(out, words[i].data, words[i].length);
                    out += words[i].length;
                }
                features.push_back({start, static_cast<uint32_t>(out - start)});
            }
        }
    }

    // --- character n-grams -------------------------------------------------------------------------------------

    void character_ngrams(std::string_view text, Scratch& scratch, int shortest, int longest) const {
        if (options_.features == Features::chars_across) {
            lower_points(text, scratch, false);
            across(0, scratch.points.size() - 1, scratch, shortest, longest);
        } else {
            lower_points(text, scratch, true);
            inside(scratch);
        }
    }

    // Lower-cased code points into scratch.text with their offsets; words padded by one space on each side when
    // `pad`, else runs of two or more white-space characters reduced to one space.
    void lower_points(std::string_view text, Scratch& scratch, bool pad) const {
        uint8_t* out = room(scratch.text, 4 * text.size() + kPadding);
        auto& points = scratch.points;
        auto& is_space = scratch.is_space;
        points.clear();
        is_space.clear();
        size_t at = 0;
        const auto put_mark = [&](uint8_t mark) {
            points.push_back(static_cast<uint32_t>(at));
            is_space.push_back(0);
            out[at++] = mark;
        };
        const auto put_point = [&](char32_t c) {
            if (options_.boundaries && (c == kBeginChar || c == kEndChar)) c = ' ';
            if (options_.fold_accents && c != 0 && (c = characters_.fold(c)) == 0) return;  // NUL is no accent
            const bool space = (characters_.properties(c) & kSpace) != 0;
            const bool after_space = !is_space.size() == 0 && is_space[is_space.size() - 1];
            if (pad ? space && (is_space.size() == 0 || after_space) : space && after_space) {
                if (!pad) out[points[points.size() - 1]] = ' ', at = points[points.size() - 1] + 1;
                return;
            }
            if (pad && !space && (is_space.size() == 0 || after_space)) {  // a word begins: its own padding space
                points.push_back(static_cast<uint32_t>(at));
                is_space.push_back(2);
                out[at++] = ' ';
            }
            points.push_back(static_cast<uint32_t>(at));
            is_space.push_back(space);
            if (pad && space) {
                out[at++] = ' ';
            } else {
                at += static_cast<size_t>(encode_utf8(c, out + at));
            }
        };
        const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
        const uint8_t* end = begin + text.size();
        if (options_.boundaries) put_mark(kBeginChar);
        for (const uint8_t* p = begin; p < end;) {
            const uint8_t* start = p;
            char32_t c = decode_utf8(p, end);
            if (c == kInvalid) {
                put_point(0xFFFD);
            } else if (!options_.lowercase) {
                put_point(c);
            } else if (c == kDottedCapitalI) {
                put_point('i');
                put_point(kDotAbove);
            } else if (c == kCapitalSigma) {
                put_point(is_final_sigma(characters_, after_cased(begin, start), p, end) ? kFinalSigma : 0x3C3);
            } else {
                put_point(characters_.lower(c));
            }
        }
        if (pad && !is_space.size() == 0 && !is_space[is_space.size() - 1]) put_point(' ');
        if (options_.boundaries) put_mark(kEndChar);
        points.push_back(static_cast<uint32_t>(at));
    }

    void gram(size_t first, size_t last, Scratch& scratch) const {
        const uint32_t start = scratch.points[first];
        scratch.spans.push_back({scratch.text.data() + start, scratch.points[last] - start});
    }

    void across(size_t first, size_t last, Scratch& scratch, int shortest, int longest) const {
        for (int n = shortest; n <= longest; ++n) {
            const auto size = static_cast<size_t>(n);
            for (size_t i = first; i + size <= last; ++i) gram(i, i + size, scratch);
        }
    }

    // Each word with a space on both sides; a word shorter than n is counted once, whole (as scikit-learn's char_wb).
    void inside(Scratch& scratch) const {
        const size_t count = scratch.is_space.size();
        for (size_t first = 0; first < count;) {
            size_t last = first + 1;  // the closing space
            while (scratch.is_space[last] != 1) ++last;
            ++last;
            for (int n = options_.ngram_min; n <= options_.ngram_max; ++n) {
                const auto size = static_cast<size_t>(n);
                if (size >= last - first) {
                    gram(first, last, scratch);
                    break;
                }
                for (size_t i = first; i + size <= last; ++i) gram(i, i + size, scratch);
            }
            first = last;
        }
    }
};

}  // namespace priori
