// The measurements of a pipeline's stages, a row for each: inputs before their readers. Inputs that are joined (zip,
// concatenate, …) and pipelines that are opened while running (flat_map, interleave, …) are indented by one step.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace brio::data {

class Stage;

// Sums, so the measurements of pipelines with the same steps can be added.
struct StageTotals {
  std::string name;
  int depth = 0;
  uint64_t timed = 0;
  int64_t inclusive_ns = 0, own_ns = 0;  // with and without its inputs
  int64_t held_bytes = 0;
};
void measure(const Stage& root, int depth, std::vector<StageTotals>& rows);

// For the pipelines that one stage opens: the open ones, and the sums of the closed ones.
class NestedTotals {
 public:
  void opened(const Stage& root);
  void closes(const Stage& root);  // the pipeline still exists
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
