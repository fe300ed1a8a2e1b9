// The policy "auto": float32 or mixed_bfloat16, by measuring the first batch of this model on this machine. Steps are
// tried on copies of everything that they write, so that the run starts as if nothing had been tried. The choice goes
// into checkpoints: a run that goes on takes it from there.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

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

// Of the model as it is: nothing is drawn, counted or updated.
double Trainer::loss_in(DType compute, const Batch& batch) {
  precision_ = compute;
  const std::vector<Tensor> y_pred = forward(batch, false);
  double total = 0;
  for (size_t i = 0; i < compiled_->outputs.size(); ++i) {
    const nn::Loss& loss = compiled_->outputs[i].options.loss;
    if (!loss.defined()) continue;
    const Tensor value = loss.reduce(batch.y[i], y_pred[i], Tensor(), nn::mask_of(y_pred[i])).value;
    total += static_cast<double>(cast(mean(value), f32).item<float>());
  }
  return total;
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
  const bool keeps =
      std::isfinite(narrow.loss) && std::abs(narrow.loss - wide.loss) <= kSameLoss * std::abs(wide.loss) + kSmallLoss;
  if (keeps && narrow.seconds < kWorth * wide.seconds) take_precision(bf16);
  say(*precision_, times);
}

}  // namespace brio::train
