// Threads that stop when one of them fails or the user presses Ctrl-C.
//
// The calling thread works too. Only it checks for signals, because only Python's main thread may; the others
// check a flag. All of this runs without the GIL.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace troenpy {

// Thrown in the other threads after one has failed; never leaves this module.
struct Stopped {};

class Watch {
public:
    Watch(std::atomic<bool> &stop, bool is_caller) : stop_(stop), is_caller_(is_caller) {}

    // Call this every few thousand steps of a long loop.
    void check() {
        if (stop_.load(std::memory_order_relaxed)) throw Stopped{};
        if (is_caller_) look_for_signals();
    }

    void look_for_signals();

private:
    std::atomic<bool> &stop_;
    bool is_caller_;
    std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

using Task = std::function<void(unsigned worker, std::size_t task, Watch &watch)>;

// The number of workers for n_tasks: at least one, at most one per task.
unsigned useful_threads(unsigned n_threads, std::size_t n_tasks);

// Runs task(worker, i, watch) for every i < n_tasks. A worker number is used by one thread at a time and is less
// than useful_threads(n_threads, n_tasks).
void run_tasks(unsigned n_threads, std::size_t n_tasks, const Task &task);

}  // namespace troenpy
