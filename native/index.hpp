// Looking terms up in finished counts, as they lie in memory or in a mapped file: by binary search.
#pragma once

#include <cstring>
#include <string_view>

#include "table.hpp"

namespace priori {

class TermIndex {
  public:
    TermIndex(const int64_t* offsets, const uint8_t* bytes, size_t terms)
        : offsets_(offsets), bytes_(bytes), terms_(terms) {}

    size_t size() const { return terms_; }

    std::string_view term(size_t id) const {
        return {reinterpret_cast<const char*>(bytes_) + offsets_[id],
                static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
    }

    uint32_t search(const uint8_t* data, uint32_t length) const {
        const std::string_view wanted{reinterpret_cast<const char*>(data), length};
        size_t low = 0, high = terms_;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (term(middle) < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < terms_ && term(low) == wanted ? static_cast<uint32_t>(low) : kAbsent;
    }

  private:
    const int64_t* offsets_;
    const uint8_t* bytes_;
    size_t terms_;
};

}  // namespace priori
