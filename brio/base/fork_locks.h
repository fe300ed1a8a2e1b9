// Locks that every thread takes now and then, for a moment: held over a fork, so that the child finds what they guard
// whole, and nobody who does not exist there has them. Those of a lower rank are taken first, as the code does it.
#pragma once

namespace brio {

enum class ForkRank { keepers, families, plans, living_plans, graphs, recordings, memory };

namespace detail {
void hold_over_fork(void* lock, ForkRank rank, void (*take)(void*), void (*give_back)(void*));
}

// What a fork waits for before it takes the locks is registered (pthread_atfork) after this was called.
void register_fork_locks();

// `lock` lives as long as the process.
template <typename Lock>
void hold_over_fork(Lock& lock, ForkRank rank) {
  detail::hold_over_fork(
      &lock, rank, [](void* l) { static_cast<Lock*>(l)->lock(); }, [](void* l) { static_cast<Lock*>(l)->unlock(); });
}

}  // namespace brio
