#include "brio/train/compile_config.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/nn/optimizers/loss_scale_optimizer.h"
#include "brio/nn/settings_json.h"

namespace brio::train {
namespace {

using nn::Json;

Json loss_json(const nn::Loss& loss) {
  if (!loss.defined()) return nullptr;
  if (loss.made_by_name()) return loss.name();
  return nn::settings_json("keras.losses", "loss", loss.name(), loss.settings());
}

nn::Loss loss_of(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return nn::Loss(json.get<std::string>());
  if (json.value("class_name", "") == "function") return nn::Loss(json.at("config").get<std::string>());
  nn::Settings settings = nn::settings_of(json);
  return nn::Loss::from(settings);
}

Json metrics_json(const std::vector<nn::Metric>& metrics) {
  Json list = Json::array();
  for (const nn::Metric& metric : metrics) {
    if (!metric.made_by_name())
      throw InvalidArgument(cat("[config] the metric '", metric.name(),
                                "' was not made by its name, and only such can be written to a config"));
    list.push_back(metric.name());
  }
  return list;
}

// Of a class only what every metric has can be read.
nn::Metric metric_of(const Json& json) {
  if (json.is_string()) return nn::Metric(json.get<std::string>());
  if (json.value("class_name", "") == "function") return nn::Metric(json.at("config").get<std::string>());
  throw InvalidArgument(
      cat("[config] the metric ", json.value("class_name", "of unknown kind"), " has options, which are not read"));
}

std::vector<nn::Metric> metrics_of(const Json& json) {
  std::vector<nn::Metric> metrics;
  if (json.is_string()) metrics.push_back(metric_of(json));
  else if (json.is_array())
    for (const Json& each : json) metrics.push_back(metric_of(each.is_array() && each.size() == 1 ? each[0] : each));
  else if (!json.is_null()) throw InvalidArgument("[config] metrics are neither a list nor a name");
  return metrics;
}

Json optimizer_json(const nn::Optimizer& optimizer) {
  const nn::OptimizerCore& core = *optimizer.core();
  Json json = nn::settings_json("keras.optimizers", "optimizer", core.name(), core.settings());
  if (core.inner()) {
    json["config"]["inner_optimizer"] = optimizer_json(*core.inner());
    return json;
  }
  json["config"]["learning_rate"] = core.schedule() ? nn::settings_json("keras.optimizers.schedules", "schedule",
                                                                        "learning_rate", core.schedule()->settings())
                                                    : Json(core.learning_rate().item<double>());
  return json;
}

nn::Optimizer optimizer_of(Json json) {
  if (json.is_string()) return nn::Optimizer(json.get<std::string>());
  Json& config = json.at("config");
  if (json.at("class_name") == "LossScaleOptimizer") {
    const nn::Optimizer inner = optimizer_of(config.at("inner_optimizer"));
    nn::LossScaleOptions options;
    options.initial_scale = config.value("initial_scale", options.initial_scale);
    options.dynamic_growth_steps = config.value("dynamic_growth_steps", options.dynamic_growth_steps);
    return nn::LossScaleOptimizer(inner, options);
  }
  nn::LearningRate rate(0.001);
  if (const auto given = config.find("learning_rate"); given != config.end()) {
    if (given->is_object()) rate = nn::LearningRate(nn::Schedule::from(nn::settings_of(*given)));
    else rate = nn::LearningRate(given->get<double>());
    config.erase("learning_rate");
  }
  return nn::Optimizer::from(nn::settings_of(json), rate);
}

}  // namespace

Json compile_json(const nn::CompileOptions& o) {
  if (o.train_step || o.test_step) throw InvalidArgument("[config] a step of your own cannot be written to a config");
  Json json = {{"optimizer", optimizer_json(o.optimizer)}};
  if (o.outputs.empty()) {
    json["loss"] = loss_json(o.loss);
    json["loss_weights"] = nullptr;
    json["metrics"] = o.metrics.empty() ? Json() : metrics_json(o.metrics);
    json["weighted_metrics"] = o.weighted_metrics.empty() ? Json() : metrics_json(o.weighted_metrics);
  } else {
    for (const char* key : {"loss", "loss_weights", "metrics", "weighted_metrics"}) json[key] = Json::array();
    for (const nn::OutputOptions& each : o.outputs) {
      json["loss"].push_back(loss_json(each.loss));
      json["loss_weights"].push_back(each.loss_weight);
      json["metrics"].push_back(metrics_json(each.metrics));
      json["weighted_metrics"].push_back(metrics_json(each.weighted_metrics));
    }
  }
  json["run_eagerly"] = false;
  json["steps_per_execution"] = o.steps_per_execution;
  json["jit_compile"] = false;
  json["auto_scale_loss"] = o.auto_scale_loss;
  return json;
}

nn::CompileOptions compile_options(const Json& json) {
  const auto part = [&](const char* key) { return json.contains(key) ? json.at(key) : Json(); };
  nn::CompileOptions o{.optimizer = optimizer_of(part("optimizer"))};
  if (part("loss").is_object() && !part("loss").contains("class_name"))
    throw InvalidArgument("[config] losses by the names of outputs are not read");
  if (part("loss").is_array()) {
    const Json losses = part("loss"), weights = part("loss_weights"), metrics = part("metrics"),
               weighted = part("weighted_metrics");
    for (size_t i = 0; i < losses.size(); ++i) {
      nn::OutputOptions output{.loss = loss_of(losses[i])};
      if (weights.is_array() && i < weights.size()) output.loss_weight = weights[i].get<double>();
      if (metrics.is_array() && i < metrics.size()) output.metrics = metrics_of(metrics[i]);
      if (weighted.is_array() && i < weighted.size()) output.weighted_metrics = metrics_of(weighted[i]);
      o.outputs.push_back(std::move(output));
    }
  } else {
    o.loss = loss_of(part("loss"));
    o.metrics = metrics_of(part("metrics"));
    o.weighted_metrics = metrics_of(part("weighted_metrics"));
  }
  if (part("steps_per_execution").is_number_integer())
    o.steps_per_execution = part("steps_per_execution").get<int64_t>();
  if (part("auto_scale_loss").is_boolean()) o.auto_scale_loss = part("auto_scale_loss").get<bool>();
  return o;
}

}  // namespace brio::train
