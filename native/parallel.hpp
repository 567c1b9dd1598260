// Work shared out to threads.
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace priori {

// task(worker, workers) on each thread; the first failure is thrown here.
template <class Task>
void in_parallel(size_t workers, const Task& task) {
    if (workers <= 1) return task(size_t{0}, size_t{1});
    std::vector<std::exception_ptr> faults(workers);
    const auto guarded = [&](size_t worker) {
        try {
            task(worker, workers);
        } catch (...) {
            faults[worker] = std::current_exception();  // carried to the calling thread and thrown there
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(workers);
    size_t started = 1;
    try {
        for (; started < workers; ++started) pool.emplace_back(guarded, started);
    } catch (...) {
        // no thread or no memory for one is left: what remains is done here, for those begun must be joined
    }
    guarded(0);
    for (size_t worker = started; worker < workers; ++worker) guarded(worker);
    for (std::thread& thread : pool) thread.join();
    for (const std::exception_ptr& fault : faults) {
        if (fault) std::rethrow_exception(fault);
    }
}

}  // namespace priori
