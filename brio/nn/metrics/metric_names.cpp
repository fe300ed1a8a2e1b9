// The metrics by name, as Keras spells them: those that need nothing but options.
#include "brio/nn/metrics/metrics.h"
#include "brio/nn/names.h"

namespace brio::nn {
namespace {

Metric told_by_shapes(const std::string& name) { return Metric(name, accuracy_by_shapes); }

template <typename Kind, typename Options>
Metric made(const std::string& name) {
  Options options;
  options.name = name;
  return Kind(options);
}

struct MetricRow {
  std::string_view name;
  Metric (*make)(const std::string&);
};
constexpr MetricRow kMetrics[] = {
    {"accuracy", told_by_shapes},
    {"acc", told_by_shapes},
    {"Accuracy", told_by_shapes},
#define BRIO_METRIC(Class, name, Options) {#name, made<Class, Options>}, {class_name(#Class), made<Class, Options>},
#define BRIO_METRIC_NAME(name, Class, Options) {name, made<Class, Options>},
#include "brio/nn/metrics/metric_kinds.h"
};

}  // namespace

Metric::Metric(std::string_view name) : Metric(row_named("metric", name, kMetrics).make(std::string(name))) {
  by_name_ = true;
}

}  // namespace brio::nn
