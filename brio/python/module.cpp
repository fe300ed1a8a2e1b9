// brio._core: the C++ part of the Python package. A function that is one of TensorFlow's has TensorFlow's name. A
// name that begins with _ is used by the Python part (python/brio).
#include "brio/python/bind.h"
#include "brio/python/errors.h"
#include "brio/runtime/evaluate.h"

NB_MODULE(_core, m) {
  using namespace brio::python;
  nanobind::set_leak_warnings(false);
  bind_errors(m);
  bind_dtypes(m);
  bind_tensor(m);
  bind_variable(m);
  bind_tape(m);
  bind_devices(m);
  bind_open_sizes(m);
  bind_function(m);
  bind_graph_mode(m);
  bind_saved(m);
  bind_symbols(m);
  bind_math(m);
  bind_arrays(m);
  bind_reductions(m);
  bind_picking(m);
  bind_nn(m);
  bind_windows(m);
  bind_linalg(m);
  bind_random(m);
  bind_strings(m);
  bind_signal(m);
  bind_image(m);
  bind_io(m);
  bind_control(m);
  bind_layers(m);
  bind_losses(m);
  bind_metrics(m);
  bind_optimizers(m);
  bind_models(m);
  bind_preprocessing(m);
  bind_summary(m);
  bind_weight_files(m);
  bind_datasets(m);
  bind_dataset_sources(m);
  bind_examples(m);
  bind_doctor(m);
  if (bind_test_devices) bind_test_devices(m);
}
