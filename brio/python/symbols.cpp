// Symbols of functional models (KerasTensor), and functions called on them.
#include "brio/python/symbols.h"

#include <algorithm>
#include <map>

#include "brio/base/error.h"
#include "brio/nn/functional.h"
#include "brio/python/bind.h"
#include "brio/python/imported.h"

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

namespace {

// One call of a function, as a step of a model.
class OperationModule : public nn::MultiModule {
 public:
  using Function = std::function<nn::Tensors(const nn::Tensors&)>;
  explicit OperationModule(Function f) : MultiModule("operation"), f_(std::move(f)) { autocast_ = false; }
  std::string_view kind() const override { return "Operation"; }

  // What a config says of it: the name of Keras' class, and the arguments, [(whether a symbol, otherwise the value)].
  void describe_as(const char* name, nb::object arguments) {
    name_in_keras = name;
    arguments_in_keras = kept(std::move(arguments));
  }
  std::string name_in_keras;
  std::shared_ptr<nb::object> arguments_in_keras;

 protected:
  nn::Tensors call_all(const nn::Tensors& inputs, const nn::Call&) override { return f_(inputs); }

 private:
  Function f_;
};

}  // namespace

nb::object call_on_symbols(Deferred call, std::vector<TensorArgument> arguments, ResultKind results) {
  std::vector<nn::Symbol> symbols;
  std::vector<Tensor> constants;
  std::vector<std::pair<size_t, Variable>> variables;
  for (const TensorArgument& argument : arguments) {
    if (argument.symbol.ptr()) symbols.push_back(*nb::inst_ptr<nn::Symbol>(argument.symbol));
    if (argument.variable.ptr()) variables.emplace_back(constants.size(), *nb::inst_ptr<Variable>(argument.variable));
    constants.push_back(argument.tensor);
  }
  const auto all = [call, constants, variables](const nn::Tensors& given) {
    std::vector<Tensor> tensors = constants;
    size_t next = 0;
    for (Tensor& tensor : tensors)
      if (!tensor.defined()) tensor = given[next++];
    for (const auto& [at, variable] : variables) tensors[at] = variable.value();
    return call(tensors);
  };
  const nn::Layer step = nn::layer<OperationModule>(all);
  nb::list list;
  for (const nn::Symbol& symbol : step.call(symbols)) list.append(nb::cast(symbol));
  if (results == ResultKind::one) return list[0];
  return results == ResultKind::list ? nb::object(list) : nb::object(nb::tuple(list));
}

nb::object described(nb::object made, const char* name, std::initializer_list<nb::handle> arguments) {
  if (!name || !is_symbol(made)) return made;
  const nn::CallNode& node = *nb::inst_ptr<nn::Symbol>(made)->node();
  auto* operation = dynamic_cast<OperationModule*>(&node.layer.module());
  nb::list rows;
  std::vector<nn::Symbol> symbols;
  for (const nb::handle argument : arguments) {
    const bool symbolic = is_symbol(argument);
    if (symbolic) symbols.push_back(*nb::inst_ptr<nn::Symbol>(argument));
    rows.append(nb::make_tuple(symbolic, symbolic ? nb::none() : nb::borrow(argument)));
  }
  // A function that is several steps is none of Keras'.
  if (operation && node.inputs == symbols) operation->describe_as(name, rows);
  return made;
}

void bind_symbols(nb::module_& m) {
  m.def("_operation", [](const nn::Layer& layer) -> nb::object {
    const auto* operation = dynamic_cast<const OperationModule*>(&layer.module());
    if (!operation || operation->name_in_keras.empty()) return nb::none();
    return nb::make_tuple(operation->name_in_keras, *operation->arguments_in_keras);
  });
  // Whether one operation made these symbols of those that are given: then it is described by a name and what goes
  // with it.
  m.def("_describe_operation", [](const std::vector<nn::Symbol>& made, const std::vector<nn::Symbol>& given,
                                  const std::string& name, nb::object about) {
    const nn::CallNode& node = *made.at(0).node();
    auto* operation = dynamic_cast<OperationModule*>(&node.layer.module());
    if (!operation || !std::ranges::equal(node.inputs, given)) return false;
    for (const nn::Symbol& symbol : made)
      if (symbol.node() != made[0].node()) return false;
    operation->describe_as(name.c_str(), std::move(about));
    return true;
  });
  nb::class_<nn::Symbol> type(m, "KerasTensor", nb::type_slots(symbol_slots), nb::dynamic_attr(),
                              "What a layer of a functional model will give.");
  types.symbol = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro(
          "shape", [](const nn::Symbol& s) { return shape_object(std::span<const int64_t>(s.spec().dims)); },
          "The sizes of its axes; None where one is not known.")
      .def_prop_ro(
          "dtype", [](const nn::Symbol& s) { return std::string(info(s.dtype()).name); },
          "The name of the type of its elements.")
      .def_prop_ro(
          "ndim", [](const nn::Symbol& s) { return s.rank(); }, "How many axes it has.")
      .def("__repr__", [](const nn::Symbol& s) {
        return cat("<KerasTensor shape=", s.spec().str(), ", dtype=", s.dtype(),
                   ", sparse=False, ragged=False, name=", s.node()->layer.name(), ">");
      });
  type.attr("__array_priority__") = 100;
  // A symbol for as long as a model or another symbol holds it: what a layer remembers of its calls.
  struct WeakSymbol {
    std::weak_ptr<const nn::CallNode> node;
    size_t index;
  };
  nb::class_<WeakSymbol>(m, "_WeakSymbol")
      .def("__init__",
           [](WeakSymbol* self, const nn::Symbol& s) {
             new (self) WeakSymbol{s.node(), s.index()};
           })
      .def("get", [](const WeakSymbol& weak) -> nb::object {
        if (auto node = weak.node.lock()) return nb::cast(nn::Symbol(std::move(node), weak.index));
        return nb::none();
      });
  m.def("_same_symbol", [](const nn::Symbol& a, const nn::Symbol& b) { return a == b; });
  // The inputs that symbols depend on, with their names, in the order in which they are met.
  m.def("_inputs_of", [](const std::vector<nn::Symbol>& symbols) {
    std::vector<nn::Symbol> open = symbols, seen;
    nb::list inputs;
    while (!open.empty()) {
      const nn::Symbol symbol = open.back();
      open.pop_back();
      if (std::ranges::find(seen, symbol) != seen.end()) continue;
      seen.push_back(symbol);
      if (symbol.node()->inputs.empty()) inputs.append(nb::make_tuple(symbol.node()->layer.name(), symbol));
      for (const nn::Symbol& before : symbol.node()->inputs) open.push_back(before);
    }
    return inputs;
  });
  // The calls that a functional model is made of, in order: (layer, inputs, results, training, causal, scores), where
  // inputs and results are (call, index); negative calls are the model's inputs.
  m.def("_graph", [](const nn::Layer& layer) {
    const auto& module = dynamic_cast<const nn::FunctionalModule&>(layer.module());
    std::map<const nn::CallNode*, int> number;
    int next = 0;
    for (const nn::Symbol& input : module.inputs()) number.emplace(input.node().get(), --next);
    next = 0;
    for (const auto& node : module.nodes()) number.emplace(node.get(), next++);
    auto place = [&](const nn::Symbol& s) {
      return nb::make_tuple(number.at(s.node().get()), s.index(), nb::cast(s));
    };
    nb::list calls, inputs, outputs;
    for (const auto& node : module.nodes()) {
      nb::list taken;
      for (const nn::Symbol& symbol : node->inputs) taken.append(place(symbol));
      const nn::CallOptions& how = node->options;
      calls.append(nb::make_tuple(nb::cast(node->layer), taken, nb::cast(how.training), how.use_causal_mask,
                                  how.return_attention_scores));
    }
    for (const nn::Symbol& s : module.inputs()) inputs.append(nb::make_tuple(nb::cast(s.node()->layer), nb::cast(s)));
    for (const nn::Symbol& s : module.outputs()) outputs.append(place(s));
    return nb::make_tuple(inputs, calls, outputs);
  });
  type.attr("__hash__") = imported(Imported::builtins).attr("object").attr("__hash__");
}

}  // namespace brio::python
