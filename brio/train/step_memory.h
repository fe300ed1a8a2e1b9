// What a training step takes, known before the first one runs, and what would fit where that is more than there is.
//
//   model.fit(x, y, {.memory_limit = 2'000'000'000});  // an error that says what would fit
//   model.fit(x, y, {.memory_limit = 2'000'000'000, .memory = OnMemory::fit});  // does it
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace brio::train {

// say: where the limit was given, an error with what would fit; where the machine is too small, a line. fit: the step
// computes values again, then goes through a batch in parts, until it fits.
enum class OnMemory : uint8_t { say, fit };
OnMemory on_memory_from(std::string_view word);  // throws InvalidArgument

// One way to take a step.
struct StepMemory {
  int64_t rows = 0;      // of the batch
  int64_t parts = 1;     // that it is gone through in
  int64_t arena = 0;     // bytes of what is computed on the way
  int64_t results = 0;   // and of what the step gives
  int64_t sums = 0;      // of gradients, where there are parts
  int64_t repeated = 0;  // ops that are computed again, and what that adds to the work, as a share of it
  double repeated_work = 0;
  size_t arena_limit = 0;  // that this was planned for

  int64_t bytes() const { return arena + results + sums; }
  std::string str() const;  // "1.9 GB: it computes 34 ops again, 21 % more work"
};

// What is asked of the trainer: the plan of a step on so many rows, under a limit of its arena.
using PlanStep = std::function<StepMemory(int64_t rows, size_t arena_limit)>;

struct StepMemoryChoice {
  StepMemory whole;                 // the step as it was asked for
  std::vector<StepMemory> fitting;  // others that stay below `free`, the least costly first
  int64_t free = 0;                 // bytes that a step may take
  bool fits() const { return whole.bytes() <= free; }
  std::string str(std::string_view where) const;  // what would fit, a line for each
};
// `sums`: bytes of the sums of gradients that parts need.
StepMemoryChoice choose_step(const StepMemory& whole, int64_t free, int64_t sums, bool may_divide,
                             const PlanStep& plan);

}  // namespace brio::train
