// Blocks of bytes that are used again: memory fresh from the system for every batch would be cleared page by page.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace priori {

struct ByteBlock {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity = 0;
};

class BlockPool {
  public:
    // One for the process, never destroyed: Python may let go of a block after the end of everything else.
    static BlockPool& shared() {
        static auto* pool = new BlockPool();
        return *pool;
    }

    // At least `capacity` bytes, and not many times more; the last given back first, for it may still be in cache.
    ByteBlock take(std::size_t capacity) {
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = free_.size(); i-- > 0;) {
                if (free_[i].capacity < capacity || free_[i].capacity / 2 > capacity) continue;
                ByteBlock taken = std::move(free_[i]);
                held_ -= taken.capacity;
                free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
                return taken;
            }
        }
        return {std::make_unique_for_overwrite<char[]>(capacity), capacity};
    }

    // The blocks that have waited longest make room.
    void give_back(ByteBlock block) noexcept {
        if (block.capacity > kMostBytes) return;
        const std::lock_guard lock(mutex_);
        while (free_.size() == kMost || held_ + block.capacity > kMostBytes) {
            held_ -= free_.front().capacity;
            free_.erase(free_.begin());
        }
        held_ += block.capacity;
        free_.push_back(std::move(block));
    }

  private:
#if defined(__SANITIZE_ADDRESS__)
    static constexpr std::size_t kMostBytes = 0;  // no block is used again, so that no misuse of one is hidden
#else
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
#endif
    static constexpr std::size_t kMost = 32;

    BlockPool() { free_.reserve(kMost); }  // so that giving back allocates nothing

    std::mutex mutex_;
    std::vector<ByteBlock> free_;  // the longest waiting first
    std::size_t held_ = 0;         // bytes in them
};

}  // namespace priori
