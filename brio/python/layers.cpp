// Layers: handles on Brio's modules, and modules whose code is Python.
#include <optional>
#include <set>

#include "brio/base/error.h"
#include "brio/nn/chain.h"
#include "brio/nn/layer_kinds.h"
#include "brio/nn/layers/recurrent.h"
#include "brio/nn/mask.h"
#include "brio/nn/names.h"
#include "brio/nn/random_streams.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"
#include "brio/python/errors.h"
#include "brio/python/imported.h"
#include "brio/runtime/evaluate.h"

namespace brio::python {
namespace {

// A layer written in Python. The object has _core_call(tensors, training, masks) → tensors, _core_build(shapes) and
// _core_masks(tensors, masks, results) → masks; the Python part makes them of what users write.
class PythonModule : public nn::MultiModule {
 public:
  PythonModule(nb::handle self, const std::string& base, const nn::LayerOptions& options)
      : MultiModule(base, options),
        kind_(given_as<std::string>(self.type().attr("__name__"))),
        reference_(owned(PyWeakref_NewRef(self.ptr(), nullptr))) {
    if (!reference_.is_valid()) throw nb::python_error();
  }
  ~PythonModule() override {
    const Locked locked;
    self_.reset();
    reference_.reset();
  }
  // From now on the object lives as long as the module: a graph of symbols may be all that keeps it.
  void hold() {
    if (!self_.is_valid()) self_ = object_or_refuse();
  }

  std::string_view kind() const override { return kind_; }
  const nn::Layer* call_of() const override { return is_step_ ? &modules().at(0) : nullptr; }
  void mark_step() { is_step_ = true; }

  PyObject* held() const { return self_.ptr(); }
  void forget() { self_.reset(); }
  nb::object object_or_none() const {
    if (self_.is_valid()) return self_;
    return reference_.is_valid() ? reference_() : nb::none();
  }

  using MultiModule::add_loss;
  using MultiModule::add_module;
  using MultiModule::add_weight;
  using MultiModule::mark_built;
  using MultiModule::will_have_weights;
  void adopt(const Variable& variable) { adopt_weight(variable); }
  void set_supports_masking(bool yes) { supports_masking_ = yes; }
  void set_autocast(bool yes) { autocast_ = yes; }
  void set_activity_regularizer(nn::Regularizer regularizer) { activity_regularizer_ = std::move(regularizer); }

 protected:
  void create_all(const std::vector<Shape>& inputs) override {
    const Locked locked;
    nb::list shapes;
    for (const Shape& shape : inputs) shapes.append(shape_object(shape));
    // Also while a function is traced: what build() computes, say of random numbers, is there once and for all.
    std::optional<nn::EagerScope> eager;
    if (is_tracing()) eager.emplace();
    object_or_refuse().attr("_core_build")(shapes);
    if (!eager) return;
    const Unlocked release;
    flush();
  }

  nn::Tensors call_all(const nn::Tensors& inputs, const nn::Call& how) override {
    const Locked locked;
    nb::list tensors, masks;
    for (const Tensor& x : inputs) tensors.append(wrap(x));
    for (size_t i = 0; i < inputs.size(); ++i) masks.append(wrap(how.mask(i)));
    const nb::object results =
        traced_call([&] { return nb::object(object_or_refuse().attr("_core_call")(tensors, how.training, masks)); });
    nn::Tensors list;
    for (nb::handle result : nb::iter(results)) list.push_back(tensor_of(result));
    return list;
  }

  nn::Tensors compute_masks(const nn::Tensors& inputs, const nn::Call& how, size_t results) const override {
    const Locked locked;
    const nb::object self = object_or_refuse();
    nb::list tensors, masks;
    for (const Tensor& x : inputs) tensors.append(wrap(x));
    for (size_t i = 0; i < inputs.size(); ++i) masks.append(wrap(how.mask(i)));
    const nb::object made = self.attr("_core_masks")(tensors, masks, results);
    if (made.is_none()) return MultiModule::compute_masks(inputs, how, results);
    nn::Tensors list;
    for (nb::handle mask : nb::iter(made)) list.push_back(mask.is_none() ? Tensor() : tensor_of(mask));
    return list;
  }

 private:
  nb::object object_or_refuse() const {
    nb::object self = object_or_none();
    if (self.is_none())
      throw InvalidArgument(
          cat("[", name(), "] the Python object of this ", kind_, " is gone; keep it as long as its model"));
    return self;
  }

  std::string kind_;
  bool is_step_ = false;
  nb::object self_, reference_;  // a weak one, so that an object and its module do not keep each other
};

PythonModule& own(const nn::Layer& layer) {
  auto* module = dynamic_cast<PythonModule*>(&layer.module());
  if (!module)
    throw nb::type_error(cat("[", layer.name(), "] is a layer of Brio's own, which has its weights already").c_str());
  return *module;
}

// The Python object of a layer, its handle and the module refer to each other. Python's collector sees through the
// handle when it is the only one that keeps the module.
int traverse(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  if (!nb::inst_ready(nb::handle(self))) return 0;
  const nn::Layer* layer = nb::inst_ptr<nn::Layer>(nb::handle(self));
  if (layer->share() && layer->share().use_count() == 1)
    if (auto* module = dynamic_cast<PythonModule*>(layer->share().get())) Py_VISIT(module->held());
  return 0;
}
int clear(PyObject* self) {
  const nn::Layer* layer = nb::inst_ptr<nn::Layer>(nb::handle(self));
  if (auto* module = dynamic_cast<PythonModule*>(layer->share().get())) module->forget();
  return 0;
}
PyType_Slot handle_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

nn::CallOptions options_from(std::optional<bool> training, nb::handle masks, bool causal, bool scores) {
  nn::CallOptions options{.training = training, .use_causal_mask = causal, .return_attention_scores = scores};
  if (!masks.is_none())
    for (nb::handle mask : nb::iter(masks)) options.masks.push_back(mask.is_none() ? Tensor() : tensor_of(mask));
  return options;
}

nb::object call(const nn::Layer& layer, nb::list inputs, std::optional<bool> training, nb::object masks, bool causal,
                bool scores) {
  const nn::CallOptions options = options_from(training, masks, causal, scores);
  nb::list results;
  if (!inputs.empty() && is_symbol(inputs[0])) {
    if (auto* module = dynamic_cast<PythonModule*>(&layer.module())) module->hold();
    std::vector<nn::Symbol> symbols;
    for (nb::handle input : inputs) {
      if (!is_symbol(input))
        throw InvalidArgument(
            cat("[", layer.name(), "] is called with symbols of a model and with tensors; use symbols alone"));
      symbols.push_back(*nb::inst_ptr<nn::Symbol>(input));
    }
    for (const nn::Symbol& symbol : layer.call(symbols, options)) results.append(nb::cast(symbol));
    return results;
  }
  nn::Tensors tensors;
  for (nb::handle input : inputs) tensors.push_back(tensor_of(input, {.as_input = true}));
  nn::Tensors made = without_journal([&] { return layer.call(tensors, options); });
  if (current_journal) {
    std::vector<TensorArgument> arguments;
    for (const Tensor& x : tensors) arguments.push_back({x, {}});
    for (const Tensor& mask : options.masks) arguments.push_back({mask, {}});
    auto again = [layer, options, n = tensors.size()](std::span<const Tensor> given) {
      nn::CallOptions how = options;
      how.masks.assign(given.begin() + static_cast<std::ptrdiff_t>(n), given.end());
      return layer.call(nn::Tensors(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(n)), how);
    };
    write_to_journal(std::move(again), arguments, made);
  }
  for (Tensor& result : made) results.append(wrap(std::move(result)));
  return results;
}

// A call on symbols whose results have these shapes and dtypes: of a layer that cannot be traced to find them.
nb::list call_with_specs(const nn::Layer& layer, nb::list inputs, std::optional<bool> training, nb::list specs) {
  if (auto* module = dynamic_cast<PythonModule*>(&layer.module())) module->hold();
  std::vector<nn::Symbol> symbols;
  for (nb::handle input : inputs) symbols.push_back(nb::cast<nn::Symbol>(input));
  std::vector<nn::Spec> made;
  for (nb::handle spec : specs) made.emplace_back(dims_from(spec[0]), dtype_from(spec[1]));
  const auto node =
      std::make_shared<const nn::CallNode>(nn::CallNode{layer, symbols, {.training = training}, std::move(made)});
  nb::list results;
  for (size_t i = 0; i < node->results.size(); ++i) results.append(nb::cast(nn::Symbol(node, i)));
  return results;
}

nb::list variables_of(const std::vector<Variable>& variables) {
  nb::list list;
  for (const Variable& variable : variables) list.append(variable_object(variable));
  return list;
}

nn::Layer make_layer(const std::string& kind, nb::kwargs kwargs) {
  for (const nn::LayerKind& row : nn::layer_kinds()) {
    if (row.kind != kind) continue;
    Called called(kind, nb::tuple(), kwargs);
    nn::Layer layer = row.make(called);
    called.finish();
    return layer;
  }
  throw InternalError(cat("there is no layer kind '", kind, "'"));
}

// Changes one of the options that a layer was made with; calls from now on use it.
void set_option(const nn::Layer& layer, const std::string& name, nb::handle value) {
  nb::dict given;
  given[name.c_str()] = value;
  Called called(std::string(layer.module().kind()), nb::tuple(), given);
  layer.module().describe(called);
  called.finish();
}

}  // namespace

namespace {
nb::handle known_variables() {
  static PyObject* const known =
      nb::object(imported(Imported::weakref).attr("WeakValueDictionary")()).release().ptr();
  return known;
}
nb::int_ key_of(const VariableImpl* variable) { return nb::int_(reinterpret_cast<uintptr_t>(variable)); }
}  // namespace

void know_variable_object(const Variable& variable, nb::handle object) {
  known_variables().attr("__setitem__")(key_of(variable.impl().get()), object);
}

// One Python object for a variable, for as long as somebody holds it: `is` works, and so do attributes.
nb::object known_variable(const VariableImpl* variable) { return known_variables().attr("get")(key_of(variable)); }
nb::object variable_object(const Variable& variable) {
  nb::object found = known_variable(variable.impl().get());
  if (!found.is_none()) return found;
  found = nb::cast(variable);
  found.attr("_of_keras") = true;
  know_variable_object(variable, found);
  return found;
}

namespace {

using LayerClass = nb::class_<nn::Layer>;

void bind_calls(LayerClass& type) {
  type.def_prop_ro("name", [](const nn::Layer& l) { return l.name(); })
      .def_prop_ro("kind", [](const nn::Layer& l) { return std::string(l.module().kind()); })
      .def_prop_ro("id", [](const nn::Layer& l) { return reinterpret_cast<uintptr_t>(l.share().get()); })
      .def_prop_ro("built", [](const nn::Layer& l) { return l.built(); })
      .def_prop_ro("policy", [](const nn::Layer& l) { return l.module().policy().name(); })
      .def_prop_rw(
          "trainable", [](const nn::Layer& l) { return l.trainable(); },
          [](const nn::Layer& l, bool yes) { l.set_trainable(yes); })
      .def("call", call, nb::arg("inputs"), nb::arg("training") = nb::none(), nb::arg("masks") = nb::none(),
           nb::arg("use_causal_mask") = false, nb::arg("return_attention_scores") = false)
      .def(
          "build",
          [](const nn::Layer& l, nb::list shapes, bool of_strings) {
            std::vector<nn::Spec> specs;
            for (nb::handle shape : shapes)
              specs.emplace_back(dims_from(shape), of_strings ? DType::string : l.module().policy().compute());
            l.module().build(specs);
          },
          nb::arg("shapes"), nb::arg("of_strings") = false)
      .def("output_specs", [](const nn::Layer& l, nb::list shapes) {
        std::vector<nn::Spec> specs;
        for (nb::handle shape : shapes) specs.emplace_back(dims_from(shape), l.module().policy().compute());
        nb::list results;
        for (const nn::Spec& spec : l.module().output_specs(specs))
          results.append(shape_object(std::span<const int64_t>(spec.dims)));
        return results;
      });
}

void bind_contents(LayerClass& type) {
  type.def("variables", [](const nn::Layer& l) { return variables_of(l.variables()); })
      .def("trainable_variables", [](const nn::Layer& l) { return variables_of(l.trainable_variables()); })
      .def("non_trainable_variables", [](const nn::Layer& l) { return variables_of(l.non_trainable_variables()); })
      .def("losses", [](const nn::Layer& l) { return to_python(l.losses()); })
      .def("layers",
           [](const nn::Layer& l) {
             nb::list list;
             for (const nn::Layer& inner : l.module().modules()) list.append(nb::cast(inner));
             return list;
           })
      .def("count_params", [](const nn::Layer& l) { return l.count_params(); })
      .def("to_json", [](const nn::Layer& l) { return nn::to_json(l); })
      .def("set_weights",
           [](const nn::Layer& l, nb::list weights) { l.set_weights(tensors_with_own_dtype(weights)); })
      .def("set_option", set_option, nb::arg("name"), nb::arg("value").none())
      .def("python_object",
           [](const nn::Layer& l) -> nb::object {
             auto* module = dynamic_cast<PythonModule*>(&l.module());
             return module ? module->object_or_none() : nb::none();
           })
      // The same layer, whose Python object lives as long as this handle: what calls on symbols hold.
      .def("keeping",
           [](const nn::Layer& l, nb::object object) {
             struct Kept {
               std::shared_ptr<nn::Module> module;
               std::shared_ptr<nb::object> object;
             };
             auto both = std::make_shared<Kept>(Kept{l.share(), kept(std::move(object))});
             return nn::Layer(std::shared_ptr<nn::Module>(both, both->module.get()));
           })
      .def("add_layer",
           [](const nn::Layer& l, const nn::Layer& inner) {
             if (auto* chain = dynamic_cast<nn::Chain*>(&l.module())) chain->add(inner);
             else own(l).add_module(inner);
           })
      .def("add_variable", [](const nn::Layer& l, const Variable& v) { own(l).adopt(v); })
      .def("add_loss", [](const nn::Layer& l, Given loss) { own(l).add_loss(tensor_of(loss.object)); });
}

void bind_weights(LayerClass& type) {
  type.def(
          "add_weight",
          [](const nn::Layer& l, const std::string& name, Given shape, Given initializer, Given dtype, bool trainable,
             bool autocast, Given regularizer, Given constraint) {
            nn::WeightOptions options{.trainable = trainable, .autocast = autocast};
            if (!initializer.object.is_none()) options.initializer = initializer_from(initializer.object);
            if (!dtype.object.is_none()) options.dtype = dtype_from(dtype.object);
            options.regularizer = regularizer_from(regularizer.object);
            options.constraint = constraint_from(constraint.object);
            return variable_object(own(l).add_weight(name, shape_from(shape.object), std::move(options)));
          },
          nb::arg("name"), nb::arg("shape"), nb::arg("initializer").none(), nb::arg("dtype").none(),
          nb::arg("trainable"), nb::arg("autocast"), nb::arg("regularizer").none(), nb::arg("constraint").none())
      .def("set_supports_masking", [](const nn::Layer& l, bool yes) { own(l).set_supports_masking(yes); })
      .def("mark_built", [](const nn::Layer& l) { own(l).mark_built(); })
      .def("mark_step", [](const nn::Layer& l) { own(l).mark_step(); })
      // What a chain was built for: [(shape, whether of strings)].
      .def("built_for", [](const nn::Layer& l) {
        nb::list list;
        if (const auto* chain = dynamic_cast<const nn::Chain*>(&l.module()))
          for (const nn::Spec& spec : chain->built_for())
            list.append(
                nb::make_tuple(shape_object(std::span<const int64_t>(spec.dims)), spec.dtype == DType::string));
        return list;
      });
}

void bind_random_states(LayerClass& type) {
  type  // Of the layers that have a generator of their own, this one or inside: [(seed, counter)].
      .def("random_states",
           [](const nn::Layer& l) {
             nb::list list;
             for (const Generator* generator : nn::generators_of(l.module())) {
               const Generator::State state = generator->state();
               list.append(nb::make_tuple(state.seed, state.counter));
             }
             return list;
           })
      .def("set_random_states",
           [](const nn::Layer& l, nb::list states) {
             const std::vector<Generator*> generators = nn::generators_of(l.module());
             if (generators.size() != states.size())
               throw InvalidArgument(cat("[", l.name(), "] draws from ", generators.size(), " generators, but got ",
                                         states.size(), " states"));
             for (size_t i = 0; i < generators.size(); ++i)
               generators[i]->restore({nb::cast<uint64_t>(states[i][0]), nb::cast<uint64_t>(states[i][1])});
           })
      // Its own alone.
      .def("random_state",
           [](const nn::Layer& l) -> nb::object {
             const Generator* generator = l.module().own_generator();
             if (!generator) return nb::none();
             return nb::make_tuple(generator->state().seed, generator->state().counter);
           })
      .def("set_random_state",
           [](const nn::Layer& l, uint64_t seed, uint64_t counter) {
             if (Generator* generator = l.module().own_generator()) generator->restore({seed, counter});
           })
      .def("set_autocast", [](const nn::Layer& l, bool yes) { own(l).set_autocast(yes); })
      .def("set_activity_regularizer",
           [](const nn::Layer& l, nb::handle r) { own(l).set_activity_regularizer(regularizer_from(r)); })
      .def(
          "__eq__", [](const nn::Layer& a, const nn::Layer& b) { return a == b; }, nb::is_operator());
}

void bind_made_layers(nb::module_& m) {
  m.def("_make_layer", make_layer, nb::arg("kind"), nb::arg("kwargs"));
  m.def("_layer_kinds", [] {
    nb::list kinds;
    for (const nn::LayerKind& row : nn::layer_kinds()) kinds.append(std::string(row.kind));
    return kinds;
  });
  m.def("_layer_fields", [](const std::string& kind) {
    for (const nn::LayerKind& row : nn::layer_kinds())
      if (row.kind == kind) return fields_of([&](nn::Fields& f) { row.make(f); });
    return nb::list();
  });
  m.def("_layer_from_json", [](const std::string& json) { return nn::layer_from_json(json); });
  m.def(
      "_python_layer",
      [](nb::handle self, const std::string& base, nb::handle name, nb::handle policy) {
        nn::LayerOptions options{.dtype = policy_from(policy)};
        if (!name.is_none()) options.name = given_as<std::string>(name);
        return nn::Layer(std::make_shared<PythonModule>(self, base, options));
      },
      nb::arg("self"), nb::arg("base"), nb::arg("name").none(), nb::arg("policy").none());
  m.def(
      "_chain",
      [](nb::handle name) {
        return nn::Layer(
            std::make_shared<nn::Chain>(std::vector<nn::Layer>{}, name.is_none() ? "" : given_as<std::string>(name)));
      },
      nb::arg("name").none());
  m.def("_expect_input", [](const nn::Layer& chain, const nn::Symbol& input) {
    dynamic_cast<nn::Chain&>(chain.module()).expect(input.spec());
  });
  m.def(
      "_functional",
      [](const std::vector<nn::Symbol>& inputs, const std::vector<nn::Symbol>& outputs, nb::handle name) {
        return nn::Layer(std::make_shared<nn::FunctionalModule>(inputs, outputs,
                                                                name.is_none() ? "" : given_as<std::string>(name)));
      },
      nb::arg("inputs"), nb::arg("outputs"), nb::arg("name").none());
}

void bind_inputs(nb::module_& m) {
  m.def(
      "_input",
      [](Given shape, int64_t batch_size, Given dtype, nb::handle name) {
        return nn::Input(dims_from(shape.object), {.dtype = dtype.object.is_none() ? f32 : dtype_from(dtype.object),
                                                   .name = name.is_none() ? "" : given_as<std::string>(name),
                                                   .batch_size = batch_size});
      },
      nb::arg("shape"), nb::arg("batch_size"), nb::arg("dtype").none(), nb::arg("name").none());
  m.def(
      "_input_layer",
      [](Given shape, int64_t batch_size, Given dtype, nb::handle name) -> nn::Layer {
        return nn::InputLayer(dims_from(shape.object),
                              {.dtype = dtype.object.is_none() ? f32 : dtype_from(dtype.object),
                               .name = name.is_none() ? "" : given_as<std::string>(name),
                               .batch_size = batch_size});
      },
      nb::arg("shape"), nb::arg("batch_size"), nb::arg("dtype").none(), nb::arg("name").none());
  m.def("_layer_symbol", [](const nn::Layer& layer) { return nn::input_symbol(layer); });
  m.def("_symbol_layer", [](const nn::Symbol& symbol) { return symbol.node()->layer; });
  m.def("_call_with_specs", call_with_specs, nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("_kept_states", [](const nn::Layer& layer) { return variables_of(nn::kept_states(layer)); });
}

void bind_masks_and_policies(nb::module_& m) {
  // In place: the tensor stays the one that a tape watches.
  m.def("_drop_mask", [](Given x) {
    if (TensorImpl* mask = std::exchange(nb::inst_ptr<Tensor>(x.object)->impl()->mask, nullptr)) Tensor::adopt(mask);
  });
  m.def("_mask_of", [](Given x) { return wrap(nn::mask_of(tensor_of(x.object))); });
  m.def("_with_mask",
        [](Given x, Given mask) { return wrap(nn::with_mask(tensor_of(x.object), tensor_of(mask.object))); });
  m.def("_unique_name", [](const std::string& base) { return nn::unique_name(base); });
  m.def("_reset_unique_names", &nn::reset_unique_names);
  m.def("_set_global_policy", [](nb::handle policy) { nn::set_global_policy(policy_from(policy)); });
  m.def("_global_policy", [] { return nn::global_policy().name(); });
  m.def(
      "_policy_dtypes",
      [](nb::handle policy) {
        const nn::Policy p = policy_from(policy);
        return nb::make_tuple(p.name(), std::string(info(p.compute()).name), std::string(info(p.variable()).name));
      },
      nb::arg("policy").none());
  m.def("_set_random_seed", [](uint64_t seed) { set_random_seed(seed); });
}

void bind_parts_of_layers(nb::module_& m) {
  nb::class_<nn::Initializer>(m, "_Initializer")
      .def(
          "__call__",
          [](const nn::Initializer& i, Given shape, Given dtype) {
            return wrap(i(shape_from(shape.object), dtype.object.is_none() ? f32 : dtype_from(dtype.object)));
          },
          nb::arg("shape"), nb::arg("dtype") = nb::none());
  m.def("_initializer",
        [](const std::string& name, nb::dict values) { return nn::Initializer::from(settings_from(name, values)); });
  m.def("_initializer_named", [](const std::string& name) { return nn::Initializer(name); });
  nb::class_<nn::Regularizer>(m, "_Regularizer").def("__call__", [](const nn::Regularizer& r, Given x) {
    return wrap(r(tensor_of(x.object)));
  });
  m.def("_regularizer",
        [](const std::string& name, nb::dict values) { return nn::Regularizer::from(settings_from(name, values)); });
  m.def("_regularizer_named", [](const std::string& name) { return nn::Regularizer(name); });
  nb::class_<nn::Constraint>(m, "_Constraint").def("__call__", [](const nn::Constraint& c, Given x) {
    return wrap(c(tensor_of(x.object)));
  });
  m.def("_constraint",
        [](const std::string& name, nb::dict values) { return nn::Constraint::from(settings_from(name, values)); });
  m.def("_constraint_named", [](const std::string& name) { return nn::Constraint(name); });
  define(
      m, "_activate", [](const Tensor& x, const std::string& name) { return nn::ActivationFunction(name)(x); },
      nb::arg("x"), nb::arg("activation"));
}

}  // namespace

void bind_layers(nb::module_& m) {
  LayerClass type(m, "_Layer", nb::type_slots(handle_slots), nb::is_weak_referenceable());
  bind_calls(type);
  bind_contents(type);
  bind_weights(type);
  bind_random_states(type);
  bind_made_layers(m);
  bind_inputs(m);
  bind_masks_and_policies(m);
  bind_parts_of_layers(m);
}

}  // namespace brio::python
