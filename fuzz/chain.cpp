// Fuzzes the chains of n-gram language models: any terms, of words or of characters, and documents of any tokens.
//
// Terms that lack a shorter n-gram must be refused. Of others, every link, token score and sum must be that of back-off
// by its definition, over a map of n-grams; also where two threads read one chain by weights of their own. Numbers are
// whole multiples of 1/64, so that sums are exact in any order.
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "chain_scores.hpp"
#include "driver.hpp"
#include "nasty.hpp"

using namespace fuzz;
using namespace priori;

namespace {

using Tokens = std::vector<std::string>;
using Gram = std::vector<int>;  // tokens by number

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr size_t kPiece = 1 << 13;  // what score_tokens scores at once

bool goes_on(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }
bool is_control(char byte) { return static_cast<uint8_t>(byte) < ' '; }

// --- terms -----------------------------------------------------------------------------------------------------------

struct Kind {
    bool words;
    size_t order;
};

// A term's tokens; none where it is no n-gram of these orders.
std::optional<Tokens> split(const std::string& term, const Kind& kind) {
    if (kind.order == 1) return Tokens{term};
    Tokens tokens;
    if (kind.words) {
        if (term.empty() || term.front() == ' ' || term.back() == ' ') return std::nullopt;
        for (size_t at = 0; at <= term.size();) {
            const size_t end = std::min(term.find(' ', at), term.size());
            tokens.push_back(term.substr(at, end - at));
            at = end + 1;
        }
    } else {
        std::string lost;  // bytes that go on before any character has begun belong to the first
        for (const char byte : term) {
            if (!goes_on(byte)) {
                tokens.push_back(std::exchange(lost, "") + byte);
            } else {
                (tokens.empty() ? lost : tokens.back()) += byte;
            }
        }
        if (tokens.empty()) return std::nullopt;
    }
    return tokens.size() <= kind.order ? std::optional(tokens) : std::nullopt;
}

std::string join(std::span<const std::string> tokens, bool words) {
    std::string term;
    for (size_t i = 0; i < tokens.size(); ++i) term += (words && i > 0 ? " " : "") + tokens[i];
    return term;
}

// Finished terms, on heap blocks of exactly their size.
struct Terms {
    std::vector<int64_t> offsets = {0};
    Exact bytes;
    TermIndex index;

    explicit Terms(const std::set<std::string>& terms) : bytes(put(terms)), index(nullptr, nullptr, 0) {
        offsets.shrink_to_fit();
        index = {offsets.data(), reinterpret_cast<const uint8_t*>(bytes.view().data()), terms.size()};
    }
    Terms(const Terms&) = delete;

  private:
    std::string put(const std::set<std::string>& terms) {
        std::string all;
        for (const std::string& term : terms) {
            all += term;
            offsets.push_back(static_cast<int64_t>(all.size()));
        }
        return all;
    }
};

// --- the definition --------------------------------------------------------------------------------------------------

class Naive {
  public:
    Naive(const std::set<std::string>& terms, const Kind& kind) : kind_(kind) {
        for (const std::string& term : terms) {
            const std::optional<Tokens> tokens = split(term, kind);
            sound_ = sound_ && tokens.has_value();
            if (!tokens) continue;
            Gram gram;
            for (const std::string& token : *tokens) {
                gram.push_back(numbers_.try_emplace(token, static_cast<int>(numbers_.size())).first->second);
            }
            longest_ = std::max(longest_, gram.size());
            grams_.push_back(gram);
            ids_[gram] = static_cast<int>(grams_.size()) - 1;
        }
    }

    // Every n-gram without its first or its last token is there too.
    bool is_closed() const {
        return sound_ && std::ranges::all_of(grams_, [&](const Gram& gram) {
                   return gram.size() == 1 || (find(first(gram)) >= 0 && find(rest(gram)) >= 0);
               });
    }

    // A chain may want every n-gram to stand before all that go on from it with nothing of its order between them:
    // words without control characters and whole characters see to that.
    bool is_orderly() const {
        for (const auto& [token, number] : numbers_) {
            if (kind_.words && std::ranges::any_of(token, is_control)) return false;
            const auto next = numbers_.upper_bound(token);
            if (!kind_.words && next != numbers_.end() && next->first.starts_with(token)) return false;
        }
        return true;
    }

    // As numbers; -1 for one that no term has.
    Gram numbers(const Tokens& tokens) const {
        Gram result;
        for (const std::string& token : tokens) {
            const auto found = numbers_.find(token);
            result.push_back(found == numbers_.end() ? -1 : found->second);
        }
        return result;
    }

    int find(std::span<const int> gram) const {
        const auto found = ids_.find(Gram(gram.begin(), gram.end()));
        return found == ids_.end() ? -1 : found->second;
    }

    void check_links(const Chain::Links& links) const {
        for (size_t id = 0; id < grams_.size(); ++id) {
            const Gram& gram = grams_[id];
            const bool alone = gram.size() == 1;
            check(links.order[id] == static_cast<int>(gram.size()), "an order is another");
            check(links.prefix[id] == (alone ? -1 : find(first(gram))), "a prefix is another");
            check(links.suffix[id] == (alone ? -1 : find(rest(gram))), "a suffix is another");
            check(links.last[id] == find(std::span(gram).last(1)), "a last token is another");
        }
    }

    // The mark at the beginning is history only; where single tokens are all, it is a token as others are.
    bool is_predicted(const Gram& document, size_t at) const {
        if (at > 0 || kind_.order == 1) return true;
        const auto mark = numbers_.find(kind_.words ? "<s>" : "\x02");
        return mark == numbers_.end() || find({&mark->second, 1}) < 0 || document[0] != mark->second;
    }

    TokenScore score(const Gram& document, size_t at, const ChainModel& model) const {
        const std::span<const int> whole = std::span(document).first(at + 1);
        const std::span<const int> gram = whole.last(std::min(whole.size(), longest_));
        size_t matched = gram.size();
        while (matched > 0 && find(gram.last(matched)) < 0) --matched;
        const int token = find(gram.last(1));
        const bool counts = matched > 0 || model.unknown_counts;
        return {counts ? log_prob(gram, model) : 0.0, token < 0 ? kAbsent : static_cast<uint32_t>(token),
                static_cast<uint8_t>(matched)};
    }

    // Calls visit(id) for every n-gram of a document that is a term.
    template <class Visit>
    void each(const Gram& document, Visit visit) const {
        for (size_t at = 0; at < document.size(); ++at) {
            for (size_t n = 1; n <= longest_ && at + n <= document.size(); ++n) {
                const int id = find(std::span(document).subspan(at, n));
                if (id >= 0) visit(static_cast<size_t>(id));
            }
        }
    }

    size_t size() const { return grams_.size(); }
    size_t longest() const { return longest_; }

  private:
    Kind kind_;
    bool sound_ = true;
    size_t longest_ = 1;
    std::map<std::string, int> numbers_;
    std::vector<Gram> grams_;  // by term
    std::map<Gram, int> ids_;

    static std::span<const int> first(std::span<const int> gram) { return gram.first(gram.size() - 1); }
    static std::span<const int> rest(std::span<const int> gram) { return gram.subspan(1); }

    // log p(w | h), hw the gram: its own, or else what h leaves to w after h without its first token.
    double log_prob(std::span<const int> gram, const ChainModel& model) const {
        const int id = find(gram);
        if (id >= 0) return model.log_prob[id];
        if (gram.size() == 1) return model.unknown_log_prob;
        const int history = find(first(gram));
        return (history >= 0 ? model.backoff[history] : 0.0) + log_prob(rest(gram), model);
    }
};

// --- what is tried ---------------------------------------------------------------------------------------------------

// A document's tokens with sixteen readable bytes each and not one more.
class Document {
  public:
    explicit Document(const Tokens& tokens) {
        for (const std::string& token : tokens) {
            std::string padded = token;
            if (padded.size() < kInlineBytes) padded.resize(kInlineBytes, '\xaa');
            const Exact& room = room_.try_emplace(token, padded).first->second;
            spans_.push_back(
                {reinterpret_cast<const uint8_t*>(room.view().data()), static_cast<uint32_t>(token.size())});
        }
    }
    std::span<const Span> spans() const { return spans_; }

  private:
    std::map<std::string, Exact> room_;
    std::vector<Span> spans_;
};

std::string token_of(const Bytes& input, bool words, Random& random) {
    using namespace std::string_literals;
    static const Tokens kWords = {"a",     "b",    "ab",   "<s>", "</s>", "<unk>", "é",
                                  "c\x80", "\x80", "\xff", "a\t", "a\0"s, "\0"s};
    static const Tokens kLong = {std::string(15, 'k'), std::string(16, 'k'), std::string(17, 'k'), std::string(64, 'l'),
                                 std::string(64, 'l') + "m"};
    static const Tokens kCharacters = {
        "a", "b",  "\x02", "\x03", "é",    "€",    "À",     "\U0001F600",
        " ", "\n", "\0"s,  "\x7f", "\xff", "\xc3", "a\x80", "b" + std::string(16, '\x80')};
    if (words && random.one_in(5)) return random.pick(kLong);
    if (input.empty() || !random.one_in(3)) return random.pick(words ? kWords : kCharacters);
    const size_t start = random.below(input.size());
    std::string token(view(input).substr(start, words ? 1 + random.below(40) : 24));
    if (words) {
        const bool with_controls = random.one_in(4);
        for (char& c : token) {
            if (c == ' ' || (is_control(c) && !with_controls)) c = '_';
        }
        return token;
    }
    const auto end = std::find_if_not(token.begin() + 1, token.end(), goes_on);
    return {token.begin(), end};
}

Tokens tokens_of(const Tokens& alphabet, size_t size, Random& random) {
    Tokens tokens;
    for (size_t i = 0; i < size; ++i) tokens.push_back(random.pick(alphabet));
    return tokens;
}

void put_ngrams(const Tokens& tokens, const Kind& kind, std::set<std::string>& terms) {
    for (size_t n = 1; n <= kind.order; ++n) {
        for (size_t at = 0; at + n <= tokens.size(); ++at) {
            terms.insert(join(std::span(tokens).subspan(at, n), kind.words));
        }
    }
}

void make_hostile(std::set<std::string>& terms, const Tokens& alphabet, const Bytes& input, bool words,
                  Random& random) {
    static const Tokens kOdd = {"", " ", "  ", "a ", " a", "a  b", "\x80", "\x80\x80"};
    switch (random.below(4)) {
        case 0:
            if (!terms.empty()) terms.erase(std::next(terms.begin(), static_cast<int64_t>(random.below(terms.size()))));
            break;
        case 1:
            terms.insert(join(tokens_of(alphabet, 1 + random.below(19), random), words));
            break;
        case 2: {
            const size_t start = random.below(input.size() + 1);
            terms.insert(std::string(view(input).substr(start, random.below(40))));
            break;
        }
        default:
            terms.insert(random.pick(kOdd));
    }
}

size_t length_of(Random& random) {
    if (random.one_in(150)) return kPiece * (1 + random.below(2)) - 3 + random.below(24);
    return random.below(random.one_in(20) ? 400 : 14);
}

std::vector<double> numbers(size_t size, Random& random) {
    const bool with_never = random.one_in(4);
    std::vector<double> result(size);
    for (double& x : result) {
        x = with_never && random.one_in(8) ? kNever : static_cast<double>(random.below(2048)) / 64 - 24;
    }
    return result;
}

void try_tokens(const Chain& chain, const Naive& naive, const std::vector<Tokens>& documents, Random& random) {
    const std::vector<double> log_prob = numbers(naive.size(), random), backoff = numbers(naive.size(), random);
    const ChainModel model{log_prob.data(), backoff.data(), -3.25, !random.one_in(3)};
    ChainWork work;  // one for all documents, as in a thread
    Buffer<uint32_t> table;
    for (const Tokens& tokens : documents) {
        const Document document(tokens);
        const Gram gram = naive.numbers(tokens);
        size_t at = 0;
        const auto pass_over = [&] {
            while (at < gram.size() && !naive.is_predicted(gram, at)) ++at;
        };
        score_tokens(chain, model, document.spans(), work, table, [&](const TokenScore& score) {
            pass_over();
            check(at < gram.size(), "more tokens are scored than there are");
            const TokenScore expected = naive.score(gram, at++, model);
            check(score.token == expected.token, "a token is another");
            check(score.matched == expected.matched, "what matches is shorter or longer");
            check(score.log_prob == expected.log_prob, "a token has another probability");
        });
        pass_over();
        check(at == gram.size(), "fewer tokens are scored than there are");
    }
}

// The pairs of terms and classes, which all readings of a chain share.
struct Pairs {
    size_t classes;
    std::vector<int64_t> offsets = {0};
    std::vector<int32_t> cls;

    Pairs(size_t terms, Random& random) : classes(1 + random.below(random.one_in(5) ? 40 : 9)) {
        const size_t rare = 1 + random.below(4);
        for (size_t id = 0; id < terms; ++id) {
            for (size_t c = 0; c < classes; ++c) {
                if (random.one_in(rare)) cls.push_back(static_cast<int32_t>(c));
            }
            offsets.push_back(static_cast<int64_t>(cls.size()));
        }
    }

    ChainRows rows(std::shared_ptr<Chain> chain, const std::vector<double>& weight) const {
        return {std::move(chain), offsets.data(), cls.data(), weight.data(), offsets.size() - 1, classes};
    }
};

struct Totals {
    std::vector<double> sums;  // by class
    size_t known = 0, unknown = 0;
    double ngrams = 0;
    bool operator==(const Totals&) const = default;
};

Totals naive_totals(const Naive& naive, const Gram& document, const Kind& kind, const Pairs& pairs,
                    const std::vector<double>& weight) {
    Totals totals{std::vector<double>(pairs.classes)};
    naive.each(document, [&](size_t id) {
        for (auto p = static_cast<size_t>(pairs.offsets[id]); p < static_cast<size_t>(pairs.offsets[id + 1]); ++p) {
            totals.sums[static_cast<size_t>(pairs.cls[p])] += weight[p];
        }
    });
    for (size_t at = 0; at < document.size(); ++at) {
        const bool known = naive.find({&document[at], 1}) >= 0;
        totals.known += known && naive.is_predicted(document, at);
        totals.unknown += !known;
        totals.ngrams += static_cast<double>(std::min(at + 1, kind.order));
    }
    return totals;
}

void check_rows(const ChainRows& rows, size_t classes, const std::vector<Document>& documents,
                const std::vector<Totals>& expected) {
    ChainWork work;
    std::vector<double> room;
    for (size_t i = 0; i < documents.size(); ++i) {
        Sums sums(room, classes);
        const ChainRows::Tokens found = rows.add_up(documents[i].spans(), sums, work);
        Totals totals{{}, found.known, found.unknown, found.ngrams};
        for (size_t c = 0; c < classes; ++c) totals.sums.push_back(sums.total(c));
        check(totals.sums == expected[i].sums, "the sum of a class is another");
        check(totals == expected[i], "the tokens are counted otherwise");
    }
}

// Two readings of one chain, each built and used in a thread of its own.
void try_rows(const std::shared_ptr<Chain>& chain, const Naive& naive, const Kind& kind,
              const std::vector<Tokens>& documents, Random& random) {
    const Pairs pairs(naive.size(), random);
    const std::vector<double> weights[2] = {numbers(pairs.cls.size(), random), numbers(pairs.cls.size(), random)};
    std::vector<Document> texts;
    std::vector<Totals> expected[2];
    for (const Tokens& tokens : documents) {
        texts.emplace_back(tokens);
        for (size_t i = 0; i < 2; ++i)
            expected[i].push_back(naive_totals(naive, naive.numbers(tokens), kind, pairs, weights[i]));
    }
    std::string wrong[2];
    const auto read = [&](size_t i) {
        try {
            check_rows(pairs.rows(chain, weights[i]), pairs.classes, texts, expected[i]);
        } catch (const std::exception& error) {
            wrong[i] = error.what();
        }
    };
    std::thread other;
    if (random.one_in(4)) {
        other = std::thread(read, 1);
        read(0);
        other.join();
    } else {
        read(0);
        read(1);
    }
    for (const std::string& what : wrong) check(what.empty(), what.c_str());
    if (pairs.cls.empty()) return;
    const std::vector<int64_t> none(naive.size() + 1);
    bool refused = false;
    try {
        ChainRows(chain, none.data(), nullptr, nullptr, naive.size(), pairs.classes);
    } catch (const std::logic_error&) {
        refused = true;
    }
    check(refused, "weights of another layout are taken");
}

void target(const Bytes& input, Random& random) {
    const Kind counted{random.one_in(2), 1 + random.below(random.one_in(4) ? Chain::kLongest : 4)};
    Tokens alphabet;
    for (size_t i = 2 + random.below(5); i > 0; --i) alphabet.push_back(token_of(input, counted.words, random));
    std::set<std::string> terms;
    std::vector<Tokens> documents;
    const bool marks = random.one_in(2);
    for (size_t i = random.below(5); i > 0; --i) {
        Tokens tokens = tokens_of(alphabet, random.below(random.one_in(20) ? 200 : 14), random);
        if (marks) {
            tokens.insert(tokens.begin(), counted.words ? "<s>" : "\x02");
            tokens.push_back(counted.words ? "</s>" : "\x03");
        }
        put_ngrams(tokens, counted, terms);
        documents.push_back(tokens);
    }
    for (size_t i = random.one_in(2) ? 0 : 1 + random.below(3); i > 0; --i)
        make_hostile(terms, alphabet, input, counted.words, random);

    const Kind kind{counted.words, random.one_in(8) ? random.below(Chain::kLongest + 3) : counted.order};
    const Terms finished(terms);
    const bool possible = kind.order >= 1 && kind.order <= Chain::kLongest;
    const Naive naive(terms, possible ? kind : Kind{kind.words, 1});
    const bool closed = possible && naive.is_closed();
    std::shared_ptr<Chain> chain;
    try {
        chain = std::make_shared<Chain>(finished.index, kind.words, kind.order);
    } catch (const std::invalid_argument&) {
        check(!closed || !naive.is_orderly(), "closed terms are refused");
        return;
    }
    check(closed, "terms that are not closed are taken");
    check(chain->longest() == naive.longest() && chain->order() == kind.order, "the orders are others");
    naive.check_links(chain->take_links());

    alphabet.push_back(token_of(input, counted.words, random));  // one that may never have been seen
    if (random.one_in(4)) alphabet.push_back(random.pick(Tokens{"", " ", "a b", "\x80"}));
    for (size_t i = 1 + random.below(3); i > 0; --i)
        documents.push_back(tokens_of(alphabet, length_of(random), random));
    if (marks) documents.back().insert(documents.back().begin(), counted.words ? "<s>" : "\x02");
    try_tokens(*chain, naive, documents, random);
    try_rows(chain, naive, kind, documents, random);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, nasty_texts(), target); }
