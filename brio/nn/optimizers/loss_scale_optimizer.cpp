#include "brio/nn/optimizers/loss_scale_optimizer.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/module.h"
#include "brio/nn/optimizers/step_gate.h"
#include "brio/ops/elementwise/elementwise.h"

namespace brio::nn {
namespace {

Variable scalar(const std::string& name, double value, DType dtype) {
  EagerScope scope;
  const Tensor initial = cast(constant(value, f64), dtype);
  initial.array();
  return Variable(initial, {.name = name, .trainable = false, .owner = Owner::optimizer});
}

class LossScaleCore final : public OptimizerCore {
 public:
  LossScaleCore(Optimizer inner, LossScaleOptions o)
      : inner_(std::move(inner)),
        o_(std::move(o)),
        iteration_(scalar(o_.name + "/iteration", 0, i64)),
        learning_rate_(scalar(o_.name + "/learning_rate", 0, f64)),
        good_steps_(scalar(o_.name + "/step_counter", 0, i64)),
        scale_(scalar(o_.name + "/dynamic_scale", o_.initial_scale, f32)) {
    if (!(o_.initial_scale > 0) || std::isinf(o_.initial_scale))
      throw InvalidArgument(
          cat("[", o_.name, "] initial_scale is ", o_.initial_scale, "; it must be finite and above 0"));
    if (o_.dynamic_growth_steps < 1)
      throw InvalidArgument(
          cat("[", o_.name, "] dynamic_growth_steps is ", o_.dynamic_growth_steps, "; it must be at least 1"));
    inner_.core()->drop_loss_scale();  // one scale is enough
  }

  const std::string& name() const override { return o_.name; }
  const Optimizer* inner() const override { return &inner_; }
  Tensor scale() const { return scale_.value(); }

  void apply(std::vector<Tensor> gradients, std::span<const Variable> variables, const Tensor& gate) override {
    const bool has_unscaled = !scaled_.empty();
    for (Tensor& g : gradients) {
      if (!g.defined()) continue;
      const bool is_scaled = !has_unscaled || std::ranges::any_of(scaled_, [&](const Tensor& known) {
        return known.impl() == g.impl();
      });
      if (is_scaled) g = unscaled(g);
    }
    scaled_.clear();
    Tensor flag = zero_if_finite(gradients);
    if (!flag.defined()) flag = constant(0, f32);  // the inner optimizer says what is wrong
    Tensor finite = equal(flag, constant(0, f32));
    const Tensor count = good_steps_.value(), now = scale_.value();
    // Where even a scale below 1 brings no finite gradients, it is not the scale.
    if (StepGate* const step = StepGate::current())
      step->add(select(less(now, constant(1, f32)), flag, constant(0, f32)));
    const Tensor grows = equal(count, constant(o_.dynamic_growth_steps - 1, i64));
    const Tensor zero = constant(0, i64);
    Tensor next_count = select(logical_and(finite, logical_not(grows)), count + constant(1, i64), zero);
    Tensor next = select(finite, select(grows, now * constant(2, f32), now), now * constant(0.5, f32));
    if (gate.defined()) {
      next_count = select(gate, next_count, count);
      next = select(gate, next, now);
      finite = logical_and(gate, finite);
    }
    good_steps_.assign(next_count);
    scale_.assign(next);
    inner_.core()->apply(std::move(gradients), variables, finite);
  }

  std::vector<Tensor> unscale(const std::vector<Tensor>& gradients) {
    scaled_.insert(scaled_.end(), gradients.begin(), gradients.end());
    std::vector<Tensor> result;
    for (const Tensor& g : gradients) result.push_back(g.defined() ? unscaled(g) : g);
    return result;
  }

  void build(std::span<const Variable> variables) override { inner_.build(variables); }
  std::vector<Variable> variables() const override {  // the first two are Keras' too, which does not use them either
    std::vector<Variable> all = {iteration_, learning_rate_, good_steps_, scale_};
    const std::vector<Variable> others = inner_.variables();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  Tensor learning_rate() const override { return inner_.learning_rate(); }
  void set_learning_rate(const LearningRate& rate) override { inner_.set_learning_rate(rate); }
  Tensor iterations() const override { return inner_.iterations(); }
  Tensor scale_loss(const Tensor& loss) const override {
    const DType dtype = loss.dtype() == f64 ? f64 : f32;
    return cast(loss, dtype) * cast(scale_.value(), dtype);
  }
  bool scales_loss() const override { return true; }
  void drop_loss_scale() override {
    throw InvalidArgument(cat("[", o_.name, "] already scales the loss; wrap an optimizer once"));
  }
  void set_multiplier(const Variable& variable, double factor) override {
    inner_.core()->set_multiplier(variable, factor);
  }
  void exclude_from_decay(std::span<const Variable> variables, std::span<const std::string> names) override {
    inner_.core()->exclude_from_decay(variables, names);
  }
  void finalize(std::span<const Variable> variables) override { inner_.core()->finalize(variables); }
  const Settings& settings() const override { return settings_; }
  const Schedule* schedule() const override { return inner_.core()->schedule(); }

 private:
  Tensor unscaled(const Tensor& g) const {  // in float32 at least: a float16 gradient may be too small afterwards
    const DType dtype = g.dtype() == f64 ? f64 : f32;
    return cast(g, dtype) / cast(scale_.value(), dtype);
  }

  Optimizer inner_;
  LossScaleOptions o_;
  Settings settings_ = {
      "LossScaleOptimizer",
      {{"name", o_.name}, {"initial_scale", o_.initial_scale}, {"dynamic_growth_steps", o_.dynamic_growth_steps}}};
  Variable iteration_, learning_rate_, good_steps_, scale_;
  std::vector<Tensor> scaled_;  // what get_unscaled_gradients was given since the last step: still scaled if it comes
};

LossScaleCore& core_of(const Optimizer& optimizer) { return static_cast<LossScaleCore&>(*optimizer.core()); }

}  // namespace

LossScaleOptimizer::LossScaleOptimizer(Optimizer inner, LossScaleOptions options)
    : Optimizer(std::make_shared<LossScaleCore>(std::move(inner), std::move(options))) {}

Optimizer LossScaleOptimizer::inner_optimizer() const { return *core_of(*this).inner(); }
Tensor LossScaleOptimizer::loss_scale() const { return core_of(*this).scale(); }
std::vector<Tensor> LossScaleOptimizer::get_unscaled_gradients(const std::vector<Tensor>& gradients) const {
  return core_of(*this).unscale(gradients);
}

}  // namespace brio::nn
