// The memory of a training step, known before the first one runs, and what would fit if that is too much.
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

// say: an error with what would fit if a limit was given, a line if the machine is too small. fit: the step computes
// values again, then processes a batch in parts, until it fits.
enum class OnMemory : uint8_t { say, fit };
OnMemory on_memory_from(std::string_view word);  // throws InvalidArgument

// One way to run a step.
struct StepMemory {
  int64_t rows = 0;      // of the batch
  int64_t parts = 1;     // in which the batch is processed
  int64_t arena = 0;     // bytes of intermediate results
  int64_t results = 0;   // and of the step's results
  int64_t sums = 0;      // of gradients, if there are parts
  int64_t repeated = 0;  // ops that are computed again, and the added work as a share of the whole
  double repeated_work = 0;
  size_t arena_limit = 0;  // the limit that this was planned for

  int64_t bytes() const { return arena + results + sums; }
  std::string str() const;  // "1.9 GB: it computes 34 ops again, 21 % more work"
};

// Set by the trainer: plans a step on so many rows, with a limit of its arena.
using PlanStep = std::function<StepMemory(int64_t rows, size_t arena_limit)>;

struct StepMemoryChoice {
  StepMemory whole;                 // the step as requested
  std::vector<StepMemory> fitting;  // others that stay below `free`, the cheapest first
  int64_t free = 0;                 // bytes that a step may take
  bool fits() const { return whole.bytes() <= free; }
  std::string str(std::string_view where) const;  // what would fit, one line each
};
// `sums`: bytes of the gradients' sums, which parts need.
StepMemoryChoice choose_step(const StepMemory& whole, int64_t free, int64_t sums, bool may_divide,
                             const PlanStep& plan);

}  // namespace brio::train
