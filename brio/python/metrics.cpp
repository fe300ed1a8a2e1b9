// keras.metrics: every class by name, made of what Python passes, and metrics whose code is Python.
#include "brio/nn/metrics/metrics.h"

#include "brio/base/error.h"
#include "brio/nn/mask.h"
#include "brio/nn/names.h"
#include "brio/nn/option_fields.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"
#include "brio/python/errors.h"

namespace brio::python {
namespace {

template <typename M, typename Options>
nn::Metric made(Called& called) {
  Options options;
  list_options(called, options);
  called.find_keyword("dtype");  // most metrics count in float32, whatever it is
  return M(options);
}

struct Row {
  std::string_view name;
  nn::Metric (*make)(Called&);
};
constexpr Row kMetrics[] = {
#define BRIO_METRIC(Class, name, Options) {nn::class_name(#Class), made<nn::Class, nn::Options>},
#define BRIO_METRIC_WITHOUT_NAME(Class, Options) {#Class, made<nn::Class, nn::Options>},
#include "brio/nn/metrics/metric_kinds.h"
};

Tensor optional_tensor(nb::handle h) { return h.is_none() ? Tensor() : tensor_of(h); }

// A metric written in Python: the object has update_state, result and reset_state, and keeps its own variables.
class PythonRule : public nn::MetricRule {
 public:
  PythonRule(std::string name, nb::handle self) : MetricRule(std::move(name)), self_(nb::borrow(self)) {}
  ~PythonRule() override {
    const Locked locked;
    self_.reset();
  }
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& weight, const Tensor&) override {
    const Locked locked;
    traced_call([&] {
      if (weight.defined())
        self_.attr("update_state")(wrap(y_true), wrap(y_pred), nb::arg("sample_weight") = wrap(weight));
      else self_.attr("update_state")(wrap(y_true), wrap(y_pred));
    });
  }
  Tensor result() const override {
    const Locked locked;
    return traced_call([&] { return tensor_of(self_.attr("result")()); });
  }

 private:
  nb::object self_;
};

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::class_<nn::Metric>(m, "_Metric")
      .def_prop_ro("name", [](const nn::Metric& x) { return x.name(); })
      .def(
          "update_state",
          [](const nn::Metric& metric, Given y_true, Given y_pred, nb::handle weight) {
            const Tensor p = tensor_of(y_pred.object);
            metric.update_state(tensor_of(y_true.object), p, optional_tensor(weight), nn::mask_of(p));
          },
          nb::arg("y_true"), nb::arg("y_pred"), nb::arg("sample_weight") = nb::none())
      .def("result", [](const nn::Metric& metric) { return wrap(metric.result()); })
      .def("reset_state", [](const nn::Metric& metric) { metric.reset_state(); })
      .def("variables", [](const nn::Metric& metric) {
        nb::list list;
        for (const Variable& variable : metric.variables()) list.append(variable_object(variable));
        return list;
      });
  nb::class_<nn::Mean, nn::Metric>(m, "_Mean")
      .def(
          "update_state",
          [](const nn::Mean& metric, Given v, nb::handle weight) {
            metric.update_state(tensor_of(v.object, {.preferred = f32}), optional_tensor(weight));
          },
          nb::arg("values"), nb::arg("sample_weight") = nb::none());
  nb::class_<nn::Sum, nn::Metric>(m, "_Sum").def(
      "update_state",
      [](const nn::Sum& metric, Given v, nb::handle weight) {
        metric.update_state(tensor_of(v.object, {.preferred = f32}), optional_tensor(weight));
      },
      nb::arg("values"), nb::arg("sample_weight") = nb::none());
  m.def("_mean", [](const std::string& name) { return nn::Mean({.name = name}); });
  m.def("_sum", [](const std::string& name) { return nn::Sum({.name = name}); });
  m.def("_metric", [](const std::string& name, nb::kwargs kwargs) {
    for (const Row& row : kMetrics) {
      if (row.name != name) continue;
      Called called(name, nb::tuple(), kwargs);
      nn::Metric metric = row.make(called);
      called.finish();
      return metric;
    }
    throw InternalError(cat("there is no metric '", name, "'"));
  });
  m.def("_metric_named", [](const std::string& name) { return nn::Metric(name); });
  m.def("_mean_of", [](const std::string& name, nb::object function) {
    return nn::Metric(
        name, [f = kept(std::move(function))](const Tensor& y_true, const Tensor& y_pred) -> nn::SampleValues {
          const Locked locked;
          return traced_call([&] { return tensor_of((*f)(wrap(y_true), wrap(y_pred))); });
        });
  });
  m.def("_python_metric", [](const std::string& name, nb::handle self) {
    return nn::Metric(std::make_shared<PythonRule>(name, self));
  });

  nb::module_ functions = m.def_submodule("_metrics");
  define(
      functions, "binary_accuracy",
      [](const Tensor& t, const Tensor& p, double threshold) { return nn::binary_accuracy(t, p, threshold); },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("threshold") = 0.5,
      "1 where a prediction is on its label's side of the threshold, else 0.");
  define(
      functions, "categorical_accuracy",
      [](const Tensor& t, const Tensor& p) { return nn::categorical_accuracy(t, p); }, nb::arg("y_true"),
      nb::arg("y_pred"), "1 where the class with the largest value is the one-hot label's, else 0.");
  define(
      functions, "sparse_categorical_accuracy",
      [](const Tensor& t, const Tensor& p) { return nn::sparse_categorical_accuracy(t, p); }, nb::arg("y_true"),
      nb::arg("y_pred"), "1 where the class with the largest value is the labelled one, else 0.");
  define(
      functions, "top_k_categorical_accuracy",
      [](const Tensor& t, const Tensor& p, int64_t k) { return nn::top_k_categorical_accuracy(t, p, k); },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("k") = 5,
      "1 where the one-hot label's class is among the k largest values, else 0.");
  define(
      functions, "sparse_top_k_categorical_accuracy",
      [](const Tensor& t, const Tensor& p, int64_t k) { return nn::sparse_top_k_categorical_accuracy(t, p, k); },
      nb::arg("y_true"), nb::arg("y_pred"), nb::arg("k") = 5,
      "1 where the labelled class is among the k largest values, else 0.");
}

}  // namespace brio::python
