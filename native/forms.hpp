// How often each word stood as it was written, beside the counts of its stem: so a stem can be shown as words.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "counts.hpp"
#include "table.hpp"

namespace priori {

// The words as they are written, with the prefix of their field, in order of first sight.
struct FormTable {
    TermTable words;
    std::vector<uint32_t> stem;    // the id of its stem among the words of a counter
    std::vector<uint32_t> prefix;  // how many bytes of it are the prefix
    std::vector<int64_t> occurrences;

    size_t size() const { return stem.size(); }
};

// "stem NUL word" in the order of its bytes, each with its occurrences, in all classes and fields together.
inline TermCounts finish_forms(const FormTable& forms, const TermTable& stems) {
    std::vector<std::pair<std::string, int64_t>> sorted(forms.size());
    for (uint32_t id = 0; id < forms.size(); ++id) {
        std::string& text = sorted[id].first;
        text = stems.word(forms.stem[id]).substr(forms.prefix[id]);
        text += '\0';
        text += forms.words.word(id).substr(forms.prefix[id]);
        sorted[id].second = forms.occurrences[id];
    }
    std::sort(sorted.begin(), sorted.end());
    TermCounts counts;
    for (size_t i = 0; i < sorted.size();) {
        const std::string& text = sorted[i].first;
        int64_t occurrences = 0;
        for (; i < sorted.size() && sorted[i].first == text; ++i) occurrences += sorted[i].second;
        counts.push_pair(0, occurrences, 0);
        counts.close_term(text);
    }
    return counts;
}

}  // namespace priori
