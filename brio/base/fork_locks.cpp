#include "brio/base/fork_locks.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <new>
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

// Made while the program loads, when there is one thread.
std::recursive_mutex& first_use_mutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}
[[maybe_unused]] const bool made_at_load = (first_use_mutex(), register_fork_locks(), true);

// What was taken for the fork that is going on.
std::vector<Row>& taken() {
  static auto* const rows = new std::vector<Row>;
  return *rows;
}

// The table's lock comes last: others take it while they hold one of the locks in it. Nobody can then add to it who
// has one of them.
void before_fork() {
  first_use_mutex().lock();  // before all: what is made there may add to the table
  Table& t = table();
  while (true) {
    t.mutex.lock();
    taken() = t.rows;
    t.mutex.unlock();
    for (const Row& row : taken()) row.take(row.lock);
    t.mutex.lock();
    if (t.rows.size() == taken().size()) return;
    t.mutex.unlock();
    for (auto row = taken().rbegin(); row != taken().rend(); ++row) row->give_back(row->lock);
  }
}
void give_back() {
  table().mutex.unlock();
  for (auto row = taken().rbegin(); row != taken().rend(); ++row) row->give_back(row->lock);
}
void in_parent() {
  give_back();
  first_use_mutex().unlock();
}
void in_child() {
  give_back();
  // A recursive lock knows its holder by a number, which is another one here: it is made anew.
  new (&first_use_mutex()) std::recursive_mutex;
}

}  // namespace

void register_fork_locks() {
  static const int registered = pthread_atfork(before_fork, in_parent, in_child);
  static_cast<void>(registered);
}

void detail::hold_over_fork(void* lock, ForkRank rank, void (*take)(void*), void (*give_back)(void*)) {
  register_fork_locks();
  Table& t = table();
  const std::lock_guard guard(t.mutex);
  const auto after = std::ranges::upper_bound(t.rows, rank, {}, &Row::rank);
  t.rows.insert(after, {rank, lock, take, give_back});
}

std::recursive_mutex& detail::first_use() { return first_use_mutex(); }

}  // namespace brio
