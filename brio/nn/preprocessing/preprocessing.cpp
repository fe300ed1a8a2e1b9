#include "brio/nn/preprocessing/preprocessing.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/preprocessing/category_modes.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

class RescalingModule : public Module {
 public:
  RescalingModule(double scale, const RescalingOptions& o)
      : Module("rescaling", {.dtype = o.dtype, .name = o.name}), scale_(scale), offset_(o.offset) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Rescaling"; }
  void describe(Fields& f) override {
    f("scale", scale_);
    f("offset", offset_);
  }

 protected:
  Tensor call(const Tensor& input, const Call&) override {
    const Tensor x = cast(input, policy().compute());  // integers too
    return x * constant(scale_, x.dtype()) + constant(offset_, x.dtype());
  }

 private:
  double scale_, offset_;
};

void list_fields(Fields& f, NormalizationOptions& o) {
  f("axis", o.axis);
  f("invert", o.invert);
  f("mean", o.mean);
  f("variance", o.variance);
}

class NormalizationModule : public Module {
 public:
  explicit NormalizationModule(NormalizationOptions o)
      : Module("normalization", {.dtype = o.dtype, .name = o.name}), o_(std::move(o)) {
    if (o_.mean.size() != o_.variance.size())
      refuse(cat(o_.mean.size(), " means and ", o_.variance.size(), " variances are given; give as many of each"));
    supports_masking_ = true;
    if (o_.mean.empty()) will_have_weights();
  }
  std::string_view kind() const override { return "Normalization"; }
  void describe(Fields& f) override { list_fields(f, o_); }

  void adapt(const Tensor& data) {
    if (!o_.mean.empty()) refuse("was given its mean and variance; it has nothing to learn");
    if (!data.defined()) refuse("adapt got none; give it a tensor");
    build(data.shape());
    const Tensor x = cast(data, f32);
    const auto [mean, variance] = moments(x, Axes(others(x.rank())));
    mean_.assign(cast(reshape(mean, mean_.shape()), mean_.dtype()));
    variance_.assign(cast(reshape(variance, variance_.shape()), variance_.dtype()));
  }

 protected:
  void create_weights(const Shape& input) override {
    if (!o_.mean.empty()) return;
    Shape shape;
    for (const int axis : kept(input.rank())) shape.push_back(input[axis]);
    mean_ = add_weight("mean", shape, {.initializer = "zeros", .trainable = false});
    variance_ = add_weight("variance", shape, {.initializer = "ones", .trainable = false});
    add_weight("count", {}, {.initializer = "zeros", .trainable = false, .dtype = i64});  // Keras' files have it
  }
  void check_input(const Shape& input) const override {
    for (const int axis : o_.axis)
      if (axis < -input.rank() || axis >= input.rank())
        refuse(cat("axis ", axis, " is outside of the input's shape ", input));
    const std::vector<int> axes = kept(input.rank());
    if (mean_.impl()) {
      for (size_t i = 0; i < axes.size(); ++i)
        if (input[axes[i]] != mean_.shape()[static_cast<int>(i)])
          refuse(cat("was built for means of shape ", mean_.shape(), ", but the input has shape ", input));
    } else if (o_.mean.size() > 1) {
      int64_t places = 1;
      for (const int axis : axes) places *= input[axis];
      if (places != static_cast<int64_t>(o_.mean.size()))
        refuse(cat("has ", o_.mean.size(), " means, but the input of shape ", input, " has ", places, " places"));
    }
  }
  Tensor call(const Tensor& input, const Call&) override {
    const Tensor x = cast(input, policy().compute());  // integers too
    const DType dtype = x.dtype();
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) shape.push_back(1);
    const bool one = !mean_.impl() && o_.mean.size() == 1;
    if (!one)
      for (const int axis : kept(x.rank())) shape.set(axis, x.shape()[axis]);
    auto placed = [&](const Variable& learnt, const std::vector<double>& given) {
      if (learnt.impl()) return reshape(cast(learnt, dtype), shape);
      return cast(reshape(Tensor::from(given, {static_cast<int64_t>(given.size())}), shape), dtype);
    };
    const Tensor mean = placed(mean_, o_.mean);
    const Tensor deviation = maximum(sqrt(placed(variance_, o_.variance)), constant(1e-7, dtype));
    return o_.invert ? mean + x * deviation : (x - mean) / deviation;
  }

 private:
  std::vector<int> kept(int rank) const {
    std::vector<int> axes;
    for (const int axis : o_.axis) axes.push_back(axis < 0 ? axis + rank : axis);
    std::ranges::sort(axes);
    return axes;
  }
  std::vector<int> others(int rank) const {
    const std::vector<int> axes = kept(rank);
    std::vector<int> rest;
    for (int i = 0; i < rank; ++i)
      if (std::ranges::find(axes, i) == axes.end()) rest.push_back(i);
    return rest;
  }

  NormalizationOptions o_;
  Variable mean_, variance_;
};

// ---- Categories

class CategoryEncodingModule : public MultiModule {
 public:
  CategoryEncodingModule(int64_t num_tokens, CategoryEncodingOptions o)
      : MultiModule("category_encoding", {.dtype = o.dtype, .name = o.name}), tokens_(num_tokens), o_(std::move(o)) {
    check_category_mode(*this, o_.output_mode, {"one_hot", "multi_hot", "count"});
    if (num_tokens < 1) refuse(cat("num_tokens is ", num_tokens, "; give 1 or more"));
    autocast_ = false;
  }
  std::string_view kind() const override { return "CategoryEncoding"; }
  void describe(Fields& f) override {
    f("num_tokens", tokens_);
    f("output_mode", o_.output_mode);
  }

 protected:
  void check_all(const std::vector<Shape>& inputs) const override {
    if (inputs.size() > 2 || (inputs.size() == 2 && o_.output_mode != "count"))
      refuse(
          cat("got ", inputs.size(), " inputs; it takes numbers, and weights for them where output_mode is count"));
    if (inputs[0].rank() == 0) refuse("the input is a scalar; give it a batch");
  }
  Tensors call_all(const Tensors& in, const Call&) override {
    // Out of range is an error when it runs, as in gather.
    const Tensor numbers = gather(iota(tokens_, i32), cast(in[0], i32));
    return {
        encoded_categories(numbers, o_.output_mode, tokens_, policy().compute(), in.size() > 1 ? in[1] : Tensor())};
  }

 private:
  int64_t tokens_;
  CategoryEncodingOptions o_;
};

void list_fields(Fields& f, DiscretizationOptions& o) {
  f("bin_boundaries", o.bin_boundaries);
  f("num_bins", o.num_bins);
  f("epsilon", o.epsilon);
  f("output_mode", o.output_mode);
}

class DiscretizationModule : public Module {
 public:
  explicit DiscretizationModule(DiscretizationOptions o)
      : Module("discretization", {.dtype = o.dtype, .name = o.name}), o_(std::move(o)) {
    check_category_mode(*this, o_.output_mode, {"int", "one_hot", "multi_hot", "count"});
    if (o_.bin_boundaries.empty() && !o_.num_bins) refuse("needs bin_boundaries, or num_bins and adapt()");
    if (o_.num_bins && (*o_.num_bins < 1 || *o_.num_bins > 1 << 24))
      refuse(cat("num_bins is ", *o_.num_bins, "; give 1 or more"));
    if (!(o_.epsilon > 0 && o_.epsilon <= 1)) refuse(cat("epsilon is ", o_.epsilon, "; it lies in (0, 1]"));
    if (!std::ranges::is_sorted(o_.bin_boundaries)) refuse("bin_boundaries must ascend");
    autocast_ = false;
  }
  std::string_view kind() const override { return "Discretization"; }
  void describe(Fields& f) override { list_fields(f, o_); }
  const std::vector<double>& boundaries() const { return o_.bin_boundaries; }

  // Quantiles of a sample of the sorted values, as Keras takes it.
  void adapt(const Tensor& data) {
    if (!o_.num_bins) refuse("was given its bin_boundaries; it has nothing to learn");
    if (!data.defined() || data.size() == 0) refuse("adapt got no values");
    std::vector<float> values = cast(data, f32).to_vector<float>();
    std::ranges::sort(values);
    const double step = std::max(static_cast<double>(values.size()) * o_.epsilon, 1.0);
    std::vector<double> sample;
    for (auto i = static_cast<size_t>(step - 1); i < values.size(); i += static_cast<size_t>(step))
      sample.push_back(values[i]);
    if (static_cast<double>(sample.size()) * o_.epsilon >= 1)
      sample = shares(sample, static_cast<int64_t>(std::ceil(1 / o_.epsilon)));
    if (static_cast<int64_t>(sample.size()) >= *o_.num_bins) sample = shares(sample, *o_.num_bins);
    sample.pop_back();
    o_.bin_boundaries = std::move(sample);
    adapted_ = true;
  }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    if (o_.bin_boundaries.empty() && !adapted_) refuse("has no boundaries yet; give bin_boundaries, or call adapt()");
    const std::vector<float> edges(o_.bin_boundaries.begin(), o_.bin_boundaries.end());
    const auto n = static_cast<int64_t>(edges.size());
    const Tensor values = cast(x, f32);
    const Tensor bins = searchsorted(Tensor::from(edges, {n}), reshape(values, {-1}), Side::right, i32);
    Tensor numbers = reshape(bins, x.shape());
    if (o_.output_mode == "int") return numbers;
    return encoded_categories(numbers, o_.output_mode, n + 1, policy().compute());
  }

 private:
  // The values below which 1/n, 2/n, … of sorted ones lie, each between its neighbours.
  static std::vector<double> shares(const std::vector<double>& sorted, int64_t n) {
    const auto size = static_cast<double>(sorted.size());
    std::vector<double> found;
    for (int64_t k = 1; k <= n; ++k) {
      const double at = std::clamp(static_cast<double>(k) / static_cast<double>(n) * size - 1, 0.0, size - 1);
      const auto low = static_cast<size_t>(at), high = std::min(low + 1, sorted.size() - 1);
      const double value = sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
      found.push_back(static_cast<double>(static_cast<float>(value)));
    }
    return found;
  }

  DiscretizationOptions o_;
  bool adapted_ = false;
};

}  // namespace

Rescaling::Rescaling(double scale, RescalingOptions o) : Layer(std::make_shared<RescalingModule>(scale, o)) {}
Layer Rescaling::from_config(Fields& f) {
  auto o = options_from<RescalingOptions>(f);
  double scale = 1;
  f("scale", scale);
  f("offset", o.offset);
  return Rescaling(scale, o);
}

Normalization::Normalization(NormalizationOptions o) : Layer(std::make_shared<NormalizationModule>(std::move(o))) {}
void Normalization::adapt(const Tensor& data) const { static_cast<NormalizationModule&>(*module_).adapt(data); }
Layer Normalization::from_config(Fields& f) {
  auto o = options_from<NormalizationOptions>(f);
  list_fields(f, o);
  return Normalization(o);
}

CategoryEncoding::CategoryEncoding(int64_t num_tokens, CategoryEncodingOptions o)
    : Layer(std::make_shared<CategoryEncodingModule>(num_tokens, std::move(o))) {}
Layer CategoryEncoding::from_config(Fields& f) {
  auto o = options_from<CategoryEncodingOptions>(f);
  int64_t tokens = 0;
  f("num_tokens", tokens);
  f("output_mode", o.output_mode);
  return CategoryEncoding(tokens, o);
}

Discretization::Discretization(DiscretizationOptions o)
    : Layer(std::make_shared<DiscretizationModule>(std::move(o))) {}
void Discretization::adapt(const Tensor& data) const { static_cast<DiscretizationModule&>(*module_).adapt(data); }
std::vector<double> Discretization::bin_boundaries() const {
  return static_cast<DiscretizationModule&>(*module_).boundaries();
}
Layer Discretization::from_config(Fields& f) {
  auto o = options_from<DiscretizationOptions>(f);
  list_fields(f, o);
  return Discretization(o);
}

}  // namespace brio::nn
