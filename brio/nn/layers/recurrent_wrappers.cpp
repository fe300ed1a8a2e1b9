#include "brio/nn/layers/recurrent_wrappers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/layers/recurrent_module.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

RecurrentModule& recurrent(const Layer& layer) {
  auto* module = dynamic_cast<RecurrentModule*>(&layer.module());
  if (!module)
    throw InvalidArgument(cat("[bidirectional] '", layer.name(), "' is a ", layer.module().kind(),
                              "; give it a recurrent layer such as nn::LSTM"));
  return *module;
}

// A layer like this one with fresh weights, named "forward_…" or "backward_…".
Layer directed(const Layer& layer, const std::string& prefix, bool go_backwards) {
  auto json = nlohmann::ordered_json::parse(to_json(layer));
  const std::string& name = layer.name();
  json["config"]["name"] = prefix + (name.starts_with(prefix) ? name.substr(prefix.size()) : name);
  json["config"]["go_backwards"] = go_backwards;
  return layer_from_json(json.dump());
}

class BidirectionalModule : public MultiModule {
 public:
  BidirectionalModule(const Layer& layer, const BidirectionalOptions& o)
      : MultiModule("bidirectional", {.dtype = o.dtype, .name = o.name}), merge_(o.merge_mode) {
    constexpr std::string_view kModes[] = {"concat", "sum", "mul", "ave"};
    if (merge_ && std::ranges::find(kModes, *merge_) == std::end(kModes))
      throw_unknown("merge_mode", *merge_, kModes);
    const bool backwards = recurrent(layer).options().go_backwards;
    add_module(directed(layer, "forward_", backwards));
    add_module(o.backward_layer ? *o.backward_layer : directed(layer, "backward_", true));
    for (RecurrentModule* side : {&forward(), &backward()})
      side->set_zero_output_for_mask(side->options().return_sequences);
    const RNNOptions &a = forward().options(), &b = backward().options();
    if (a.go_backwards == b.go_backwards)
      refuse(
          cat("both layers have go_backwards = ", a.go_backwards ? "true" : "false", "; one must go the other way"));
    if (a.return_sequences != b.return_sequences || a.return_state != b.return_state || a.stateful != b.stateful)
      refuse("the layers differ in return_sequences, return_state or stateful; give both the same");
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Bidirectional"; }
  void describe(Fields& f) override {
    f("merge_mode", merge_);
    std::optional<Layer> one = modules()[0], other = modules()[1];
    f("layer", one);
    f("backward_layer", other);
  }

 protected:
  void check_all(const std::vector<Shape>& inputs) const override {
    const size_t states = forward().state_count() + backward().state_count();
    if (inputs.size() != 1 && inputs.size() != 1 + states)
      refuse(
          cat("takes a sequence, or a sequence and ", states, " initial states, but got ", inputs.size(), " inputs"));
  }

  Tensors call_all(const Tensors& inputs, const Call& how) override {
    Tensors there = inputs, back{inputs[0]};
    if (inputs.size() > 1) {
      const auto half = inputs.begin() + 1 + static_cast<std::ptrdiff_t>(forward().state_count());
      there.assign(inputs.begin(), half);
      back.insert(back.end(), half, inputs.end());
    }
    const CallOptions options{.masks = {how.mask()}};
    there = forward()(there, options);
    back = backward()(back, options);
    const Tensor a = cast(there[0], policy().compute());
    Tensor b = cast(back[0], policy().compute());
    if (forward().options().return_sequences) b = reverse(b, {1});
    Tensors results = merged(a, b);
    results.insert(results.end(), there.begin() + 1, there.end());
    results.insert(results.end(), back.begin() + 1, back.end());
    return results;
  }

  Tensors compute_masks(const Tensors&, const Call& how, size_t) const override {
    if (!forward().options().return_sequences) return {};
    return Tensors(merge_ ? 1 : 2, how.mask());
  }

 private:
  RecurrentModule& forward() const { return recurrent(modules()[0]); }
  RecurrentModule& backward() const { return recurrent(modules()[1]); }

  Tensors merged(const Tensor& a, const Tensor& b) const {
    if (!merge_) return {a, b};
    if (*merge_ == "concat") return {concat({a, b}, -1)};
    if (!(a.shape() == b.shape()))
      refuse(cat("merge_mode '", *merge_, "' needs results of one shape, but they have ", a.shape(), " and ",
                 b.shape(), "; use \"concat\" or as many units both ways"));
    if (*merge_ == "mul") return {a * b};
    return {*merge_ == "sum" ? a + b : (a + b) / constant(2, a.dtype())};
  }

  std::optional<std::string> merge_;
};

class TimeDistributedModule : public Module {
 public:
  TimeDistributedModule(Layer layer, const LayerOptions& o) : Module("time_distributed", o) {
    add_module(std::move(layer));
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "TimeDistributed"; }
  void describe(Fields& f) override {
    std::optional<Layer> inside = modules()[0];
    f("layer", inside);
  }

 protected:
  void check_input(const Shape& x) const override {
    if (x.rank() < 3)
      throw InvalidArgument(
          cat("[", name(), "] takes inputs of rank 3 or more, (batch, time, …), but got shape ", x));
  }

  void create_weights(const Shape& x) override {
    std::vector<Size> one{x[0]};
    for (int i = 2; i < x.rank(); ++i) one.push_back(x[i]);
    modules()[0].build(Shape(one));
  }

  Tensor call(const Tensor& x, const Call& how) override {
    const Shape& shape = x.shape();
    const Tensor mask = how.mask();
    if (mask.defined() && (mask.rank() < 2 || mask.shape()[0] != shape[0] || mask.shape()[1] != shape[1]))
      throw InvalidArgument(cat("[", name(), "] the mask has shape ", mask.shape(), ", but the input ", shape,
                                "; a mask begins with (batch, time)"));
    // A layer that keeps statistics, such as BatchNormalization, takes those of each step by themselves.
    if (how.training && !modules()[0].non_trainable_variables().empty()) return step_by_step(x, mask);
    // Others see the steps as more samples.
    const Tensor y = apply(merge_time(x), mask.defined() && mask.rank() > 2 ? merge_time(mask) : Tensor());
    std::vector<Size> dims{shape[0], shape[1]};
    for (int i = 1; i < y.rank(); ++i) dims.push_back(y.shape()[i]);
    return reshape(y, dims);
  }

 private:
  Tensor apply(const Tensor& x, const Tensor& mask) const { return modules()[0](x, {.masks = {mask}}); }
  Tensor step_by_step(const Tensor& x, const Tensor& mask) const {
    Tensors steps;
    for (int64_t t = 0; t < x.shape()[1]; ++t) {
      auto at = [t](const Tensor& whole) { return squeeze(slice(whole, {{}, {t, t + 1}}), {1}); };
      steps.push_back(apply(at(x), mask.defined() && mask.rank() > 2 ? at(mask) : Tensor()));
    }
    return stack(steps, 1);
  }
  static Tensor merge_time(const Tensor& x) {
    std::vector<Size> dims{x.shape()[0] * x.shape()[1]};
    for (int i = 2; i < x.rank(); ++i) dims.push_back(x.shape()[i]);
    return reshape(x, dims);
  }
};

// The layer of a wrapper's config.
Layer wrapped(std::string_view kind, Fields& f) {
  std::optional<Layer> layer;
  f("layer", layer);
  if (!layer) throw InvalidArgument(cat("[config] a ", kind, " has no 'layer'; it needs the config of one"));
  return *layer;
}

}  // namespace

Bidirectional::Bidirectional(const Layer& layer, BidirectionalOptions options)
    : Layer(std::make_shared<BidirectionalModule>(layer, options)) {}
Layer Bidirectional::from_config(Fields& f) {
  auto o = options_from<BidirectionalOptions>(f);
  f("merge_mode", o.merge_mode);
  f("backward_layer", o.backward_layer);
  return Bidirectional(wrapped("Bidirectional", f), o);
}

TimeDistributed::TimeDistributed(Layer layer, LayerOptions options)
    : Layer(std::make_shared<TimeDistributedModule>(std::move(layer), options)) {}
Layer TimeDistributed::from_config(Fields& f) {
  const auto o = options_from<LayerOptions>(f);
  return TimeDistributed(wrapped("TimeDistributed", f), o);
}

}  // namespace brio::nn
