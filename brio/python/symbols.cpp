// Symbols of functional models (KerasTensor), and functions called on them.
#include "brio/base/error.h"
#include "brio/nn/functional.h"
#include "brio/python/bind.h"

namespace brio::python {

Parameter<std::vector<Tensor>>::Held Parameter<std::vector<Tensor>>::take(Given given) {
  Held held;
  bool symbolic = false;
  if (PyList_Check(given.object.ptr()) || PyTuple_Check(given.object.ptr()))
    for (nb::handle item : nb::iter(given.object)) symbolic |= is_symbol(item);
  if (symbolic) {
    for (nb::handle item : nb::iter(given.object)) held.push_back(Parameter<Tensor>::take({item}));
  } else {
    for (Tensor& tensor : tensors_of(given.object, {.as_input = true})) held.push_back({std::move(tensor), {}});
  }
  return held;
}

nb::object to_python(std::vector<Tensor> tensors) {
  nb::list list;
  for (Tensor& tensor : tensors) list.append(wrap(std::move(tensor)));
  return list;
}

nb::object call_on_symbols(Deferred call, std::vector<TensorArgument> arguments, ResultKind results) {
  std::vector<nn::Symbol> symbols;
  std::vector<Tensor> constants;
  for (const TensorArgument& argument : arguments) {
    if (argument.symbol.ptr()) symbols.push_back(*nb::inst_ptr<nn::Symbol>(argument.symbol));
    constants.push_back(argument.tensor);
  }
  const auto all = [call, constants](const nn::Tensors& given) {
    std::vector<Tensor> tensors = constants;
    size_t next = 0;
    for (Tensor& tensor : tensors)
      if (!tensor.defined()) tensor = given[next++];
    return call(tensors);
  };
  if (results == ResultKind::one) {
    const nn::Lambda step([all](const nn::Tensors& given) { return all(given)[0]; });
    return nb::cast(step(symbols));
  }
  throw InvalidArgument(
      "functions of several results cannot be called on the symbols of a functional model yet; "
      "wrap them in a layer");
}

void bind_symbols(nb::module_& m) {
  nb::class_<nn::Symbol> type(m, "KerasTensor", nb::type_slots(symbol_slots), nb::dynamic_attr(),
                              "What a layer of a functional model will give.");
  types.symbol = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("shape", [](const nn::Symbol& s) { return shape_object(std::span<const int64_t>(s.spec().dims)); })
      .def_prop_ro("dtype", [](const nn::Symbol& s) { return std::string(info(s.dtype()).name); })
      .def_prop_ro("ndim", [](const nn::Symbol& s) { return s.rank(); })
      .def("__repr__", [](const nn::Symbol& s) {
        return cat("<KerasTensor shape=", s.spec().str(), ", dtype=", s.dtype(),
                   ", sparse=False, ragged=False, name=", s.node()->layer.name(), ">");
      });
  type.attr("__array_priority__") = 100;
  type.attr("__hash__") = nb::module_::import_("builtins").attr("object").attr("__hash__");
}

}  // namespace brio::python
