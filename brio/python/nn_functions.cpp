// tf.nn: activations, losses and normalisation. Convolutions and pooling are in windows.cpp.
#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

Tensor cut_at_six(const Tensor& x) {  // of integers it gives integers
  if (!is_integer(x.dtype())) return relu6(x);
  return minimum(maximum(x, constant(0, x.dtype())), constant(6, x.dtype()));
}

struct Row {
  const char* name;
  Tensor (*f)(const Tensor&);
  const char* doc;
};
constexpr Row kActivations[] = {
    {"relu", relu, "Each element, or 0 where that is more."},
    {"relu6", cut_at_six, "Each element, cut to [0, 6]."},
    {"selu", selu, "elu, scaled so that variances stay."},
    {"softplus", softplus, "log(1 + exp(x)) of each element."},
    {"softsign", softsign, "x / (1 + |x|) of each element."},
};

void bind_activations(nb::module_& m) {
  for (const Row& row : kActivations)
    define(
        m, row.name, [f = row.f](const Tensor& x) { return f(x); }, nb::arg("features"), row.doc);
  define(
      m, "elu", [](const Tensor& x) { return elu(x); }, nb::arg("features"), "x above 0, exp(x) - 1 below.");
  define(
      m, "leaky_relu",
      [](const Tensor& x, double alpha) { return leaky_relu(is_integer(x.dtype()) ? cast(x, f32) : x, alpha); },
      nb::arg("features"), nb::arg("alpha") = 0.2, "x above 0, alpha x below.");
  define(
      m, "gelu", [](const Tensor& x, bool approximate) { return gelu(x, approximate); }, nb::arg("features"),
      nb::arg("approximate") = false, "x times the normal distribution up to x, or its form with tanh.");
  for (const char* name : {"silu", "swish"})
    define(
        m, name, [](const Tensor& x, double beta) { return beta == 1 ? silu(x) : mul(x, sigmoid(mul(x, beta))); },
        nb::arg("features"), nb::arg("beta") = 1.0, "x sigmoid(beta x).");
  define(
      m, "crelu", [](const Tensor& x, int axis) { return crelu(x, axis); }, nb::arg("features"), nb::arg("axis") = -1,
      "relu(x) and relu(-x), one after the other along an axis.");
  define(
      m, "softmax", [](const Tensor& x, std::optional<int> axis) { return softmax(x, axis.value_or(-1)); },
      nb::arg("logits"), nb::arg("axis") = nb::none(), "exp(x) divided by its sum along an axis.");
  define(
      m, "log_softmax", [](const Tensor& x, std::optional<int> axis) { return log_softmax(x, axis.value_or(-1)); },
      nb::arg("logits"), nb::arg("axis") = nb::none(), "log(softmax(x)), which never overflows.");
}

Tensor sigmoid_loss(const Tensor& labels, const Tensor& logits) {
  if (labels.shape() != logits.shape())
    throw InvalidArgument(cat("[sigmoid_cross_entropy_with_logits] logits and labels must have one shape, but have ",
                              logits.shape(), " and ", labels.shape()));
  return sigmoid_xent(logits, labels);
}

Tensor softmax_loss(const Tensor& labels, const Tensor& logits, int axis) {
  const Tensor probabilities = labels.dtype() == logits.dtype() ? labels : cast(labels, logits.dtype());
  if (axis == -1 || axis == logits.rank() - 1) return softmax_xent(logits, probabilities);
  return softmax_xent(moveaxis(logits, axis, -1), moveaxis(probabilities, axis, -1));
}

// As tf.nn: (1 - z) x + (1 + (q - 1) z) (log(1 + exp(-|x|)) + max(-x, 0)).
Tensor weighted_loss(const Tensor& labels, const Tensor& logits, const Tensor& weight) {
  const Tensor scale = add(mul(sub(weight, 1), labels), 1);
  return add(mul(sub(1, labels), logits), mul(scale, add(log1p(exp(neg(abs(logits)))), relu(neg(logits)))));
}

void bind_loss_functions(nb::module_& m) {
  m.def(
      "sigmoid_cross_entropy_with_logits",
      [](Given labels, Given logits, Given) {
        if (labels.object.is_none() || logits.object.is_none())
          throw InvalidArgument("[sigmoid_cross_entropy_with_logits] both labels and logits must be given");
        return perform([](const std::vector<Tensor>& x) { return sigmoid_loss(x[1], x[0]); },
                       std::tuple{alike({logits.object, labels.object})});
      },
      nb::arg("labels") = nb::none(), nb::arg("logits") = nb::none(), nb::arg("name") = nb::none(),
      "The cross-entropy of sigmoid(logits) against probabilities, for each element.");
  define(m, "softmax_cross_entropy_with_logits", softmax_loss, nb::arg("labels"), nb::arg("logits"),
         nb::arg("axis") = -1, "The cross-entropy of softmax(logits) against probabilities, for each row.");
  define(
      m, "sparse_softmax_cross_entropy_with_logits",
      [](const Tensor& labels, const Tensor& logits) {
        if (!is_integer(labels.dtype()))
          throw InvalidArgument(
              cat("[sparse_softmax_cross_entropy_with_logits] labels are class numbers, but got ", labels.dtype()));
        return softmax_xent(logits, labels);
      },
      nb::arg("labels"), nb::arg("logits"),
      "The cross-entropy of softmax(logits) against class numbers, for each row.");
  m.def(
      "weighted_cross_entropy_with_logits",
      [](Given labels, Given logits, Given pos_weight, Given) {
        return perform([](const std::vector<Tensor>& x) { return weighted_loss(x[1], x[0], x[2]); },
                       std::tuple{alike({logits.object, labels.object, pos_weight.object})});
      },
      nb::arg("labels"), nb::arg("logits"), nb::arg("pos_weight"), nb::arg("name") = nb::none(),
      "sigmoid_cross_entropy_with_logits where positive labels count pos_weight times.");
  define(
      m, "l2_loss", [](const Tensor& t) { return sum(mul(square(t), 0.5)); }, nb::arg("t"),
      "Half of the sum of squares.");
}

Tensor dropout(const Tensor& x, double rate, std::optional<std::vector<int64_t>> noise_shape,
               std::optional<int64_t> seed) {
  if (rate < 0 || rate >= 1)
    throw InvalidArgument(cat("[dropout] rate is the share that becomes 0, in [0, 1), but is ", rate));
  if (!is_floating(x.dtype()))
    throw InvalidArgument(cat("[dropout] takes floating-point tensors, but got ", x.dtype(), "; cast it first"));
  if (rate == 0) return identity(x);
  Shape shape = x.shape();
  if (noise_shape) {
    if (static_cast<int>(noise_shape->size()) != x.rank())
      throw InvalidArgument(
          cat("[dropout] noise_shape has ", noise_shape->size(), " sizes, but x has rank ", x.rank()));
    for (int i = 0; i < x.rank(); ++i)
      if (const int64_t n = (*noise_shape)[static_cast<size_t>(i)]; n >= 0) shape.set(i, n);
  }
  random::UniformOptions options{.dtype = x.dtype()};
  if (seed) options.seed = static_cast<uint64_t>(*seed);
  const Tensor keeps = greater_equal(random::uniform(shape, options), rate);
  return select(keeps, mul(x, 1 / (1 - rate)), zeros_like(x));
}

}  // namespace

void bind_nn(nb::module_& m) {
  nb::module_ nn = m.def_submodule("_nn", "tf.nn.");
  bind_activations(nn);
  bind_loss_functions(nn);
  define_draw(nn, "dropout", dropout, nb::arg("x"), nb::arg("rate"), nb::arg("noise_shape") = nb::none(),
              nb::arg("seed") = nb::none(),
              "x with a share of its elements 0 and the others larger by 1 / (1 - rate).");
  define(
      nn, "moments",
      [](const Tensor& x, const Axes& axes, Given, bool keepdims) {
        const Moments both = moments(x, axes, keepdims);
        return std::tuple{both.mean, both.variance};
      },
      nb::arg("x"), nb::arg("axes"), nb::arg("shift") = nb::none(), nb::arg("keepdims") = false,
      "The mean and the variance over axes.");
  define(
      nn, "depth_to_space",
      [](const Tensor& x, int64_t block, const std::string& format) {
        if (format == "NHWC") return depth_to_space(x, block);
        return transpose(depth_to_space(transpose(x, {0, 2, 3, 1}), block), {0, 3, 1, 2});
      },
      nb::arg("input"), nb::arg("block_size"), nb::arg("data_format") = "NHWC", "Channels become blocks of pixels.");
  define(
      nn, "space_to_depth",
      [](const Tensor& x, int64_t block, const std::string& format) {
        if (format == "NHWC") return space_to_depth(x, block);
        return transpose(space_to_depth(transpose(x, {0, 2, 3, 1}), block), {0, 3, 1, 2});
      },
      nb::arg("input"), nb::arg("block_size"), nb::arg("data_format") = "NHWC", "Blocks of pixels become channels.");
}

}  // namespace brio::python
