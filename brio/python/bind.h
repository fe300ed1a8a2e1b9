// What each file of bindings adds to the module; module.cpp calls them in turn.
#pragma once

#include "brio/python/operation.h"

namespace brio::python {

// Operators: of what has values, and of symbols, which have none yet.
extern PyType_Slot value_slots[], symbol_slots[];

void bind_dtypes(nb::module_& m);
void bind_tensor(nb::module_& m);
void bind_variable(nb::module_& m);
void bind_tape(nb::module_& m);
void bind_function(nb::module_& m);
void bind_symbols(nb::module_& m);
void bind_math(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_layers(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_models(nb::module_& m);
void bind_optimizers(nb::module_& m);

}  // namespace brio::python
