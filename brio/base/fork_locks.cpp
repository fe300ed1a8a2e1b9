#include "brio/base/fork_locks.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <ranges>
#include <vector>

namespace brio {
namespace {

struct Row {
  ForkRank rank;
  void* lock;
  void (*take)(void*);
  void (*give_back)(void*);
};

struct Table {
  std::mutex mutex;
  std::vector<Row> rows;  // by rank
};
Table& table() {
  static auto* made = new Table;
  return *made;
}

void before_fork() {
  Table& t = table();
  t.mutex.lock();
  for (const Row& row : t.rows) row.take(row.lock);
}
void after_fork() {
  Table& t = table();
  for (const Row& row : std::views::reverse(t.rows)) row.give_back(row.lock);
  t.mutex.unlock();
}

}  // namespace

void register_fork_locks() {
  static const int registered = pthread_atfork(before_fork, after_fork, after_fork);
  static_cast<void>(registered);
}

void detail::hold_over_fork(void* lock, ForkRank rank, void (*take)(void*), void (*give_back)(void*)) {
  register_fork_locks();
  Table& t = table();
  const std::lock_guard guard(t.mutex);
  const auto after = std::ranges::upper_bound(t.rows, rank, {}, &Row::rank);
  t.rows.insert(after, {rank, lock, take, give_back});
}

}  // namespace brio
