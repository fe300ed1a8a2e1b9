// keras.optimizers and their schedules.
#include "brio/nn/optimizers/optimizer.h"

#include "brio/base/error.h"
#include "brio/nn/optimizers/loss_scale_optimizer.h"
#include "brio/nn/optimizers/optimizer_rule.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/control/held_assignments.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"

namespace brio::python {
namespace {

// A number, a schedule, or a function of no arguments that gives the rate.
nn::LearningRate rate_from(nb::handle h) {
  if (nb::isinstance<nn::Schedule>(h)) return given_as<nn::Schedule>(h);
  if (nb::hasattr(h, "_brio")) return given_as<nn::Schedule>(h.attr("_brio"));
  if (PyCallable_Check(h.ptr()))
    return nn::Schedule([f = kept(nb::borrow(h))](const Tensor&) {
      const Locked locked;
      return tensor_of((*f)(), {.preferred = f32});
    });
  return double_from(h);
}

template <typename O, typename Options>
nn::Optimizer made(Called& c, nn::LearningRate rate) {
  Options o;
  if (const nb::handle given = c.find_keyword("learning_rate"); given.ptr()) rate = rate_from(given);
  list_options(c, o);
  return O(rate, o);
}

struct Row {
  std::string_view name;
  nn::Optimizer (*make)(Called&, nn::LearningRate);
  double rate;
};
constexpr Row kOptimizers[] = {
#define BRIO_OPTIMIZER(Class, name, rate) {#Class, made<nn::Class, nn::Class##Options>, rate},
#include "brio/nn/optimizers/optimizer_kinds.h"
};

template <typename S, typename Options>
nn::Schedule made_schedule(Called& called) {
  Options options;
  list_options(called, options);
  return S(options);
}

struct ScheduleRow {
  std::string_view name;
  nn::Schedule (*make)(Called&);
};
constexpr ScheduleRow kSchedules[] = {
#define BRIO_SCHEDULE(Class) {#Class, made_schedule<nn::Class, nn::Class##Options>},
#include "brio/nn/optimizers/schedule_kinds.h"
};

std::vector<Variable> variables_from(nb::handle sequence) {
  std::vector<Variable> variables;
  for (nb::handle item : nb::iter(sequence)) {
    if (!is_variable(item)) throw nb::type_error(cat("variables are asked for, but got ", shown(item)).c_str());
    variables.push_back(*nb::inst_ptr<Variable>(item));
  }
  return variables;
}

void apply_gradients(const nn::Optimizer& optimizer, nb::handle pairs) {
  std::vector<Tensor> gradients;
  std::vector<Variable> variables;
  // Lists and tuples are looked at where they are.
  const auto sequence = [](nb::handle h) {
    return owned(PySequence_Fast(h.ptr(), "apply_gradients takes pairs (gradient, variable)"));
  };
  const nb::object list = sequence(pairs);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i) {
    const nb::object fast = sequence(PySequence_Fast_GET_ITEM(list.ptr(), i));
    PyObject** items = PySequence_Fast_ITEMS(fast.ptr());
    if (PySequence_Fast_GET_SIZE(fast.ptr()) != 2 || !is_variable(items[1]))
      throw InvalidArgument("[apply_gradients] takes pairs (gradient, variable): zip(gradients, variables)");
    variables.push_back(*nb::inst_ptr<Variable>(nb::handle(items[1])));
    gradients.push_back(items[0] == Py_None ? Tensor()
                                            : tensor_of(items[0], {.preferred = variables.back().dtype()}));
  }
  const Unlocked release;
  optimizer.apply_gradients(std::move(gradients), variables);
}

}  // namespace

void bind_optimizers(nb::module_& m) {
  nb::class_<nn::Schedule>(m, "_Schedule").def("__call__", [](const nn::Schedule& s, Given step) {
    return wrap(s(tensor_of(step.object, {.preferred = i64})));
  });
  m.def("_schedule", [](const std::string& name, nb::kwargs kwargs) {
    for (const ScheduleRow& row : kSchedules) {
      if (row.name != name) continue;
      Called called(name, nb::tuple(), kwargs);
      nn::Schedule schedule = row.make(called);
      called.finish();
      return schedule;
    }
    throw InternalError(cat("there is no schedule '", name, "'"));
  });
  m.def("_own_schedule", [](nb::object f) {
    return nn::Schedule([f = kept(std::move(f))](const Tensor& step) {
      const Locked locked;
      return tensor_of((*f)(wrap(step)), {.preferred = f32});
    });
  });

  nb::class_<nn::Optimizer>(m, "_Optimizer")
      .def_prop_ro("name", [](const nn::Optimizer& o) { return o.name(); })
      .def("apply_gradients", apply_gradients, nb::arg("grads_and_vars"))
      .def("learning_rate", [](const nn::Optimizer& o) { return wrap(o.learning_rate()); })
      .def("set_learning_rate", [](const nn::Optimizer& o, nb::handle rate) { o.set_learning_rate(rate_from(rate)); })
      .def("iterations", [](const nn::Optimizer& o) { return wrap(o.iterations()); })
      .def("scale_loss",
           [](const nn::Optimizer& o, Given loss) { return wrap(o.scale_loss(tensor_of(loss.object))); })
      .def("scales_loss", [](const nn::Optimizer& o) { return o.scales_loss(); })
      .def("exclude_from_weight_decay",
           [](const nn::Optimizer& o, nb::handle variables, const std::vector<std::string>& names) {
             o.exclude_from_weight_decay(variables_from(variables), names);
           })
      .def("finalize_variable_values",
           [](const nn::Optimizer& o, nb::handle v) { o.finalize_variable_values(variables_from(v)); })
      .def("build", [](const nn::Optimizer& o, nb::handle v) { o.build(variables_from(v)); })
      .def("variables", [](const nn::Optimizer& o) {
        nb::list list;
        for (const Variable& variable : o.variables()) list.append(variable_object(variable));
        return list;
      });
  nb::class_<nn::LossScaleOptimizer, nn::Optimizer>(m, "_LossScaleOptimizer")
      .def("__init__",
           [](nn::LossScaleOptimizer* self, const nn::Optimizer& inner, double scale, int64_t steps,
              const std::string& name) {
             new (self)
                 nn::LossScaleOptimizer(inner, {.initial_scale = scale, .dynamic_growth_steps = steps, .name = name});
           })
      .def("loss_scale", [](const nn::LossScaleOptimizer& o) { return wrap(o.loss_scale()); })
      .def("get_unscaled_gradients", [](const nn::LossScaleOptimizer& o, nb::handle gradients) {
        std::vector<Tensor> list;
        for (nb::handle g : nb::iter(gradients)) list.push_back(g.is_none() ? Tensor() : tensor_of(g));
        return to_python(o.get_unscaled_gradients(list));
      });
  m.def("_optimizer", [](const std::string& name, nb::kwargs kwargs) {
    for (const Row& row : kOptimizers) {
      if (row.name != name) continue;
      Called called(name, nb::tuple(), kwargs);
      nn::Optimizer optimizer = row.make(called, row.rate);
      called.finish();
      return optimizer;
    }
    throw InternalError(cat("there is no optimizer '", name, "'"));
  });
  // One whose update is Python's: update(gradient, variable, rate) assigns the variable.
  m.def("_own_optimizer", [](nb::object update, nb::handle rate, nb::kwargs kwargs) {
    Called called("Optimizer", nb::tuple(), kwargs);
    nn::SharedOptimizerOptions options;
    list_optimizer(called, options);
    called.finish();
    nn::Formula formula{.slots = nn::like_parameter({}),
                        .update = [f = kept(std::move(update))](nn::ParameterUpdate& u) {
                          const Locked locked;
                          const Variable& variable = u.variable;
                          std::optional<HeldAssignments> held;
                          if (u.gate.defined()) held.emplace();
                          (*f)(wrap(u.g), variable_object(variable), wrap(u.rate));
                          if (held) held->keep_if(u.gate);
                          u.p = variable.value();
                        }};
    return nn::Optimizer(std::make_shared<nn::OptimizerRule>(rate_from(rate), options, std::move(formula)));
  });
  m.def("_optimizer_named", [](const std::string& name) { return nn::Optimizer(name); });
}

}  // namespace brio::python
