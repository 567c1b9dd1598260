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

    // At least `capacity` bytes, and not many times more.
    ByteBlock take(std::size_t capacity) {
        {
            const std::lock_guard lock(mutex_);
            for (ByteBlock& block : free_) {
                if (block.capacity < capacity || block.capacity / 2 > capacity) continue;
                std::swap(block, free_.back());
                ByteBlock taken = std::move(free_.back());
                free_.pop_back();
                return taken;
            }
        }
        return {std::make_unique_for_overwrite<char[]>(capacity), capacity};
    }

    void give_back(ByteBlock block) noexcept {
        if (block.capacity > kLargest) return;
        const std::lock_guard lock(mutex_);
        if (free_.size() < kMost) free_.push_back(std::move(block));
    }

  private:
    // More than are ever in flight (for each column of a batch that is filled, waits or is counted), none of them huge.
    static constexpr std::size_t kMost = 64, kLargest = std::size_t{8} << 20;

    BlockPool() { free_.reserve(kMost); }  // so that giving back allocates nothing

    std::mutex mutex_;
    std::vector<ByteBlock> free_;
};

}  // namespace priori
