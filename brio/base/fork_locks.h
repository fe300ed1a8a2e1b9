// Locks that every thread takes now and then for a moment. They are held over a fork, so the child finds their data
// complete, and no missing thread holds them there. Locks of a lower rank are taken first, as in the code.
#pragma once

#include <atomic>
#include <mutex>

namespace brio {

enum class ForkRank { keepers, families, plans, living_plans, graphs, recordings, sizes, memory };

namespace detail {
std::recursive_mutex& first_use();
void hold_over_fork(void* lock, ForkRank rank, void (*take)(void*), void (*give_back)(void*));
}  // namespace detail

// Register other waits of a fork (pthread_atfork) after this call: a fork then waits before it takes the locks.
void register_fork_locks();

// `lock` must live as long as the process.
template <typename Lock>
void hold_over_fork(Lock& lock, ForkRank rank) {
  detail::hold_over_fork(
      &lock, rank, [](void* l) { static_cast<Lock*>(l)->lock(); }, [](void* l) { static_cast<Lock*>(l)->unlock(); });
}

// Makes a large object once, at its first use, under a lock that is held over a fork. With a static variable of a
// function, a child would wait forever if its parent was just initialising the variable.
template <typename T>
class MadeOnce {
 public:
  template <typename Make>
  T& get(Make&& make) {
    if (T* made = made_.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(detail::first_use());
    if (!made_.load(std::memory_order_relaxed)) made_.store(make(), std::memory_order_release);
    return *made_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<T*> made_{nullptr};
};

}  // namespace brio
