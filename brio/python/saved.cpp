// tf.saved_model: traces of functions for files. Python describes the objects (python/brio/_saved_objects.py).
#include "brio/python/saved.h"
#include "brio/base/error.h"
#include "brio/python/bind.h"
#include "brio/python/errors.h"
#include "brio/train/export.h"
#include "brio/train/saved_model.h"

namespace brio::python {
namespace {

std::vector<VariableRef> variables_from(nb::handle list) {
  std::vector<VariableRef> variables;
  for (nb::handle h : list) {
    if (!is_variable(h)) throw nb::type_error("variables are expected");
    variables.push_back(nb::inst_ptr<Variable>(h)->impl());
  }
  return variables;
}

// (sizes, dtype) of each; a size that is not known is None.
nb::list specs_of(const std::vector<SizedAs>& all) {
  nb::list list;
  for (const SizedAs& one : all) list.append(nb::make_tuple(shape_object(one.dims), dtype_object(one.dtype)));
  return list;
}

// f(tensors) → tensors, traced for arguments of (shape, dtype) each.
std::shared_ptr<const SavedTrace> save_trace(nb::object f, nb::sequence specs) {
  std::vector<SizedAs> arguments;
  for (nb::handle spec : specs) arguments.push_back({dims_from(spec[0]), dtype_from(spec[1])});
  const BodyFn body = [&](const std::vector<Tensor>& tensors) {
    const Locked locked;
    return traced_call([&] { return tensors_with_own_dtype(f(to_python(tensors))); });
  };
  const Unlocked release;
  return std::make_shared<const SavedTrace>(SavedTrace::of(body, arguments));
}

std::shared_ptr<const SavedTrace> read_trace(const std::string& text, nb::sequence variables,
                                             nb::sequence constants) {
  return std::make_shared<const SavedTrace>(
      SavedTrace::read(text, variables_from(variables), tensors_with_own_dtype(constants)));
}

nb::object call_trace(const std::shared_ptr<const SavedTrace>& trace, nb::sequence tensors) {
  std::vector<TensorArgument> arguments;
  for (nb::handle h : tensors) arguments.push_back(Parameter<Tensor>::take({h}));
  return perform<false>([trace](const std::vector<Tensor>& in) { return trace->call(in); }, std::tuple{arguments});
}

// `described`: JSON of the objects and signatures.
void save_described(const std::string& folder, const std::string& described, nb::sequence variables,
                    nb::sequence constants) {
  const std::vector<VariableRef> known = variables_from(variables);
  const std::vector<Tensor> values = tensors_with_own_dtype(constants);
  const auto json = nlohmann::ordered_json::parse(described);
  const Unlocked release;
  train::write_saved_model(folder, json, known, values);
}

void write_onnx(const SharedTrace& shared, const std::string& path, std::vector<std::string> inputs,
                std::vector<std::string> outputs, const std::string& name) {
  const auto trace = shared.trace;
  const Unlocked release;
  train::write_onnx(path, *trace, {.inputs = std::move(inputs), .outputs = std::move(outputs), .graph = name});
}

}  // namespace

void bind_saved(nb::module_& m) {
  nb::class_<SharedTrace>(m, "_SavedTrace")
      .def("call", [](const SharedTrace& self, nb::sequence tensors) { return call_trace(self.trace, tensors); })
      .def("write_onnx", write_onnx)
      .def("write",
           [](const SharedTrace& self, nb::sequence variables, nb::list constants) {
             std::vector<Tensor> known = tensors_with_own_dtype(constants);
             const size_t before = known.size();
             std::string text = self.trace->write(variables_from(variables), known);
             for (size_t i = before; i < known.size(); ++i) constants.append(wrap(known[i]));
             return text;
           })
      // Which of the variables it uses, by their places; -1 for one that is not among them.
      .def("uses",
           [](const SharedTrace& self, nb::sequence variables) {
             const std::vector<VariableRef> known = variables_from(variables);
             std::vector<int64_t> places;
             for (const VariableRef& variable : self.trace->variables()) {
               const auto it = std::ranges::find(known, variable);
               places.push_back(it == known.end() ? -1 : it - known.begin());
             }
             return places;
           })
      // None for one that no Python object stands for.
      .def_prop_ro("variables",
                   [](const SharedTrace& self) {
                     nb::list list;
                     for (const VariableRef& variable : self.trace->variables())
                       list.append(known_variable(variable.get()));
                     return list;
                   })
      .def_prop_ro("arguments", [](const SharedTrace& self) { return specs_of(self.trace->arguments()); })
      .def_prop_ro("results", [](const SharedTrace& self) { return specs_of(self.trace->results()); });
  m.def("_write_saved_model", save_described);
  m.def("_save_trace", [](nb::object f, nb::sequence specs) { return SharedTrace{save_trace(f, specs)}; });
  m.def("_read_trace", [](const std::string& text, nb::sequence variables, nb::sequence constants) {
    return SharedTrace{read_trace(text, variables, constants)};
  });
}

}  // namespace brio::python
