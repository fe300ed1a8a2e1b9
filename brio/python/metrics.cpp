// keras.metrics: every class by name, made of what Python passes, and metrics whose code is Python.
#include "brio/nn/metrics/metrics.h"

#include "brio/base/error.h"
#include "brio/nn/mask.h"
#include "brio/python/bind.h"
#include "brio/python/called.h"
#include "brio/python/errors.h"

namespace brio::python {
namespace {

template <typename Options>
void shared(Called& c, Options& o) {
  c("name", o.name);
  if constexpr (requires { o.dtype; }) c("dtype", o.dtype);
  else c.find_keyword("dtype");
}
template <typename M>
nn::Metric plain(Called& c) {
  nn::MetricOptions o;
  shared(c, o);
  return M(o);
}
template <typename M>
nn::Metric counts(Called& c) {
  nn::CountOptions o;
  c("thresholds", o.thresholds);
  shared(c, o);
  return M(o);
}
template <typename M>
nn::Metric precision(Called& c) {
  nn::PrecisionOptions o;
  c("thresholds", o.thresholds), c("top_k", o.top_k), c("class_id", o.class_id);
  shared(c, o);
  return M(o);
}
// The value that each of these is "at" has a name of its own.
template <typename M, int which>
nn::Metric at(Called& c) {
  constexpr const char* kNames[] = {"specificity", "sensitivity", "recall", "precision"};
  double value = 0;
  nn::AtOptions o;
  c(kNames[which], value), c("num_thresholds", o.num_thresholds), c("class_id", o.class_id);
  shared(c, o);
  return M(value, o);
}
template <typename M>
nn::Metric crossentropy(Called& c) {
  nn::metrics::CrossentropyOptions o;
  c("from_logits", o.from_logits), c("label_smoothing", o.label_smoothing), c("axis", o.axis);
  shared(c, o);
  return M(o);
}
nn::Metric sparse_crossentropy(Called& c) {
  nn::metrics::SparseCrossentropyOptions o;
  c("from_logits", o.from_logits), c("ignore_class", o.ignore_class), c("axis", o.axis);
  shared(c, o);
  return nn::metrics::SparseCategoricalCrossentropy(o);
}
nn::Metric cosine(Called& c) {
  nn::metrics::CosineSimilarityOptions o;
  c("axis", o.axis);
  shared(c, o);
  return nn::metrics::CosineSimilarity(o);
}
nn::Metric binary_accuracy(Called& c) {
  nn::BinaryAccuracyOptions o;
  c("threshold", o.threshold);
  shared(c, o);
  return nn::BinaryAccuracy(o);
}
nn::Metric top_k(Called& c) {
  nn::TopKOptions o;
  c("k", o.k);
  shared(c, o);
  return nn::TopKCategoricalAccuracy(o);
}
nn::Metric sparse_top_k(Called& c) {
  nn::SparseTopKOptions o;
  c("k", o.k), c("from_sorted_ids", o.from_sorted_ids);
  shared(c, o);
  return nn::SparseTopKCategoricalAccuracy(o);
}
nn::Metric auc(Called& c) {
  nn::AUCOptions o;
  c("num_thresholds", o.num_thresholds), c.choice("curve", o.curve, {"ROC", "PR", "PRGAIN"});
  c.choice("summation_method", o.summation_method, {"interpolation", "minoring", "majoring"});
  c("thresholds", o.thresholds), c("multi_label", o.multi_label), c("num_labels", o.num_labels);
  c("label_weights", o.label_weights), c("from_logits", o.from_logits);
  shared(c, o);
  return nn::AUC(o);
}
constexpr std::string_view kAverages[] = {"none", "micro", "macro", "weighted"};
nn::Metric f1(Called& c) {
  nn::F1ScoreOptions o;
  c.choice("average", o.average, kAverages), c("threshold", o.threshold);
  shared(c, o);
  return nn::F1Score(o);
}
nn::Metric fbeta(Called& c) {
  nn::FBetaScoreOptions o;
  c.choice("average", o.average, kAverages), c("beta", o.beta), c("threshold", o.threshold);
  shared(c, o);
  return nn::FBetaScore(o);
}
void iou_options(Called& c, nn::IoUOptions& o) {
  c("ignore_class", o.ignore_class), c("sparse_y_true", o.sparse_y_true), c("sparse_y_pred", o.sparse_y_pred),
      c("axis", o.axis);
  shared(c, o);
}
void iou_options(Called& c, nn::OneHotIoUOptions& o) {
  c("ignore_class", o.ignore_class), c("sparse_y_pred", o.sparse_y_pred), c("axis", o.axis);
  shared(c, o);
}
template <typename M, typename Options>
nn::Metric iou(Called& c) {
  int64_t classes = 0;
  std::vector<int64_t> targets;
  Options o;
  c("num_classes", classes), c("target_class_ids", targets);
  iou_options(c, o);
  return M(classes, targets, o);
}
template <typename M, typename Options>
nn::Metric mean_iou(Called& c) {
  int64_t classes = 0;
  Options o;
  c("num_classes", classes);
  iou_options(c, o);
  return M(classes, o);
}
nn::Metric binary_iou(Called& c) {
  nn::BinaryIoUOptions o;
  c("target_class_ids", o.target_class_ids), c("threshold", o.threshold);
  shared(c, o);
  return nn::BinaryIoU(o);
}
nn::Metric r2(Called& c) {
  nn::R2ScoreOptions o;
  c.choice("class_aggregation", o.class_aggregation, {"none", "uniform_average", "variance_weighted_average"});
  c("num_regressors", o.num_regressors);
  shared(c, o);
  return nn::R2Score(o);
}
template <typename M>
nn::Metric correlation(Called& c) {
  nn::CorrelationOptions o;
  c("axis", o.axis);
  shared(c, o);
  return M(o);
}

struct Row {
  std::string_view name;
  nn::Metric (*make)(Called&);
};
constexpr Row kMetrics[] = {
    {"AUC", auc},
    {"Accuracy", plain<nn::Accuracy>},
    {"BinaryAccuracy", binary_accuracy},
    {"BinaryCrossentropy", crossentropy<nn::metrics::BinaryCrossentropy>},
    {"BinaryIoU", binary_iou},
    {"CategoricalAccuracy", plain<nn::CategoricalAccuracy>},
    {"CategoricalCrossentropy", crossentropy<nn::metrics::CategoricalCrossentropy>},
    {"CategoricalHinge", plain<nn::metrics::CategoricalHinge>},
    {"ConcordanceCorrelation", correlation<nn::ConcordanceCorrelation>},
    {"CosineSimilarity", cosine},
    {"F1Score", f1},
    {"FBetaScore", fbeta},
    {"FalseNegatives", counts<nn::FalseNegatives>},
    {"FalsePositives", counts<nn::FalsePositives>},
    {"Hinge", plain<nn::metrics::Hinge>},
    {"IoU", iou<nn::IoU, nn::IoUOptions>},
    {"KLDivergence", plain<nn::metrics::KLDivergence>},
    {"LogCoshError", plain<nn::LogCoshError>},
    {"MeanAbsoluteError", plain<nn::metrics::MeanAbsoluteError>},
    {"MeanAbsolutePercentageError", plain<nn::metrics::MeanAbsolutePercentageError>},
    {"MeanIoU", mean_iou<nn::MeanIoU, nn::IoUOptions>},
    {"MeanSquaredError", plain<nn::metrics::MeanSquaredError>},
    {"MeanSquaredLogarithmicError", plain<nn::metrics::MeanSquaredLogarithmicError>},
    {"OneHotIoU", iou<nn::OneHotIoU, nn::OneHotIoUOptions>},
    {"OneHotMeanIoU", mean_iou<nn::OneHotMeanIoU, nn::OneHotIoUOptions>},
    {"PearsonCorrelation", correlation<nn::PearsonCorrelation>},
    {"Poisson", plain<nn::metrics::Poisson>},
    {"Precision", precision<nn::Precision>},
    {"PrecisionAtRecall", at<nn::PrecisionAtRecall, 2>},
    {"R2Score", r2},
    {"Recall", precision<nn::Recall>},
    {"RecallAtPrecision", at<nn::RecallAtPrecision, 3>},
    {"RootMeanSquaredError", plain<nn::RootMeanSquaredError>},
    {"SensitivityAtSpecificity", at<nn::SensitivityAtSpecificity, 0>},
    {"SparseCategoricalAccuracy", plain<nn::SparseCategoricalAccuracy>},
    {"SparseCategoricalCrossentropy", sparse_crossentropy},
    {"SparseTopKCategoricalAccuracy", sparse_top_k},
    {"SpecificityAtSensitivity", at<nn::SpecificityAtSensitivity, 1>},
    {"SquaredHinge", plain<nn::metrics::SquaredHinge>},
    {"TopKCategoricalAccuracy", top_k},
    {"TrueNegatives", counts<nn::TrueNegatives>},
    {"TruePositives", counts<nn::TruePositives>},
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
