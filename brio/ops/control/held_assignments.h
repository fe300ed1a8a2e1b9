// What this thread assigns to variables while this lives, taken back where a condition does not hold: the step of an
// optimizer that somebody wrote, which may turn out to be none.
#pragma once

#include <utility>
#include <vector>

#include "brio/ops/control/body_variables.h"

namespace brio {

class HeldAssignments {
 public:
  HeldAssignments();
  ~HeldAssignments();
  HeldAssignments(const HeldAssignments&) = delete;
  HeldAssignments& operator=(const HeldAssignments&) = delete;

  // The variables that were assigned keep the values from before unless `condition`, a bool scalar, is true.
  void keep_if(const Tensor& condition);

  // Called before a variable gets a value outside of branches and loops.
  static void note(const VariableRef& variable) {
    if (current_) [[unlikely]]
      current_->add(variable);
  }

 private:
  void add(const VariableRef& variable);

  std::vector<std::pair<VariableRef, Tensor>> before_;
  HeldAssignments* outer_;
  // The model as in ir/recording.h: asked at each assignment.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local HeldAssignments* current_;
};

}  // namespace brio
