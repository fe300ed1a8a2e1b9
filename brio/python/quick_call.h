// A function with a short way in. Parsing names and defaults takes nanobind longer than recording an op; a call with
// positional arguments alone, as many as the short way takes, goes straight to C++. Any other call, and everything
// else that a function can be asked (its name, its documentation), goes to the function as it was bound.
#pragma once

#include "brio/python/operation.h"

namespace brio::python {

// One of them, by the number of tensors it takes.
using Unary = Tensor (*)(const Tensor&);
using Reduction = Tensor (*)(const Tensor&, const Axes&, bool);

void make_quick(nb::module_& m, const char* name, Unary f);
void make_quick(nb::module_& m, const char* name, Binary f);
void make_quick(nb::module_& m, const char* name, Reduction f);  // over all axes

}  // namespace brio::python
