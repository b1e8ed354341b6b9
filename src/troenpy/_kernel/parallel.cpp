#include "parallel.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace nb = nanobind;

namespace troenpy {

void Watch::look_for_signals() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ < std::chrono::milliseconds(50)) return;
    last_look_ = now;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

namespace {

class Team {
public:
    Team(unsigned n_threads, std::size_t n_tasks, const Task &task)
        : n_threads_(useful_threads(n_threads, n_tasks)), n_tasks_(n_tasks), task_(task) {}

    // Any failure, even to start a thread, stops all threads; it is rethrown when they have ended.
    void run() {
        guard([&] { start_others(); });
        work(0);
        wait();
        for (std::thread &thread : threads_) thread.join();
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    // Reserve first: a running thread must be in the vector, or it could not be joined.
    void start_others() {
        threads_.reserve(n_threads_ - 1);
        try {
            for (unsigned worker = 1; worker < n_threads_; ++worker)
                threads_.emplace_back([this, worker] { work(worker); });
        } catch (const std::system_error &) {
            // The system has no more threads: the running ones share the tasks.
        }
    }

    void work(unsigned worker) {
        Watch watch(stop_, worker == 0);
        guard([&] {
            for (std::size_t i = next_++; i < n_tasks_; i = next_++) {
                watch.check();
                task_(worker, i, watch);
            }
        });
        const std::lock_guard lock(mutex_);
        ++n_done_;
        done_.notify_all();
    }

    // The calling thread has finished its tasks, but the user may still interrupt the others.
    void wait() {
        Watch watch(stop_, true);
        std::unique_lock lock(mutex_);
        while (n_done_ < threads_.size() + 1) {
            done_.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            if (!stop_) guard([&] { watch.look_for_signals(); });
            lock.lock();
        }
    }

    template <typename F>
    void guard(F &&body) {
        try {
            body();
        } catch (const Stopped &) {
            return;
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stop_ = true;
        }
    }

    unsigned n_threads_;
    std::size_t n_tasks_;
    const Task &task_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable done_;
    std::size_t n_done_ = 0;
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;
};

}  // namespace

unsigned useful_threads(unsigned n_threads, std::size_t n_tasks) {
    return static_cast<unsigned>(std::clamp<std::size_t>(n_tasks, 1, std::max(1u, n_threads)));
}

void run_tasks(unsigned n_threads, std::size_t n_tasks, const Task &task) { Team(n_threads, n_tasks, task).run(); }

}  // namespace troenpy
