// Plans by the structure of what was recorded. Bounded in bytes: the least recently used goes first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "brio/runtime/plan.h"

namespace brio {

// Memory that plans for several sizes of one thing run on, one after another as a rule: as much as the largest needs,
// or, where the system refuses that, the one that runs. With an arena each, a length that is new would touch new
// pages, and lengths of the past would hold theirs.
class SharedArena {
 public:
  ~SharedArena();
  using Taken = std::unique_ptr<BufferRef>;
  void need(size_t bytes);                   // says a plan that will run on it
  Taken take(size_t bytes, Memory& memory);  // for a plan that needs so many; another one while it is taken
  void give_back(Taken arena);

 private:
  std::atomic<BufferRef*> spare_{nullptr};
  std::atomic<size_t> bytes_{0};  // counted among those of all plans
};

// Working memory of one running instance of a plan, reused by the next.
struct RunMemory {
  BufferRef arena;  // none where it is shared
  std::vector<void*> pointers;
  const void* bound = nullptr;  // the arena that they point into
};

// A plan with the memory of its runs.
class CachedPlan : public std::enable_shared_from_this<CachedPlan> {
 public:
  explicit CachedPlan(std::shared_ptr<const Plan> plan, std::shared_ptr<SharedArena> arena = nullptr);
  ~CachedPlan();
  const Plan& plan() const { return *plan_; }
  // Runs with the caller's inputs and fresh buffers, which lie in the memory of the plan's device, on working memory
  // of its own. On the host it is done on return; on another device it was handed to this thread's stream, and
  // `buffers` are those of inputs and fresh.
  void run(const void* const* inputs, void* const* fresh, std::span<const Buffer* const> buffers = {}) const;
  size_t bytes() const { return plan_->bytes() - (shared_ ? plan_->arena_bytes() : 0); }

 private:
  std::unique_ptr<RunMemory> take() const;
  void check_inputs(const void* const* inputs, std::span<const Buffer* const> buffers, BufferUses& uses) const;
  size_t shared_bytes() const { return std::max<size_t>(plan_->arena_bytes(), 1); }
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<SharedArena> shared_;
  mutable std::atomic<RunMemory*> spare_{nullptr};  // the usual case: one run at a time
};

struct PlanCacheStats {
  size_t plans, bytes, limit;  // plans in the cache; the bytes are of all plans there are
  uint64_t hits, misses, evictions;
  size_t symbolic_families;  // structures whose plans are made for any batch size
  uint64_t symbolic_hits;    // plans made so, those of functions included
  std::string last_miss;     // why the newest miss was one: "new shape (16, 100) for input 0"
};
PlanCacheStats plan_cache_stats();
void set_plan_cache_limit(size_t bytes);
void clear_plan_cache();

// The plan for a key; `make` is called on a miss, with the lock released, and must give the graph that the key
// describes.
using PlanKey = std::span<const uint64_t>;
std::shared_ptr<const CachedPlan> find_or_make_plan(PlanKey key, uint64_t hash, Device& device,
                                                    const std::function<Graph()>& make);

// Plans on their way out. They go with this object, after every lock was given back: what a plan holds may wait for
// another lock as it goes.
class GonePlans {
 public:
  void add(std::shared_ptr<const CachedPlan> plan) {
    if (plan.use_count() == 1) bytes_ += plan->bytes();
    plans_.push_back(std::move(plan));
  }
  size_t bytes() const { return bytes_; }  // that will be free

 private:
  std::vector<std::shared_ptr<const CachedPlan>> plans_;
  size_t bytes_ = 0;
};

// Whoever keeps plans outside of the cache is asked to drop them when all plans together pass the limit and these
// were not used for long. What is in use stays, however large: a limit must not make a step plan itself anew each
// time.
class PlanKeeper {
 public:
  virtual uint64_t last_used() const = 0;           // plan_clock() then
  virtual void give_up_plans(GonePlans& gone) = 0;  // unless they are in use

 protected:
  ~PlanKeeper() = default;
  void enter();  // when it is made
  void leave();  // before any part of it goes
};
uint64_t plan_clock();  // how many plans were made so far
bool plans_over_limit();
void drop_idle_plans(const PlanKeeper* caller = nullptr);  // which is in use, and is not asked

uint64_t hash_words(PlanKey key);

// Visits every plan there is, those that functions keep included, for reports.
void for_each_plan(const std::function<void(const Plan&)>& visit);

}  // namespace brio
