// Variables that a loop body or a branch assigns while it is traced. The body is a graph without side effects: what
// it assigns is one of its results, and the loop or branch around it assigns that. Inside it reads see what was
// assigned.
#pragma once

#include <memory>
#include <vector>

#include "brio/ir/recording.h"
#include "brio/ops/control/variable.h"

namespace brio {

using VariableRef = std::shared_ptr<VariableImpl>;

// Those that `body` assigned and nobody carries into it.
std::vector<VariableRef> assigned_in(const Recording& body);

// In the body that is being traced `variable` is `value` from now on: a parameter of it.
void carry_variable(const VariableRef& variable, const Tensor& value);

// What reads and assignments of this thread see and do, in a body or outside.
Tensor read_variable(const VariableRef& variable);
// What the function that is being traced has assigned so far, and what such a variable was before.
std::vector<VariableRef> assigned_by_trace();
Tensor value_before_trace(const VariableRef& variable);
void assign_variable(const VariableRef& variable, const Tensor& value);

}  // namespace brio
