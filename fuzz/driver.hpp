// A small mutation fuzzer: inputs are seeds changed at random, tried until the time is over.
//
// Iteration i of a seed depends on (seed, i) alone, so a finding is replayed by giving both: PROGRAM SECONDS SEED I.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Whatever a sanitizer finds ends in abort(), where the iteration is told.
extern "C" const char* __asan_default_options() { return "abort_on_error=1:handle_abort=0"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace fuzz {

using Bytes = std::vector<uint8_t>;

// splitmix64: short, and the same on every machine.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    size_t below(size_t bound) { return next() % bound; }  // 0 .. bound - 1
    bool one_in(size_t n) { return below(n) == 0; }

    template <class List>
    const auto& pick(const List& list) {
        return list[below(std::size(list))];
    }

  private:
    uint64_t state_;
};

// A heap block of exactly the size of the text, so that AddressSanitizer sees the first byte read beyond it. No text
// has no block: its data is null, as that of an empty vector.
class Exact {
  public:
    explicit Exact(std::string_view text) : size_(text.size()) {
        if (text.empty()) return;
        bytes_.reset(new char[text.size()]);
        std::memcpy(bytes_.get(), text.data(), text.size());
    }
    std::string_view view() const { return {bytes_.get(), size_}; }

  private:
    std::unique_ptr<char[]> bytes_;
    size_t size_;
};

inline std::string_view view(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// What a program found wrong without a sanitizer's help.
inline void check(bool fine, const char* what) {
    if (!fine) throw std::logic_error(what);
}

inline void change_once(Bytes& input, const std::vector<std::string>& pieces, Random& random) {
    const size_t at = random.below(input.size() + 1);
    const auto place = input.begin() + static_cast<int64_t>(at);
    const size_t left = input.size() - at;
    switch (random.below(7)) {
        case 0:
            if (left > 0) *place ^= static_cast<uint8_t>(1u << random.below(8));
            break;
        case 1:
            if (left > 0) *place = static_cast<uint8_t>(random.next());
            break;
        case 2:
            input.erase(place, place + static_cast<int64_t>(random.below(left + 1)));
            break;
        case 3: {  // a piece of another seed, or a whole one
            const std::string& piece = random.pick(pieces);
            input.insert(place, piece.begin(), piece.end());
            break;
        }
        case 4: {  // what stands there once more, some times
            const Bytes again(place, place + static_cast<int64_t>(random.below(std::min<size_t>(left, 64) + 1)));
            for (size_t times = random.below(6); times > 0; --times)
                input.insert(input.begin() + static_cast<int64_t>(at), again.begin(), again.end());
            break;
        }
        case 5:  // a run of one byte: blocks and paddings have lengths
            input.insert(place, random.below(140), static_cast<uint8_t>(random.next()));
            break;
        default:
            for (size_t count = random.below(9); count > 0; --count)
                input.insert(input.begin() + static_cast<int64_t>(random.below(input.size() + 1)),
                             static_cast<uint8_t>(random.next()));
    }
}

inline Bytes make_input(const std::vector<std::string>& seeds, Random& random) {
    const std::string& seed = random.pick(seeds);
    Bytes input(seed.begin(), seed.end());
    for (size_t changes = random.below(12); changes > 0; --changes) change_once(input, seeds, random);
    if (input.size() > 4096) input.resize(4096);
    return input;
}

struct Progress {
    const char* program = "";
    unsigned long long seed = 0, iteration = 0;
};
inline Progress progress;

inline void say_where() {
    std::fprintf(stderr, "\n%s: finding in iteration %llu of seed %llu; replay with: %s 0 %llu %llu\n",
                 progress.program, progress.iteration, progress.seed, progress.program, progress.seed,
                 progress.iteration);
}

inline void on_abort(int) {
    say_where();
    std::_Exit(1);
}

// Arguments: SECONDS [SEED [ITERATION]]. Runs target(input, random) until the time is over, or that iteration alone.
template <class Target>
int run(int argc, char** argv, const std::vector<std::string>& seeds, Target target) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
    const bool replay = argc > 3;
    progress = {argv[0], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}(),
                replay ? std::strtoull(argv[3], nullptr, 10) : 0};
    std::signal(SIGABRT, on_abort);
    std::printf("%s: seed %llu\n", progress.program, progress.seed);
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    do {
        Random random(Random(progress.seed).next() + progress.iteration);
        try {
            target(make_input(seeds, random), random);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            say_where();
            return 1;
        }
        ++progress.iteration;
    } while (!replay && spent() < seconds);
    std::printf("%s: %llu inputs in %.0f s, nothing found\n", progress.program, replay ? 1ULL : progress.iteration,
                spent());
    return 0;
}

}  // namespace fuzz
