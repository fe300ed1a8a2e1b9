#include "brio/nn/layers/normalization.h"

#include "brio/autodiff/exact_gradient.h"
#include "brio/nn/config.h"
#include "brio/nn/epsilon.h"
#include "brio/nn/layers/feature_axes.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// In short formats sums of squares would overflow.
Tensor widened(const Tensor& x) { return cast(x, x.dtype() == f64 ? f64 : f32); }

template <typename Options>
void list_scale_fields(Fields& f, Options& o) {
  f("epsilon", o.epsilon);
  f("center", o.center);
  f("scale", o.scale);
  f("beta_initializer", o.beta_initializer);
  f("gamma_initializer", o.gamma_initializer);
  f("beta_regularizer", o.beta_regularizer);
  f("gamma_regularizer", o.gamma_regularizer);
  f("beta_constraint", o.beta_constraint);
  f("gamma_constraint", o.gamma_constraint);
}
void list_fields(Fields& f, BatchNormalizationOptions& o) {
  f("axis", o.axis);
  f("momentum", o.momentum);
  list_scale_fields(f, o);
  f("moving_mean_initializer", o.moving_mean_initializer);
  f("moving_variance_initializer", o.moving_variance_initializer);
  f("synchronized", o.synchronized);
}
void list_fields(Fields& f, LayerNormalizationOptions& o) {
  f("axis", o.axis);
  list_scale_fields(f, o);
}
void list_fields(Fields& f, GroupNormalizationOptions& o) {
  f("groups", o.groups);
  f("axis", o.axis);
  list_scale_fields(f, o);
}

// Groups of neighbouring features that share their statistics.
struct Groups {
  int64_t count = 0;  // none: each feature has its own

  // Statistics of the features, (batch, …, features, …) with 1 elsewhere, to the means of their groups.
  Tensor mean_of(const Tensor& statistics) const {
    if (count == 0) return statistics;
    const Size batch = statistics.shape()[0];
    Size features = 1;
    for (int i = 1; i < statistics.rank(); ++i) features *= statistics.shape()[i];
    const Shape grouped{batch, count, features / std::max<int64_t>(count, 1)};
    return reshape(broadcast_to(mean(reshape(statistics, grouped), -1, true), grouped), statistics.shape());
  }
};

// Moments over the axes, and of groups of what is left. The gradient has one pass less than that of moments(): the
// variance does not change with the mean that it is taken around, so that path, of zeros, is left out. It is a
// function of x again, and so are those of higher order.
Moments batch_moments(const Tensor& x, const Axes& axes, Groups groups = {}) {
  const auto average = [axes, groups](const Tensor& of) { return groups.mean_of(mean(of, axes, true)); };
  const auto spread = [average](const Tensor& of) { return average(squared_difference(of, average(of))); };
  if (current_recording().is_body()) return {average(x), spread(x)};  // loops know no gradient of one's own
  const auto variance = exact_gradient([=](const Tensors& in) {
    return CustomResult{spread(in[0]), [=, x = in[0]](const Tensor& g) -> Tensors {
                          const Size all = x.shape().elements(), each = g.shape().elements();
                          const Tensor share =
                              all.known() && each.known()
                                  ? constant(2.0 * static_cast<double>(each) / static_cast<double>(all), x.dtype())
                                  : constant(each * 2, x.dtype()) / constant(all, x.dtype());
                          return {(x - average(x)) * (groups.mean_of(g) * share)};
                        }};
  });
  return {average(x), variance({x})};
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  for (int i = 0; i < to.rank(); ++i)
    if (from[i] != 1 && from[i] != to[i]) return false;
  return true;
}

// What has gamma and beta.
class ScaledModule : public Module {
 public:
  using Module::Module;
  Variable gamma, beta;

 protected:
  template <typename Options>
  void add_gamma_and_beta(const Shape& shape, const Options& o) {
    if (o.scale)
      gamma = add_weight("gamma", shape,
                         {.initializer = o.gamma_initializer,
                          .autocast = false,
                          .regularizer = o.gamma_regularizer,
                          .constraint = o.gamma_constraint});
    if (o.center)
      beta = add_weight("beta", shape,
                        {.initializer = o.beta_initializer,
                         .autocast = false,
                         .regularizer = o.beta_regularizer,
                         .constraint = o.beta_constraint});
  }

  // (x - mean) / sqrt(variance + epsilon) · gamma + beta, the weights being given this shape. Written as a line in x:
  // its gradients then need sums of x and of the cotangent alone, and what is per statistic stays small.
  Tensor normalised(const Tensor& x, const Tensor& mean, const Tensor& variance, double epsilon,
                    const Shape& shape) const {
    const auto of = [&](const Variable& weight) { return reshape(cast(weight, x.dtype()), shape); };
    const bool per_statistic = broadcasts_to(shape, mean.shape());
    Tensor slope = rsqrt(variance + constant(epsilon, x.dtype()));
    if (gamma.impl() && per_statistic) slope = slope * of(gamma);
    Tensor start = neg(mean * slope);
    if (beta.impl() && per_statistic) start = of(beta) + start;
    Tensor y = x * slope + start;
    if (per_statistic) return y;
    if (gamma.impl()) y = y * of(gamma);
    return beta.impl() ? y + of(beta) : y;
  }
};

class BatchNormalizationModule : public ScaledModule {
 public:
  explicit BatchNormalizationModule(BatchNormalizationOptions options)
      : ScaledModule("batch_normalization", {.dtype = options.dtype, .name = options.name}),
        options_(std::move(options)) {
    if (options_.synchronized)
      throw_invalid(name(),
                    "synchronized is true, but statistics over several devices are not there; set it to false");
    will_have_weights();
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "BatchNormalization"; }
  void describe(Fields& f) override { list_fields(f, options_); }

  Variable moving_mean, moving_variance;

 protected:
  void create_weights(const Shape& input) override {
    const Shape shape = sizes_at({axis(input)}, input);
    add_gamma_and_beta(shape, options_);
    const auto statistic = [&](std::string_view what, const Initializer& initializer) {
      return add_weight(what, shape, {.initializer = initializer, .trainable = false, .autocast = false});
    };
    moving_mean = statistic("moving_mean", options_.moving_mean_initializer);
    moving_variance = statistic("moving_variance", options_.moving_variance_initializer);
  }
  void check_input(const Shape& input) const override {
    check_built_for(name(), moving_mean, sizes_at({axis(input)}, input), input);
  }

  Tensor call(const Tensor& input, const Call& how) override {
    const Tensor x = widened(input), mask = how.mask();
    if (mask.defined() && mask.rank() != x.rank() - 1)
      throw_invalid(name(), cat("the mask must have one axis less than the input of shape ", x.shape(),
                                ", but has shape ", mask.shape()));
    const Shape shape = aligned({axis(x.shape())}, x.shape());
    const auto moving = [&](const Variable& statistic) { return reshape(cast(statistic, x.dtype()), shape); };
    Moments use;
    if (how.training && trainable()) {
      use = mask.defined() ? masked_moments(x, mask) : batch_moments(x, other_axes(x.shape()));
      follow(moving_mean, use.mean);
      follow(moving_variance, use.variance);
    } else {
      use = {moving(moving_mean), moving(moving_variance)};
    }
    return cast(normalised(x, use.mean, use.variance, options_.epsilon, shape), policy().compute());
  }

 private:
  int axis(const Shape& input) const { return feature_axis(name(), options_.axis, input); }
  Axes other_axes(const Shape& input) const {
    std::vector<int> axes;
    for (int i = 0; i < input.rank(); ++i)
      if (i != axis(input)) axes.push_back(i);
    return Axes(axes);
  }
  Moments masked_moments(const Tensor& x, const Tensor& mask) const {
    const Tensor counts = broadcast_to(expand_dims(mask, -1), x.shape()), none = constant(0, x.dtype());
    const Axes axes = other_axes(x.shape());
    const Tensor count = sum(cast(counts, x.dtype()), axes, true) + constant(kEpsilon, x.dtype());
    const Tensor mean = sum(select(counts, x, none), axes, true) / count;
    return {mean, sum(square(select(counts, x - mean, none)), axes, true) / count};
  }
  void follow(Variable& statistic, const Tensor& now) const {
    const Tensor before = cast(statistic, now.dtype());
    const Tensor share = constant(options_.momentum, now.dtype()),
                 rest = constant(1 - options_.momentum, now.dtype());
    statistic.assign(cast(before * share + reshape(now, statistic.shape()) * rest, statistic.dtype()));
  }

  BatchNormalizationOptions options_;
};

class LayerNormalizationModule : public ScaledModule {
 public:
  explicit LayerNormalizationModule(LayerNormalizationOptions options)
      : ScaledModule("layer_normalization", {.dtype = options.dtype, .name = options.name}),
        options_(std::move(options)) {
    will_have_weights();
    supports_masking_ = true;
    autocast_ = false;  // what comes in float32 is not rounded first
  }
  std::string_view kind() const override { return "LayerNormalization"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void create_weights(const Shape& input) override { add_gamma_and_beta(sizes_at(axes(input), input), options_); }
  void check_input(const Shape& input) const override {
    const Shape sizes = sizes_at(axes(input), input);
    check_built_for(name(), gamma, sizes, input);
    check_built_for(name(), beta, sizes, input);
  }
  Tensor call(const Tensor& input, const Call&) override {
    const Tensor x = widened(input);
    const std::vector<int> over = axes(x.shape());
    if (are_last(over, x.shape()))
      return cast(normalised_rows(x, over, gamma, beta, {.epsilon = options_.epsilon}), policy().compute());
    const Moments m = batch_moments(x, Axes(over));
    return cast(normalised(x, m.mean, m.variance, options_.epsilon, aligned(over, x.shape())), policy().compute());
  }

 private:
  std::vector<int> axes(const Shape& input) const { return sorted_axes(name(), options_.axis, input); }
  LayerNormalizationOptions options_;
};

class GroupNormalizationModule : public ScaledModule {
 public:
  explicit GroupNormalizationModule(GroupNormalizationOptions options)
      : ScaledModule("group_normalization", {.dtype = options.dtype, .name = options.name}),
        options_(std::move(options)) {
    if (options_.groups < 1 && options_.groups != -1)
      throw_invalid(name(),
                    cat("groups is ", options_.groups, "; it is one or more, or -1 for every feature by itself"));
    will_have_weights();
    supports_masking_ = true;
    autocast_ = false;
  }
  std::string_view kind() const override { return "GroupNormalization"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void create_weights(const Shape& input) override { add_gamma_and_beta(sizes_at({axis(input)}, input), options_); }
  void check_input(const Shape& input) const override {
    const int64_t features = input[axis(input)];
    if (axis(input) == 0) throw_invalid(name(), "axis is that of the batch; groups are made of features");
    if (options_.groups > 0 && features % options_.groups != 0)
      throw_invalid(name(), cat(features, " features of the input of shape ", input, " do not make ", options_.groups,
                                " equal groups; set groups to a divisor of ", features));
    check_built_for(name(), gamma, {features}, input);
    check_built_for(name(), beta, {features}, input);
  }
  Tensor call(const Tensor& input, const Call&) override {
    const int at = axis(input.shape());
    std::vector<int> over;
    for (int i = 1; i < input.rank(); ++i)
      if (i != at) over.push_back(i);
    const Tensor x = widened(input);
    const int64_t groups = options_.groups == -1 ? 0 : options_.groups;
    const Moments m = batch_moments(x, Axes(over), {groups});
    const Tensor y = normalised(x, m.mean, m.variance, options_.epsilon, aligned({at}, x.shape()));
    return cast(cast(y, is_floating(input.dtype()) ? input.dtype() : f32), policy().compute());
  }

 private:
  int axis(const Shape& input) const { return feature_axis(name(), options_.axis, input); }
  GroupNormalizationOptions options_;
};

}  // namespace

Variable ScaledLayer::gamma() const { return static_cast<ScaledModule&>(*module_).gamma; }
Variable ScaledLayer::beta() const { return static_cast<ScaledModule&>(*module_).beta; }

BatchNormalization::BatchNormalization(BatchNormalizationOptions options)
    : ScaledLayer(std::make_shared<BatchNormalizationModule>(std::move(options))) {}
Variable BatchNormalization::moving_mean() const {
  return static_cast<BatchNormalizationModule&>(*module_).moving_mean;
}
Variable BatchNormalization::moving_variance() const {
  return static_cast<BatchNormalizationModule&>(*module_).moving_variance;
}
Layer BatchNormalization::from_config(Fields& f) {
  auto o = options_from<BatchNormalizationOptions>(f);
  list_fields(f, o);
  bool renorm = false;
  f("renorm", renorm);
  if (renorm) throw_invalid(o.name, "renorm is true, but batch renormalisation is not there; train without it");
  return BatchNormalization(o);
}

LayerNormalization::LayerNormalization(LayerNormalizationOptions options)
    : ScaledLayer(std::make_shared<LayerNormalizationModule>(std::move(options))) {}
Layer LayerNormalization::from_config(Fields& f) {
  auto o = options_from<LayerNormalizationOptions>(f);
  list_fields(f, o);
  bool rms_scaling = false;
  f("rms_scaling", rms_scaling);
  if (rms_scaling) throw_invalid(o.name, "rms_scaling is true; Keras gave it up: use RMSNormalization");
  return LayerNormalization(o);
}

GroupNormalization::GroupNormalization(GroupNormalizationOptions options)
    : ScaledLayer(std::make_shared<GroupNormalizationModule>(std::move(options))) {}
Layer GroupNormalization::from_config(Fields& f) {
  auto o = options_from<GroupNormalizationOptions>(f);
  list_fields(f, o);
  return GroupNormalization(o);
}

}  // namespace brio::nn
