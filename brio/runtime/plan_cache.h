// Plans, found by the structure of what was recorded. Bounded in bytes: the least recently used plan goes first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "brio/profile/recorder.h"
#include "brio/runtime/plan.h"

namespace brio {

// Memory shared by the plans for several sizes of one structure, which mostly run one after another. It is as large
// as the largest plan needs, or as the running plan needs if the system refuses more. With an arena for each plan, a
// new length would touch new pages, and old lengths would keep theirs.
class SharedArena {
 public:
  ~SharedArena();
  using Taken = std::unique_ptr<BufferRef>;
  void need(size_t bytes);                   // called for each plan that will run in it
  Taken take(size_t bytes, Memory& memory);  // for a plan of so many bytes; another arena while this is taken
  void give_back(Taken arena);

 private:
  std::atomic<BufferRef*> spare_{nullptr};
  std::atomic<size_t> bytes_{0};  // counted among the bytes of all plans
};

// Working memory of one run of a plan, reused by the next run.
struct RunMemory {
  BufferRef arena;  // none if it is shared
  std::vector<void*> pointers;
  const void* bound = nullptr;  // the arena that they point into
};

// A plan with the memory of its runs.
class CachedPlan : public std::enable_shared_from_this<CachedPlan> {
 public:
  explicit CachedPlan(std::shared_ptr<const Plan> plan, std::shared_ptr<SharedArena> arena = nullptr);
  ~CachedPlan();
  const Plan& plan() const { return *plan_; }
  // Runs with the caller's inputs and fresh buffers, which are in the memory of the plan's device, and with working
  // memory of its own. On the host the run is complete on return. On another device it was handed to this thread's
  // stream, and `buffers` are those of inputs and fresh.
  void run(const void* const* inputs, void* const* fresh, std::span<const Buffer* const> buffers = {}) const;
  size_t bytes() const { return plan_->bytes() - (shared_ ? plan_->arena_bytes() : 0); }

 private:
  std::unique_ptr<RunMemory> take() const;
  void check_inputs(const void* const* inputs, std::span<const Buffer* const> buffers, BufferUses& uses) const;
  size_t shared_bytes() const { return std::max<size_t>(plan_->arena_bytes(), 1); }
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<SharedArena> shared_;
  mutable std::atomic<RunMemory*> spare_{nullptr};  // the usual case: one run at a time
  mutable profile::Pace pace_;
};

struct PlanCacheStats {
  size_t plans, bytes, limit;  // plans in the cache; the bytes count all existing plans
  uint64_t hits, misses, evictions;
  size_t symbolic_families;  // structures whose plans are made for any batch size
  uint64_t symbolic_hits;    // plans made from them, including those of functions
  std::string last_miss;     // why the newest miss was one: "new shape (16, 100) for input 0"
};
PlanCacheStats plan_cache_stats();
void set_plan_cache_limit(size_t bytes);
void clear_plan_cache();

// The plan for a key. On a miss, `make` is called with the lock released, and must return the graph that the key
// describes.
using PlanKey = std::span<const uint64_t>;
std::shared_ptr<const CachedPlan> find_or_make_plan(PlanKey key, uint64_t hash, Device& device,
                                                    const std::function<Graph()>& make);

// Plans that are being dropped. They are freed with this object, after every lock was released, because freeing a
// plan may wait for another lock.
class GonePlans {
 public:
  void add(std::shared_ptr<const CachedPlan> plan) {
    if (plan.use_count() == 1) bytes_ += plan->bytes();
    plans_.push_back(std::move(plan));
  }
  size_t bytes() const { return bytes_; }  // that will be freed

 private:
  std::vector<std::shared_ptr<const CachedPlan>> plans_;
  size_t bytes_ = 0;
};

// Keeps plans outside of the cache. It is asked to drop them if all plans together exceed the limit and these were
// not used for a long time. Plans in use stay, however large: a limit must not make a step be planned again each
// time.
class PlanKeeper {
 public:
  virtual uint64_t last_used() const = 0;           // the value of plan_clock() at that time
  virtual void give_up_plans(GonePlans& gone) = 0;  // unless they are in use

 protected:
  ~PlanKeeper() = default;
  void enter();  // when it is constructed
  void leave();  // before any part of it is destroyed
};
uint64_t plan_clock();  // the number of plans made so far
bool plans_over_limit();
void drop_idle_plans(const PlanKeeper* caller = nullptr);  // the caller is in use and is not asked

uint64_t hash_words(PlanKey key);

// Visits every plan, including those that functions keep, for reports.
void for_each_plan(const std::function<void(const Plan&)>& visit);

}  // namespace brio
