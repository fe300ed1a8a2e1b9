// The functions with which each file of bindings adds to the module; module.cpp calls them in order.
#pragma once

#include "brio/python/parameters.h"

namespace brio::python {

// Operators: for types with values, and for symbols, which have no values yet.
extern PyType_Slot value_slots[], symbol_slots[];

void bind_dtypes(nb::module_& m);
void bind_tensor(nb::module_& m);
void bind_variable(nb::module_& m);
void bind_tape(nb::module_& m);
void bind_doctor(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_function(nb::module_& m);
void bind_graph_mode(nb::module_& m);
void bind_saved(nb::module_& m);
void bind_symbols(nb::module_& m);
void bind_open_sizes(nb::module_& m);
void bind_math(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_reductions(nb::module_& m);
void bind_picking(nb::module_& m);
void bind_nn(nb::module_& m);
void bind_windows(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_random(nb::module_& m);
void bind_strings(nb::module_& m);
void bind_signal(nb::module_& m);
void bind_image(nb::module_& m);
void bind_io(nb::module_& m);
void bind_control(nb::module_& m);
void bind_layers(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_models(nb::module_& m);
void bind_datasets(nb::module_& m);
void bind_dataset_sources(nb::module_& m);
void bind_examples(nb::module_& m);
void bind_optimizers(nb::module_& m);
void bind_preprocessing(nb::module_& m);
void bind_summary(nb::module_& m);
void bind_weight_files(nb::module_& m);
[[gnu::weak]] void bind_test_devices(nb::module_& m);  // where the tests are built

}  // namespace brio::python
