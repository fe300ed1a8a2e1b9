// For the doctor: which layer most of a step goes to, how near to the limit of this machine it computes, and how long
// a cheaper form of it takes, by itself, with its gradients.
#include <cstring>
#include <map>

#include "brio/autodiff/tape.h"
#include "brio/ir/op_origins.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/network/pooling.h"
#include "brio/runtime/device_costs.h"
#include "brio/train/fit_doctor.h"
#include "brio/train/trainer.h"

namespace brio::train {
namespace {

using detail::TracedFunction;
using detail::TriedStep;

// Less is not worth another model.
constexpr double kShareOfStep = 0.4;
// A window is wide where a filter adds up so many numbers and most of them are neighbours; a narrower one is only
// looked at where it computes far from the limit.
constexpr int64_t kWideSide = 5, kWideSum = 1200;
constexpr double kFar = 0.25;

struct Layer {
  double seconds = 0, at_limit = 0;
};

// "sequential/conv2d" → "conv2d"; empty: the step's own.
std::string layer_of(const OpOrigins& origins, const TriedStep& step) {
  const auto place_of = [&](uint32_t node) {
    const std::string place = node == TriedStep::kNoNode ? std::string() : origins.of(node).place;
    const size_t model = place.find('/');
    return model == std::string::npos ? std::string() : place.substr(model + 1);
  };
  // An op that ends in another layer (its bias, its pooling) is the work of the one whose weights it reads.
  const std::string made = place_of(step.makes_that_of), reads = place_of(step.reads_weight_of);
  if (step.makes_that_of != TriedStep::kNoNode && made.empty()) return {};
  return reads.empty() ? made : reads;
}

std::vector<int64_t> words_of(const Node& node, int which) {
  const Attrs attrs(node.attrs);
  size_t at = node.op == &op::conv ? 1 : 0;
  for (; which > 0; --which) at = attrs.after_list(at);
  const auto list = attrs.list(at);
  return {list.begin(), list.end()};
}

// A convolution of the trace, and the pooling behind it, if there is one.
struct Found {
  const Node *conv = nullptr, *pool = nullptr;
  bool activated = false;    // by ReLU, before the pooling
  bool wants_input = false;  // its input's gradient is computed, too
};

Found convolution_of(const Graph& graph, const OpOrigins& origins, const std::string& layer) {
  std::vector<std::vector<const Node*>> readers(graph.values.size());
  for (const Node& node : graph.nodes)
    for (const ValueId v : node.in) readers[v].push_back(&node);
  Found found;
  for (uint32_t n = 0; n < graph.nodes.size() && !found.conv; ++n) {
    const OpOrigins::Origin origin = origins.of(n);
    if (graph.nodes[n].op == &op::conv && origin.gradient_of == ~uint32_t{0} && origin.place.ends_with("/" + layer))
      found.conv = &graph.nodes[n];
  }
  if (!found.conv) return found;
  for (const Node* reader : readers[found.conv->in[1]]) found.wants_input |= reader->op == &op::conv_input_grad;
  // Through its bias and activation.
  ValueId at = found.conv->out[0];
  for (int further = 0; further < 4 && !found.pool; ++further) {
    const Node* next = nullptr;
    for (const Node* reader : readers[at]) {
      if (reader->op == &op::max_pool || reader->op == &op::avg_pool) found.pool = reader;
      else if ((reader->op == &op::add || reader->op == &op::relu) && !next) next = reader;
    }
    if (found.pool || !next) break;
    found.activated |= next->op == &op::relu;
    at = next->out[0];
  }
  return found;
}

Tensor zeros_of(const Shape& shape, DType dtype) {
  Array array = Array::allocate({shape, dtype}, Owner::other);
  std::memset(array.data(), 0, array.aval.bytes());
  return Tensor(array);
}

// Seconds of f and of the gradients of its arguments: of the first one only where that is wanted.
double there_and_back(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                      const std::vector<Tensor>& arguments, bool wants_first, double most_seconds) {
  TracedFunction scratch([&](const std::vector<Tensor>& x) {
    GradientTape tape;
    std::vector<GradientTape::Source> sources;
    for (size_t i = wants_first ? 0 : 1; i < x.size(); ++i) {
      tape.watch(x[i]);
      sources.emplace_back(x[i]);
    }
    const Tensor y = f(x);
    const Tensor targets[] = {y};
    std::vector<Tensor> results = tape.gradient(targets, sources);
    results.push_back(y);
    return results;
  });
  scratch.set_name([] { return std::string(kTrialName); });
  return scratch.try_alone(arguments.data(), arguments.size(), most_seconds).seconds;
}

// Times the layer as it is and in the forms that are cheaper, and keeps the cheapest.
void try_forms(const Graph& graph, const Found& found, double most_seconds, profile::LayerTrial& trial) {
  const Aval &x = graph.values[found.conv->in[0]], &filter = graph.values[found.conv->in[1]];
  const Shape& y = graph.values[found.conv->out[0]].shape;
  const int axes = x.shape.rank() - 2;
  const int64_t channels = x.shape[axes + 1], filters = filter.shape[axes + 1];
  const std::vector<int64_t> strides = words_of(*found.conv, 0), dilations = words_of(*found.conv, 1);
  const bool grouped = !(filter.shape[axes] == Size(channels));
  int64_t side = filter.shape[0], taps = 1;
  bool same_size = true;
  for (int i = 0; i < axes; ++i) {
    taps *= int64_t{filter.shape[i]};
    side = std::min<int64_t>(side, filter.shape[i]);
    const auto stride = strides[static_cast<size_t>(i)];
    same_size &= y[i + 1] == Size((int64_t{x.shape[i + 1]} + stride - 1) / stride);
  }
  const bool wide = side >= kWideSide && taps * channels >= kWideSum;
  if (grouped || !(wide || trial.reached < kFar)) return;
  ConvOptions options{.strides = strides, .padding = same_size ? "same" : "valid", .dilations = dilations};
  trial.axes = axes;
  trial.filters = filters;
  trial.window = side;
  const Tensor input = zeros_of(x.shape, x.dtype), weights = zeros_of(filter.shape, x.dtype);

  const auto keep = [&](profile::LayerTrial::Form form, double as_it_is, double cheaper) {
    if (as_it_is <= 0 || cheaper <= 0 || cheaper >= as_it_is) return;
    if (trial.form != profile::LayerTrial::Form::none && cheaper / as_it_is >= trial.cheaper / trial.as_it_is) return;
    trial.form = form;
    trial.as_it_is = as_it_is;
    trial.cheaper = cheaper;
  };
  if (wide && axes <= 2) {
    Shape depth_shape, point_shape;
    for (int i = 0; i < axes; ++i) {
      depth_shape.push_back(filter.shape[i]);
      point_shape.push_back(1);
    }
    depth_shape.push_back(channels);
    depth_shape.push_back(1);
    point_shape.push_back(channels);
    point_shape.push_back(filters);
    const double full = there_and_back([&](const std::vector<Tensor>& a) { return conv(a[0], a[1], options); },
                                       {input, weights}, found.wants_input, most_seconds);
    const double separable = there_and_back(
        [&](const std::vector<Tensor>& a) { return separable_conv(a[0], a[1], a[2], options); },
        {input, zeros_of(depth_shape, x.dtype), zeros_of(point_shape, x.dtype)}, found.wants_input, most_seconds);
    keep(profile::LayerTrial::Form::separable, full, separable);
  }
  const bool unit_stride = std::ranges::all_of(strides, [](int64_t stride) { return stride == 1; }) &&
                           std::ranges::all_of(dilations, [](int64_t dilation) { return dilation == 1; });
  if (!found.pool || !unit_stride) return;
  const std::vector<int64_t> window = words_of(*found.pool, 0), pool_strides = words_of(*found.pool, 1);
  const auto stride = pool_strides.front();
  if (stride < 2 || std::ranges::any_of(pool_strides, [&](int64_t each) { return each != stride; })) return;
  const bool is_max = found.pool->op == &op::max_pool;
  const auto activated = [&](const Tensor& a) { return found.activated ? relu(a) : a; };
  const Tensor bias = zeros_of(Shape{filters}, x.dtype);
  const double pooled = there_and_back(
      [&](const std::vector<Tensor>& a) {
        const Tensor z = activated(conv(a[0], a[1], options) + a[2]);
        return is_max ? max_pool(z, window, {.strides = pool_strides})
                      : avg_pool(z, window, {.strides = pool_strides});
      },
      {input, weights, bias}, found.wants_input, most_seconds);
  ConvOptions strided = options;
  strided.strides = pool_strides;
  const double in_strides =
      there_and_back([&](const std::vector<Tensor>& a) { return activated(conv(a[0], a[1], strided) + a[2]); },
                     {input, weights, bias}, found.wants_input, most_seconds);
  trial.stride = stride;
  keep(profile::LayerTrial::Form::strided, pooled, in_strides);
}

}  // namespace

profile::LayerTrial Trainer::try_layers(const Batch& batch, double most_seconds) {
  if (compiled_->options.train_step) return {};
  const OpOrigins origins;  // of what is traced while it lives
  TracedFunction scratch = scratch_step(batch, Metrics::with);
  const auto tried = try_scratch(scratch, batch, most_seconds, TracedFunction::Steps::each);
  if (tried.steps.empty()) return {};
  const DeviceCosts machine = costs_of(registry().host());
  std::map<std::string, Layer> layers;
  profile::LayerTrial trial;
  for (const TriedStep& step : tried.steps) {
    trial.step += step.seconds;
    Layer& layer = layers[layer_of(origins, step)];
    layer.seconds += step.seconds;
    layer.at_limit += std::max(step.flops / machine.flops, step.bytes / machine.memory) * 1e-6;
  }
  layers.erase("");
  const auto slowest = std::ranges::max_element(layers, {}, [](const auto& each) { return each.second.seconds; });
  if (slowest == layers.end()) return {};
  trial.layer = slowest->first;
  trial.seconds = slowest->second.seconds;
  trial.reached = std::min(1.0, slowest->second.at_limit / trial.seconds);
  if (trial.seconds < kShareOfStep * trial.step) return trial;
  const TracedGraph traced = scratch.graphs().front();
  const Found found = convolution_of(traced.graph, origins, trial.layer);
  if (found.conv) try_forms(traced.graph, found, most_seconds, trial);
  return trial;
}

}  // namespace brio::train
