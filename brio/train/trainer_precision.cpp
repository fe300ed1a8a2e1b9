// The policy "auto": float32 or mixed_bfloat16, by measuring the first batch of this model on this machine. Steps are
// tried on copies of everything that they write, so that the run starts as if nothing had been tried. The choice goes
// into checkpoints: a run that goes on takes it from there.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>

#include "brio/nn/mask.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/train/trainer.h"

namespace brio::train {
namespace {

constexpr double kMostSeconds = 0.3;                   // that the steps of one precision are tried for
constexpr double kWorth = 0.95;                        // of float32's time: less gain is not worth the bits
constexpr double kSameLoss = 0.02, kSmallLoss = 1e-3;  // how far apart the losses may be: relative, absolute

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  return text;
}

bool has_automatic(const nn::Module& module) {
  if (module.policy().automatic()) return true;
  return std::ranges::any_of(module.modules(), [](const nn::Layer& layer) { return has_automatic(layer.module()); });
}

bool keeps_loss(double wide, double narrow) {
  return std::isfinite(narrow) && std::abs(narrow - wide) <= kSameLoss * std::abs(wide) + kSmallLoss;
}

void list_policies(const nn::Module& module, std::vector<nn::Policy>& policies) {
  if (module.modules().empty()) policies.push_back(module.policy());
  for (const nn::Layer& layer : module.modules()) list_policies(layer.module(), policies);
}

// The short format, where layers compute in one; float32, where all do. Weights of other formats, and layers that
// choose for themselves, are not tried otherwise.
std::optional<DType> precision_of_layers(const nn::Module& module) {
  std::vector<nn::Policy> policies;
  list_policies(module, policies);
  DType compute = f32;
  for (const nn::Policy& policy : policies) {
    if (!is_floating(policy.variable())) continue;
    if (policy.automatic() || policy.variable() != f32) return {};
    if (policy.mixed()) compute = policy.compute();
  }
  return compute;
}

std::string name_of_policy(DType compute) { return compute == f32 ? "float32" : cat("mixed_", compute); }

}  // namespace

void Trainer::take_precision(DType compute) {
  const std::lock_guard lock(making_);
  if (precision_.value_or(f32) != compute) {
    forget_steps();
    predict_.reset();
  }
  precision_ = compute;
  asked_precision_ = true;
}

// Of the model as it is: nothing is drawn or counted.
Tensor Trainer::inference_loss(const Batch& batch) {
  const std::vector<Tensor> y_pred = forward(batch, false);
  Tensor total = constant(0, f32);
  for (size_t i = 0; i < compiled_->outputs.size(); ++i) {
    const nn::Loss& loss = compiled_->outputs[i].options.loss;
    if (!loss.defined()) continue;
    total = total + cast(mean(loss.reduce(batch.y[i], y_pred[i], Tensor(), nn::mask_of(y_pred[i])).value), f32);
  }
  return total;
}

double Trainer::loss_in(DType compute, const Batch& batch) {
  precision_ = compute;
  return static_cast<double>(inference_loss(batch).item<float>());
}

// On copies of all that it writes, as a stateful layer does in inference too. NaN: it cannot be tried.
double Trainer::loss_alone(const Batch& batch) {
  detail::TracedFunction scratch(
      [this, n_x = batch.x.size(), n_y = batch.y.size()](const std::vector<Tensor>& all) -> std::vector<Tensor> {
        const std::lock_guard lock(making_);
        return {inference_loss(batch_of(all, n_x, n_y, all.size() - n_x - n_y))};
      });
  return try_scratch(scratch, batch, 0).result.value_or(std::numeric_limits<double>::quiet_NaN());
}

profile::PrecisionTrial Trainer::try_precision(const Batch& batch, double most_seconds) {
  const std::optional<DType> now = precision_of_layers(*module_);
  if (!now || compiled_->options.train_step || !has_loss()) return {};
  const DType other = *now == f32 ? bf16 : f32;
  detail::TracedFunction as_it_is = scratch_step(batch, Metrics::with), in_other = scratch_step(batch, Metrics::with);
  profile::PrecisionTrial tried;
  // In turns, the quicker of two: what others do to the machine meanwhile is no difference between the two.
  for (int round = 0; round < 2; ++round)
    for (const bool is_other : {false, true}) {
      const nn::TriedPrecision scope(is_other ? other : *now);
      const double seconds = try_scratch(is_other ? in_other : as_it_is, batch, most_seconds / 2).seconds;
      if (seconds <= 0) return {};
      double& best = is_other ? tried.at_other : tried.seconds;
      best = round == 0 ? seconds : std::min(best, seconds);
      if (round == 0) (is_other ? tried.other_loss : tried.loss) = loss_alone(batch);
    }
  // More digits are no risk.
  tried.keeps_loss = other == f32 ? std::isfinite(tried.other_loss) : keeps_loss(tried.loss, tried.other_loss);
  tried.now = name_of_policy(*now);
  tried.other = name_of_policy(other);
  return tried;
}

void Trainer::choose_precision(const Batch& batch) {
  if (asked_precision_) return;
  asked_precision_ = true;
  if (!has_automatic(*module_)) return;
  const auto say = [](DType compute, const std::string& why) {
    std::cerr << "brio: [fit] precision: " << name_of_precision(compute) << "; " << why << "\n";
  };
  struct Tried {
    double seconds, loss;
  };
  const auto attempt = [&](DType compute) -> Tried {
    const double loss = loss_in(compute, batch);
    return {traced_anew_seconds(batch, Metrics::with, kMostSeconds), loss};
  };
  Tried wide{}, narrow{};
  try {
    if (!compiled_->options.train_step) {  // the user's own: trying it would run it
      wide = attempt(f32);
      narrow = attempt(bf16);
    }
  } catch (...) {
    precision_ = f32;
    throw;
  }
  precision_ = f32;
  if (wide.seconds <= 0 || narrow.seconds <= 0)
    return say(f32,
               "a step of this model cannot be tried by itself (a step of your own, effects, or another device)");
  const std::string times =
      cat("a step takes ", milliseconds(wide.seconds), " in float32 and ", milliseconds(narrow.seconds),
          " in mixed_bfloat16; the loss is ", wide.loss, " and ", narrow.loss);
  if (keeps_loss(wide.loss, narrow.loss) && narrow.seconds < kWorth * wide.seconds) take_precision(bf16);
  say(*precision_, times);
}

}  // namespace brio::train
