// Variables that a loop body or a branch assigns while it is traced. The body is a graph without side effects: the
// assigned value is one of its results, and the loop or branch around it assigns that to the variable. Reads inside
// the body see the assigned value.
#pragma once

#include <memory>
#include <vector>

#include "brio/ir/recording.h"
#include "brio/ops/control/variable.h"

namespace brio {

using VariableRef = std::shared_ptr<VariableImpl>;

// The variables that `body` assigned and that are not carried into it.
std::vector<VariableRef> assigned_in(const Recording& body);

// In the body that is being traced, `variable` is `value` from now on: a parameter of the body.
void carry_variable(const VariableRef& variable, const Tensor& value);

// How this thread reads and assigns variables, in a body or outside.
Tensor read_variable(const VariableRef& variable);
// The variables that the function has assigned so far while it is traced, and their values before.
std::vector<VariableRef> assigned_by_trace();
Tensor value_before_trace(const VariableRef& variable);
void assign_variable(const VariableRef& variable, const Tensor& value);

}  // namespace brio
