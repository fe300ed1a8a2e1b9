// What the stages of a pipeline measured, a row for each: inputs before those who use them, and a step further in
// what is joined with others (zip, concatenate, …) or opened while running (flat_map, interleave, …).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace brio::data {

class Stage;

// Sums, so that those of pipelines of the same steps can be added up.
struct StageTotals {
  std::string name;
  int depth = 0;
  uint64_t timed = 0;
  int64_t inclusive_ns = 0, own_ns = 0;  // with and without its inputs
  int64_t held_bytes = 0;
};
void measure(const Stage& root, int depth, std::vector<StageTotals>& rows);

// Of the pipelines that one stage opens: those that are open, and the sums of those that are gone.
class NestedTotals {
 public:
  void opened(const Stage& root);
  void closes(const Stage& root);  // it still stands
  // Returns the time of their last stages.
  int64_t add_to(std::vector<StageTotals>& rows, int depth) const;

 private:
  using Rows = std::vector<StageTotals>;
  static void merge(Rows&& rows, std::vector<Rows>& into);

  mutable std::mutex mutex_;
  std::vector<const Stage*> open_;
  std::vector<Rows> gone_;  // one for all pipelines of the same steps
};

}  // namespace brio::data
