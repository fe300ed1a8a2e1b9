// The options of losses, metrics, optimizers and schedules by Keras' names: one list for each struct, which writes
// and reads its Settings. Python's constructors read the same list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brio/base/value_names.h"
#include "brio/nn/losses/losses.h"
#include "brio/nn/metrics/metrics.h"
#include "brio/nn/optimizers/optimizer.h"
#include "brio/nn/settings.h"

namespace brio::nn {

class SettingWriter {
 public:
  explicit SettingWriter(Settings& into) : into_(into) {}
  template <typename T>
  void operator()(std::string_view name, const T& value) {
    into_.values.emplace_back(std::string(name), setting(value));
  }
  void operator()(std::string_view, const std::vector<std::string>&) {}  // no Setting holds texts

 private:
  static Setting setting(int value) { return int64_t{value}; }
  static Setting setting(DType value) { return std::string(info(value).name); }
  static Setting setting(const std::vector<int64_t>& value) {
    return std::vector<double>(value.begin(), value.end());
  }
  template <HasValueNames T>
  static Setting setting(const T& value) {
    return std::string(name_of(value));
  }
  template <typename T>
  static Setting setting(const std::optional<T>& value) {
    return value ? Setting(*value) : Setting();
  }
  template <typename T>
  static Setting setting(const T& value) {
    return value;
  }
  Settings& into_;
};

// The value of that name. Throws InvalidArgument: "[mse] there is no reduction 'most'".
template <HasValueNames Enum>
Enum chosen(std::string_view who, std::string_view option, std::string_view name) {
  const auto value = value_named<Enum>(name);
  if (!value) throw InvalidArgument(cat("[", who, "] there is no ", option, " '", name, "'"));
  return *value;
}

// Values that the settings lack stay unchanged.
class SettingReader {
 public:
  explicit SettingReader(const Settings& from) : from_(from) {}
  void operator()(std::string_view name, bool& value) { value = from_.truth(name, value); }
  void operator()(std::string_view name, int& value) { value = static_cast<int>(from_.integer(name, value)); }
  void operator()(std::string_view name, int64_t& value) { value = from_.integer(name, value); }
  void operator()(std::string_view name, double& value) { value = from_.number(name, value); }
  void operator()(std::string_view name, std::string& value) { value = from_.text(name, value); }
  void operator()(std::string_view name, DType& value) {
    if (from_.find(name)) value = dtype_from_name(from_.text(name, {}));
  }
  void operator()(std::string_view name, std::vector<double>& value) {
    if (from_.find(name)) value = from_.list(name);
  }
  void operator()(std::string_view name, std::vector<int64_t>& value) {
    std::vector<double> list(value.begin(), value.end());
    (*this)(name, list);
    value.assign(list.begin(), list.end());
  }
  void operator()(std::string_view, std::vector<std::string>&) {}
  void operator()(std::string_view name, Axes& value);
  template <HasValueNames T>
  void operator()(std::string_view name, T& value) {
    if (from_.has(name)) value = chosen<T>(from_.class_name, name, from_.text(name, "none"));
  }
  template <typename T>
  void operator()(std::string_view name, std::optional<T>& value) {
    if (!from_.has(name)) return;
    value.reset();
    if (T given{}; from_.find(name)) {
      (*this)(name, given);
      value = given;
    }
  }

 private:
  const Settings& from_;
};

// ---- losses

template <typename F, typename O>
void list_shared(F& f, O& o) {
  f("name", o.name), f("reduction", o.reduction);
}
template <typename F>
void list_options(F& f, LossOptions& o) {
  list_shared(f, o);
}
template <typename F>
void list_options(F& f, CrossentropyOptions& o) {
  list_shared(f, o);
  f("from_logits", o.from_logits), f("label_smoothing", o.label_smoothing), f("axis", o.axis);
}
template <typename F>
void list_options(F& f, SparseCrossentropyOptions& o) {
  list_shared(f, o);
  f("from_logits", o.from_logits), f("ignore_class", o.ignore_class), f("axis", o.axis);
}
template <typename F>
void list_options(F& f, BinaryFocalOptions& o) {
  list_shared(f, o);
  f("from_logits", o.from_logits), f("label_smoothing", o.label_smoothing), f("axis", o.axis);
  f("apply_class_balancing", o.apply_class_balancing), f("alpha", o.alpha), f("gamma", o.gamma);
}
template <typename F>
void list_options(F& f, CategoricalFocalOptions& o) {
  list_shared(f, o);
  f("from_logits", o.from_logits), f("label_smoothing", o.label_smoothing), f("axis", o.axis);
  f("alpha", o.alpha), f("gamma", o.gamma);
}
template <typename F>
void list_options(F& f, GeneralizedCrossentropyOptions& o) {
  list_shared(f, o);
  f("q", o.q);
}
template <typename F>
void list_options(F& f, HuberOptions& o) {
  list_shared(f, o);
  f("delta", o.delta);
}
template <typename F>
void list_options(F& f, CosineSimilarityOptions& o) {
  list_shared(f, o);
  f("axis", o.axis);
}
template <typename F>
void list_options(F& f, CircleOptions& o) {
  list_shared(f, o);
  f("gamma", o.gamma), f("margin", o.margin), f("remove_diagonal", o.remove_diagonal);
}

template <typename F>
void list_options(F& f, DiceOptions& o) {
  list_shared(f, o);
  f("axis", o.axis);
}
template <typename F>
void list_options(F& f, TverskyOptions& o) {
  list_shared(f, o);
  f("alpha", o.alpha), f("beta", o.beta), f("axis", o.axis);
}

// ---- metrics

template <typename F>
void list_options(F& f, MetricOptions& o) {
  f("name", o.name);
}
template <typename F>
void list_options(F& f, BinaryAccuracyOptions& o) {
  f("name", o.name), f("threshold", o.threshold);
}
template <typename F>
void list_options(F& f, TopKOptions& o) {
  f("name", o.name), f("k", o.k);
}
template <typename F>
void list_options(F& f, SparseTopKOptions& o) {
  f("name", o.name), f("k", o.k), f("from_sorted_ids", o.from_sorted_ids);
}
template <typename F>
void list_options(F& f, CountOptions& o) {
  f("name", o.name), f("thresholds", o.thresholds);
}
template <typename F>
void list_options(F& f, PrecisionOptions& o) {
  f("name", o.name), f("thresholds", o.thresholds), f("top_k", o.top_k), f("class_id", o.class_id);
}
template <typename F, typename O>
void list_best(F& f, O& o) {
  f("name", o.name), f("num_thresholds", o.num_thresholds), f("class_id", o.class_id);
}
template <typename F>
void list_options(F& f, SensitivityAtSpecificityOptions& o) {
  list_best(f, o);
  f("specificity", o.specificity);
}
template <typename F>
void list_options(F& f, SpecificityAtSensitivityOptions& o) {
  list_best(f, o);
  f("sensitivity", o.sensitivity);
}
template <typename F>
void list_options(F& f, PrecisionAtRecallOptions& o) {
  list_best(f, o);
  f("recall", o.recall);
}
template <typename F>
void list_options(F& f, RecallAtPrecisionOptions& o) {
  list_best(f, o);
  f("precision", o.precision);
}
template <typename F>
void list_options(F& f, AUCOptions& o) {
  f("name", o.name), f("num_thresholds", o.num_thresholds), f("curve", o.curve);
  f("summation_method", o.summation_method), f("thresholds", o.thresholds), f("multi_label", o.multi_label);
  f("num_labels", o.num_labels), f("label_weights", o.label_weights), f("from_logits", o.from_logits);
}
template <typename F>
void list_options(F& f, F1ScoreOptions& o) {
  f("name", o.name), f("average", o.average), f("threshold", o.threshold);
}
template <typename F>
void list_options(F& f, FBetaScoreOptions& o) {
  f("name", o.name), f("average", o.average), f("beta", o.beta), f("threshold", o.threshold);
}
template <typename F, typename O>
void list_iou(F& f, O& o) {
  f("name", o.name), f("dtype", o.dtype), f("num_classes", o.num_classes), f("ignore_class", o.ignore_class);
  f("sparse_y_pred", o.sparse_y_pred), f("axis", o.axis);
}
template <typename F>
void list_options(F& f, IoUOptions& o) {
  list_iou(f, o);
  f("target_class_ids", o.target_class_ids), f("sparse_y_true", o.sparse_y_true);
}
template <typename F>
void list_options(F& f, MeanIoUOptions& o) {
  list_iou(f, o);
  f("sparse_y_true", o.sparse_y_true);
}
template <typename F>
void list_options(F& f, OneHotIoUOptions& o) {
  list_iou(f, o);
  f("target_class_ids", o.target_class_ids);
}
template <typename F>
void list_options(F& f, OneHotMeanIoUOptions& o) {
  list_iou(f, o);
}
template <typename F>
void list_options(F& f, BinaryIoUOptions& o) {
  f("name", o.name), f("dtype", o.dtype), f("target_class_ids", o.target_class_ids), f("threshold", o.threshold);
}
template <typename F>
void list_options(F& f, R2ScoreOptions& o) {
  f("name", o.name), f("class_aggregation", o.class_aggregation), f("num_regressors", o.num_regressors);
}
template <typename F>
void list_options(F& f, CorrelationOptions& o) {
  f("name", o.name), f("axis", o.axis);
}
template <typename F>
void list_options(F& f, metrics::CosineSimilarityOptions& o) {
  f("name", o.name), f("axis", o.axis);
}
template <typename F>
void list_options(F& f, metrics::CrossentropyOptions& o) {
  f("name", o.name), f("from_logits", o.from_logits), f("label_smoothing", o.label_smoothing), f("axis", o.axis);
}
template <typename F>
void list_options(F& f, metrics::SparseCrossentropyOptions& o) {
  f("name", o.name), f("from_logits", o.from_logits), f("ignore_class", o.ignore_class), f("axis", o.axis);
}

// ---- optimizers

template <typename F, typename O>
void list_optimizer(F& f, O& o) {
  f("name", o.name), f("weight_decay", o.weight_decay), f("clipnorm", o.clipnorm);
  f("global_clipnorm", o.global_clipnorm), f("clipvalue", o.clipvalue), f("use_ema", o.use_ema);
  f("ema_momentum", o.ema_momentum), f("ema_overwrite_frequency", o.ema_overwrite_frequency);
  f("loss_scale_factor", o.loss_scale_factor), f("gradient_accumulation_steps", o.gradient_accumulation_steps);
}
template <typename F>
void list_options(F& f, SGDOptions& o) {
  list_optimizer(f, o);
  f("momentum", o.momentum), f("nesterov", o.nesterov);
}
template <typename F>
void list_options(F& f, RMSpropOptions& o) {
  list_optimizer(f, o);
  f("rho", o.rho), f("momentum", o.momentum), f("epsilon", o.epsilon), f("centered", o.centered);
}
template <typename F, typename O>
void list_betas(F& f, O& o) {
  list_optimizer(f, o);
  f("beta_1", o.beta_1), f("beta_2", o.beta_2);
}
template <typename F>
void list_options(F& f, AdamOptions& o) {
  list_betas(f, o);
  f("epsilon", o.epsilon), f("amsgrad", o.amsgrad);
}
template <typename F>
void list_options(F& f, AdamWOptions& o) {
  list_betas(f, o);
  f("epsilon", o.epsilon), f("amsgrad", o.amsgrad);
}
template <typename F>
void list_options(F& f, AdamaxOptions& o) {
  list_betas(f, o);
  f("epsilon", o.epsilon);
}
template <typename F>
void list_options(F& f, NadamOptions& o) {
  list_betas(f, o);
  f("epsilon", o.epsilon);
}
template <typename F>
void list_options(F& f, LambOptions& o) {
  list_betas(f, o);
  f("epsilon", o.epsilon);
}
template <typename F>
void list_options(F& f, LionOptions& o) {
  list_betas(f, o);
}
template <typename F>
void list_options(F& f, AdagradOptions& o) {
  list_optimizer(f, o);
  f("initial_accumulator_value", o.initial_accumulator_value), f("epsilon", o.epsilon);
}
template <typename F>
void list_options(F& f, AdadeltaOptions& o) {
  list_optimizer(f, o);
  f("rho", o.rho), f("epsilon", o.epsilon);
}
template <typename F>
void list_options(F& f, AdafactorOptions& o) {
  list_optimizer(f, o);
  f("beta_2_decay", o.beta_2_decay), f("epsilon_1", o.epsilon_1), f("epsilon_2", o.epsilon_2);
  f("clip_threshold", o.clip_threshold), f("relative_step", o.relative_step);
}
template <typename F>
void list_options(F& f, FtrlOptions& o) {
  list_optimizer(f, o);
  f("learning_rate_power", o.learning_rate_power), f("initial_accumulator_value", o.initial_accumulator_value);
  f("l1_regularization_strength", o.l1_regularization_strength);
  f("l2_regularization_strength", o.l2_regularization_strength);
  f("l2_shrinkage_regularization_strength", o.l2_shrinkage_regularization_strength), f("beta", o.beta);
}
template <typename F>
void list_options(F& f, MuonOptions& o) {
  list_optimizer(f, o);
  f("adam_beta_1", o.adam_beta_1), f("adam_beta_2", o.adam_beta_2), f("adam_weight_decay", o.adam_weight_decay);
  f("epsilon", o.epsilon), f("exclude_layers", o.exclude_layers), f("exclude_embeddings", o.exclude_embeddings);
  f("muon_a", o.muon_a), f("muon_b", o.muon_b), f("muon_c", o.muon_c), f("adam_lr_ratio", o.adam_lr_ratio),
      f("momentum", o.momentum);
  f("ns_steps", o.ns_steps), f("nesterov", o.nesterov), f("rms_rate", o.rms_rate);
}

// ---- schedules

template <typename F>
void list_options(F& f, ExponentialDecayOptions& o) {
  f("initial_learning_rate", o.initial_learning_rate), f("decay_steps", o.decay_steps);
  f("decay_rate", o.decay_rate), f("staircase", o.staircase);
}
template <typename F>
void list_options(F& f, PiecewiseConstantDecayOptions& o) {
  f("boundaries", o.boundaries), f("values", o.values);
}
template <typename F>
void list_options(F& f, PolynomialDecayOptions& o) {
  f("initial_learning_rate", o.initial_learning_rate), f("decay_steps", o.decay_steps);
  f("end_learning_rate", o.end_learning_rate), f("power", o.power), f("cycle", o.cycle);
}
template <typename F>
void list_options(F& f, InverseTimeDecayOptions& o) {
  f("initial_learning_rate", o.initial_learning_rate), f("decay_steps", o.decay_steps);
  f("decay_rate", o.decay_rate), f("staircase", o.staircase);
}
template <typename F>
void list_options(F& f, CosineDecayOptions& o) {
  f("initial_learning_rate", o.initial_learning_rate), f("decay_steps", o.decay_steps), f("alpha", o.alpha);
  f("warmup_target", o.warmup_target), f("warmup_steps", o.warmup_steps);
}
template <typename F>
void list_options(F& f, CosineDecayRestartsOptions& o) {
  f("initial_learning_rate", o.initial_learning_rate), f("first_decay_steps", o.first_decay_steps);
  f("t_mul", o.t_mul), f("m_mul", o.m_mul), f("alpha", o.alpha);
}

// ---- what lists are for

template <typename Options>
Settings settings_of(std::string class_name, Options options) {
  Settings settings{std::move(class_name), {}};
  SettingWriter writer(settings);
  list_options(writer, options);
  return settings;
}
template <typename Options>
Options options_of(const Settings& settings) {
  Options options;
  SettingReader reader(settings);
  list_options(reader, options);
  return options;
}

}  // namespace brio::nn
