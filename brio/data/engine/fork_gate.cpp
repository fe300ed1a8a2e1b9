#include "brio/data/engine/fork_gate.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "brio/base/fork_locks.h"

namespace brio::data::fork_gate {
namespace {

// Never destroyed: threads may outlive static destructors.
struct Gate {
  std::mutex fork;   // one at a time
  std::mutex mutex;  // of the list; both are held over a fork
  std::set<Told*> told;
  std::atomic<int> active{0};
  std::atomic<bool> forking{false};
};
Gate& gate();

constinit thread_local bool is_inside = false;
constexpr std::chrono::microseconds kLook{50};
// One that computes for longer is left alone: a child may do without its locks, but not a program without its fork.
constexpr std::chrono::seconds kLongest{5};

void before_fork() {
  Gate& g = gate();
  g.fork.lock();
  g.forking.store(true);
  const auto until = std::chrono::steady_clock::now() + kLongest;
  const int own = is_inside ? 1 : 0;
  while (g.active.load() > own && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kLook);
  g.mutex.lock();  // not before: a thread that is to come to rest may have a pipeline to open
}
void in_parent() {
  Gate& g = gate();
  g.mutex.unlock();
  g.forking.store(false);
  g.fork.unlock();
}
void in_child() {
  Gate& g = gate();
  for (Told* each : g.told) each->after_fork_in_child();
  g.mutex.unlock();
  g.active.store(is_inside ? 1 : 0);
  g.forking.store(false);
  g.fork.unlock();
}

Gate& gate() {
  static Gate* const made = [] {
    auto* g = new Gate;
    register_fork_locks();  // taken after the threads have come to rest, which may need them
    pthread_atfork(before_fork, in_parent, in_child);
    return g;
  }();
  return *made;
}

}  // namespace

void enter() {
  Gate& g = gate();
  for (;;) {
    g.active.fetch_add(1);
    if (!g.forking.load()) break;
    g.active.fetch_sub(1);
    while (g.forking.load()) std::this_thread::sleep_for(kLook);
  }
  is_inside = true;
}
void leave() {
  is_inside = false;
  gate().active.fetch_sub(1);
}
bool inside() { return is_inside; }
bool fork_waits() { return gate().forking.load(std::memory_order_relaxed); }

void Told::begin_to_listen() {
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  g.told.insert(this);
}
void Told::stop_listening() {
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  g.told.erase(this);
}

}  // namespace brio::data::fork_gate
