#include "brio/train/step_memory.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/base/shown_bytes.h"

namespace brio::train {
namespace {

constexpr double kMuchAgain = 0.6;  // of the work: beyond, parts of a batch cost less

std::string shown(int64_t bytes) { return shown_bytes(static_cast<double>(bytes)); }
std::string percent(double share) { return cat(std::llround(share * 100), " %"); }

std::string again(const StepMemory& step) {
  return cat("computes ", step.repeated, " ops again, ", percent(step.repeated_work), " more work");
}

}  // namespace

OnMemory on_memory_from(std::string_view word) {
  if (word == "say") return OnMemory::say;
  if (word == "fit") return OnMemory::fit;
  throw InvalidArgument(cat("[fit] memory is '", word, "'; it is 'say' or 'fit'"));
}

std::string StepMemory::str() const {
  std::string text = cat("it takes ", shown(bytes()));
  if (parts > 1) text += cat(", as batches are gone through in ", parts, " parts");
  if (repeated > 0) text += cat(", and ", again(*this));
  return text;
}

StepMemoryChoice choose_step(const StepMemory& whole, int64_t free, int64_t sums, bool may_divide,
                             const PlanStep& plan) {
  StepMemoryChoice choice{whole, {}, free};
  if (choice.fits()) return choice;
  const auto limit_for = [&](int64_t others) {
    return static_cast<size_t>(std::max<int64_t>(1, free - whole.results - others));
  };
  const auto take = [&](StepMemory step, int64_t parts) {
    step.rows = whole.rows;
    step.parts = parts;
    step.sums = parts > 1 ? sums : 0;
    if (step.bytes() <= free) choice.fitting.push_back(step);
  };
  take(plan(whole.rows, limit_for(0)), 1);
  for (int64_t parts = 2; may_divide && parts <= whole.rows; parts *= 2) {
    const int64_t rows = (whole.rows + parts - 1) / parts, before = static_cast<int64_t>(choice.fitting.size());
    take(plan(rows, 0), parts);
    if (static_cast<int64_t>(choice.fitting.size()) > before) break;
    take(plan(rows, limit_for(sums)), parts);  // both
  }
  // A part has the cost of going through the weights once more, which is not much; computing again has its own.
  std::ranges::stable_sort(choice.fitting, {}, [](const StepMemory& step) {
    return step.repeated_work > kMuchAgain ? 1 + step.repeated_work : step.parts > 1 ? 0.5 + step.repeated_work : 0;
  });
  return choice;
}

std::string StepMemoryChoice::str(std::string_view where) const {
  std::string text = cat("a step of ", whole.rows, " rows takes ", shown(whole.bytes()), ", and ", where, " leaves ",
                         shown(std::max<int64_t>(free, 0)));
  if (fitting.empty())
    return text +
           "; neither smaller parts of a batch nor computing values again brings it below: the network itself is "
           "too large for it";
  text += ". What fits:";
  for (const StepMemory& step : fitting) {
    text += cat("\n  ", shown(step.bytes()), ": ");
    if (step.parts == 1) text += cat("memory=\"fit\", ", again(step), ", the same results");
    else {
      text += cat("accumulate=", step.parts);
      if (step.repeated > 0) text += cat(" with memory=\"fit\", ", again(step));
      else
        text += cat(", ", shown(step.sums),
                    " of it for sums of gradients; or batch_size=", (whole.rows + step.parts - 1) / step.parts);
    }
  }
  return text;
}

}  // namespace brio::train
