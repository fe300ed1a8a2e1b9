// keras.optimizers.
#include "brio/nn/optimizer.h"

#include "brio/base/error.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

void apply_gradients(const nn::Optimizer& optimizer, nb::handle pairs) {
  std::vector<Tensor> gradients;
  std::vector<Variable> variables;
  for (nb::handle pair : nb::iter(pairs)) {
    const nb::object fast =
        nb::steal(PySequence_Fast(pair.ptr(), "apply_gradients takes pairs (gradient, variable)"));
    if (!fast.is_valid()) throw nb::python_error();
    PyObject** items = PySequence_Fast_ITEMS(fast.ptr());
    if (PySequence_Fast_GET_SIZE(fast.ptr()) != 2 || !is_variable(items[1]))
      throw InvalidArgument("[apply_gradients] takes pairs (gradient, variable): zip(gradients, variables)");
    variables.push_back(*nb::inst_ptr<Variable>(nb::handle(items[1])));
    gradients.push_back(items[0] == Py_None ? Tensor()
                                            : tensor_of(items[0], {.preferred = variables.back().dtype()}));
  }
  const nb::gil_scoped_release release;
  optimizer.apply_gradients(std::move(gradients), variables);
}

}  // namespace

void bind_optimizers(nb::module_& m) {
  nb::class_<nn::Optimizer>(m, "_Optimizer", nb::dynamic_attr())
      .def(nb::init<const std::string&>())
      .def("apply_gradients", apply_gradients, nb::arg("grads_and_vars"));
  m.def("_sgd", [](double rate) { return nn::Optimizer(nn::SGD(rate)); });
}

}  // namespace brio::python
