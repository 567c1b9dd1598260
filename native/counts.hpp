// Finished counts: terms in the order of their bytes, and for each its classes in ascending order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace priori {

struct TermCounts {
    std::vector<int64_t> term_offsets = {0};
    std::vector<uint8_t> term_bytes;
    std::vector<int64_t> pair_offsets = {0};
    std::vector<int32_t> pair_class;
    std::vector<int64_t> pair_occurrences, pair_documents;

    // A term with no pair left is no term.
    void close_term(std::string_view text) {
        if (static_cast<int64_t>(pair_class.size()) == pair_offsets.back()) return;
        term_bytes.insert(term_bytes.end(), text.begin(), text.end());
        term_offsets.push_back(static_cast<int64_t>(term_bytes.size()));
        pair_offsets.push_back(static_cast<int64_t>(pair_class.size()));
    }

    void push_pair(int32_t cls, int64_t occurrences, int64_t documents) {
        if (occurrences == 0 && documents == 0) return;
        pair_class.push_back(cls);
        pair_occurrences.push_back(occurrences);
        pair_documents.push_back(documents);
    }
};

// The same as borrowed arrays, as they come from memory or from a mapped file.
struct TermCountsView {
    const int64_t* term_offsets;
    const uint8_t* term_bytes;
    const int64_t* pair_offsets;
    const int32_t* pair_class;
    const int64_t* pair_occurrences;
    const int64_t* pair_documents;
    size_t terms;

    std::string_view term(size_t j) const {
        return {reinterpret_cast<const char*>(term_bytes) + term_offsets[j],
                static_cast<size_t>(term_offsets[j + 1] - term_offsets[j])};
    }
};

// a + sign * b. `class_a` and `class_b` map class ids to those of the result; `factor_a` and `factor_b` scale units.
// `place_a` and `place_b` receive for each term its place in the result, or -1.
inline TermCounts combine(const TermCountsView& a, const TermCountsView& b, const int32_t* class_a,
                          const int32_t* class_b, int64_t factor_a, int64_t factor_b, int32_t* place_a,
                          int32_t* place_b) {
    TermCounts out;
    size_t i = 0, j = 0;
    while (i < a.terms || j < b.terms) {
        const int order = i == a.terms ? 1 : j == b.terms ? -1 : a.term(i).compare(b.term(j));
        int64_t p = order <= 0 ? a.pair_offsets[i] : 0, p_end = order <= 0 ? a.pair_offsets[i + 1] : 0;
        int64_t q = order >= 0 ? b.pair_offsets[j] : 0, q_end = order >= 0 ? b.pair_offsets[j + 1] : 0;
        while (p < p_end || q < q_end) {  // both ascend: class maps keep the order
            const int32_t left = p < p_end ? class_a[a.pair_class[p]] : INT32_MAX;
            const int32_t right = q < q_end ? class_b[b.pair_class[q]] : INT32_MAX;
            int64_t occurrences = 0, documents = 0;
            if (left <= right) {
                occurrences += factor_a * a.pair_occurrences[p];
                documents += factor_a * a.pair_documents[p++];
            }
            if (right <= left) {
                occurrences += factor_b * b.pair_occurrences[q];
                documents += factor_b * b.pair_documents[q++];
            }
            out.push_pair(left < right ? left : right, occurrences, documents);
        }
        const size_t before = out.term_offsets.size();
        out.close_term(order <= 0 ? a.term(i) : b.term(j));
        const auto place = out.term_offsets.size() > before ? static_cast<int32_t>(before - 1) : -1;
        if (order <= 0) place_a[i++] = place;
        if (order >= 0) place_b[j++] = place;
    }
    return out;
}

// The same counts with further terms, sorted and none of them there yet, that have no pairs.
inline void insert_terms(const TermCountsView& a, const std::vector<std::string_view>& further, TermCounts& out) {
    const auto push = [&](std::string_view text, int64_t pairs) {
        out.term_bytes.insert(out.term_bytes.end(), text.begin(), text.end());
        out.term_offsets.push_back(static_cast<int64_t>(out.term_bytes.size()));
        out.pair_offsets.push_back(pairs);
    };
    size_t next = 0;
    for (size_t i = 0; i < a.terms; ++i) {
        for (; next < further.size() && further[next] < a.term(i); ++next) push(further[next], a.pair_offsets[i]);
        push(a.term(i), a.pair_offsets[i + 1]);
    }
    for (; next < further.size(); ++next) push(further[next], a.pair_offsets[a.terms]);
}

}  // namespace priori
