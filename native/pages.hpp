// Large tables on large pages: random probes into megabytes are bound by address translation otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace priori {

template <class T>
struct LargePages {
    using value_type = T;
    static constexpr size_t kPage = size_t{1} << 21;

    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}  // NOLINT: allocators convert

    T* allocate(size_t count) {
        const size_t bytes = count * sizeof(T);
        if (bytes < kPage) return static_cast<T*>(::operator new(bytes, std::align_val_t{64}));
        const size_t rounded = (bytes + kPage - 1) / kPage * kPage;
        void* memory = std::aligned_alloc(kPage, rounded);
        if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
        madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: where it is not granted, small pages serve
#endif
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, size_t count) {
        if (count * sizeof(T) < kPage) {
            ::operator delete(memory, std::align_val_t{64});
        } else {
            std::free(memory);
        }
    }

    bool operator==(const LargePages&) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

// Makes room for `more` behind what is there. Four times the room, not twice, while that is little: pages not yet
// touched cost nothing, but those left behind were cleared by the system and copied from.
template <class T>
void make_room(LargeVector<T>& vector, size_t more = 1) {
    constexpr size_t kLittle = size_t{256} << 20;
    const size_t needed = vector.size() + more, capacity = vector.capacity();
    if (needed > capacity) vector.reserve(std::max(needed, (capacity * sizeof(T) < kLittle ? 4 : 2) * capacity));
}

}  // namespace priori
