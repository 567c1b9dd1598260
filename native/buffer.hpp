// A growing array that is not initialised: what loops write into, document after document.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace priori {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    size_t size() const { return size_; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }

    void clear() { size_ = 0; }

    // Keeps what is there; what is new is whatever the memory holds.
    void resize(size_t size) {
        if (size > capacity_) grow(size);
        size_ = size;
    }

    void push_back(T value) {
        if (size_ == capacity_) grow(size_ + 1);
        data_[size_++] = value;
    }

  private:
    std::unique_ptr<T[]> data_;
    size_t size_ = 0, capacity_ = 0;

    void grow(size_t size) {
        const size_t capacity = size + size / 2 + 64;
        auto data = std::make_unique_for_overwrite<T[]>(capacity);
        if (size_ != 0) std::memcpy(data.get(), data_.get(), size_ * sizeof(T));
        data_ = std::move(data);
        capacity_ = capacity;
    }
};

}  // namespace priori
