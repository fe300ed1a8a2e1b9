#include "brio/ops/control/held_assignments.h"

#include <algorithm>

#include "brio/ops/elementwise/elementwise.h"

namespace brio {

constinit thread_local HeldAssignments* HeldAssignments::current_ = nullptr;

HeldAssignments::HeldAssignments() : outer_(std::exchange(current_, this)) {}
HeldAssignments::~HeldAssignments() { current_ = outer_; }

void HeldAssignments::add(const VariableRef& variable) {
  const auto known = [&](const auto& one) { return one.first == variable; };
  if (std::ranges::none_of(before_, known)) before_.emplace_back(variable, read_variable(variable));
}

void HeldAssignments::keep_if(const Tensor& condition) {
  current_ = outer_;
  for (const auto& [variable, value] : before_)
    assign_variable(variable, select(condition, read_variable(variable), value));
}

}  // namespace brio
