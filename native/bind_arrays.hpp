// Arrays that pass between Python and the core without being copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

namespace priori {

template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// A vector given away to numpy.
template <class T, class Allocator>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> to_numpy(std::vector<T, Allocator>&& values) {
    using Vector = std::vector<T, Allocator>;
    auto owned = std::make_unique<Vector>(std::move(values));
    T* data = owned->data();
    const size_t size = owned->size();
    nanobind::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<Vector*>(p); });
    return {data, {size}, owner};
}

}  // namespace priori
