// Locks that every thread takes now and then, for a moment: held over a fork, so that the child finds what they guard
// whole, and nobody who does not exist there has them. Those of a lower rank are taken first, as the code does it.
#pragma once

#include <atomic>
#include <mutex>

namespace brio {

enum class ForkRank { keepers, families, plans, living_plans, graphs, recordings, sizes, memory };

namespace detail {
std::recursive_mutex& first_use();
void hold_over_fork(void* lock, ForkRank rank, void (*take)(void*), void (*give_back)(void*));
}  // namespace detail

// What a fork waits for before it takes the locks is registered (pthread_atfork) after this was called.
void register_fork_locks();

// `lock` lives as long as the process.
template <typename Lock>
void hold_over_fork(Lock& lock, ForkRank rank) {
  detail::hold_over_fork(
      &lock, rank, [](void* l) { static_cast<Lock*>(l)->lock(); }, [](void* l) { static_cast<Lock*>(l)->unlock(); });
}

// Makes something large once, at its first use, under a lock that is held over a fork: a child whose parent was in
// the middle of it would wait for ever for a static variable of a function.
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
