#include "brio/nn/losses/crossentropy.h"

#include <atomic>
#include <iostream>

#include "brio/ir/recording.h"
#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/losses/probability.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

Tensor handle(TensorImpl* impl) {
  impl->refs.increment();
  return Tensor::adopt(impl);
}

// What `activation` was applied to when it made y_pred; "none" if another op did, or if it can no longer be told.
// Eager code without a tape forgets its nodes whenever something is read: asking there would let a print change a
// result.
Tensor before_activation(const Tensor& y_pred, const OpDef& activation, FusedActivation fused) {
  Recording& recording = current_recording();
  if (recording.kind == Recording::Kind::eager && recording.tapes.empty()) return {};
  const TensorImpl* impl = y_pred.impl();
  if (impl->recording.load(std::memory_order_acquire) != &recording) return {};
  const uint32_t producer = recording.producers[impl->value];
  if (producer == kNone) return {};
  const RecordedNode& node = recording.nodes[producer];
  auto input = [&](uint32_t i) { return handle(recording.values[recording.inputs[node.input + i]]); };
  if (node.op == &activation) return input(0);
  // A loss widens predictions of 16 bits. Their smallest probabilities have logarithms whose gradients overflow: what
  // went into the activation is widened instead.
  if (node.op == &op::cast && size_of(input(0).dtype()) == 2 && is_floating(input(0).dtype())) {
    const Tensor narrow = before_activation(input(0), activation, fused);
    return narrow.defined() ? cast(narrow, y_pred.dtype()) : Tensor();
  }
  if (node.op != &op::linear || fused == FusedActivation::none) return {};
  const Attrs attrs(std::span<const int64_t>(recording.attrs).subspan(node.attr, node.n_attrs));
  if (linear_activation(attrs) != fused) return {};
  const LinearOptions plain{.transpose_a = attrs[1] != 0, .transpose_b = attrs[2] != 0};
  return linear(input(0), input(1), input(2), plain);
}

}  // namespace

Tensor logits_of(const char* loss, const Tensor& y_pred, bool from_logits, const OpDef& activation,
                 FusedActivation fused) {
  Tensor logits = before_activation(y_pred, activation, fused);
  if (!logits.defined()) return from_logits ? y_pred : Tensor();
  static std::atomic<bool> warned = false;
  if (from_logits && !warned.exchange(true))
    std::cerr << "brio: [" << loss << "] from_logits is set, but the predictions come out of a " << activation.name
              << "; what went into it is used\n";
  return logits;
}

Tensor binary_crossentropies(const Tensor& t, const Tensor& p, const Tensor& logits) {
  if (logits.defined()) return sigmoid_xent(logits, t);
  const Tensor one = like(p, 1), q = clipped(p);
  return neg(t * log(q) + (one - t) * log(one - q));
}

Tensor smoothed(const Tensor& labels, double label_smoothing, int64_t classes) {
  if (label_smoothing == 0) return labels;
  return labels * like(labels, 1 - label_smoothing) + like(labels, label_smoothing / static_cast<double>(classes));
}

Tensor mean_over(const char* loss, const Tensor& x, int axis) {
  if (x.rank() == 0) return x;
  const int at = positive_axis(loss, axis, x.rank());
  return at == x.rank() - 1 ? mean_last(x) : mean(x, at);
}

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                           int axis) {
  constexpr const char* kName = "binary_crossentropy";
  require(kName, y_true, y_pred);
  // The activation is looked for before the shapes are brought together: that would hide it.
  const Tensor logits = logits_of(kName, y_pred, from_logits, op::sigmoid, FusedActivation::sigmoid);
  const auto [t, p] =
      compared(kName, y_true, logits.defined() ? logits : y_pred, "give one probability for each prediction");
  const Tensor values = binary_crossentropies(smoothed(t, label_smoothing, 2), p, logits.defined() ? p : Tensor());
  return mean_over(kName, values, axis);
}

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                                int axis) {
  constexpr const char* kName = "categorical_crossentropy";
  require(kName, y_true, y_pred);
  const int rank = y_pred.rank(), at = positive_axis(kName, axis, rank);
  const bool last = at == rank - 1;
  const Tensor logits = last          ? logits_of(kName, y_pred, from_logits, op::softmax, FusedActivation::none)
                        : from_logits ? y_pred
                                      : Tensor();
  auto [t, p] = compared(kName, y_true, logits.defined() ? logits : y_pred,
                         "give one probability for each class (one_hot), or use sparse_categorical_crossentropy with "
                         "class numbers");
  t = smoothed(t, label_smoothing, t.shape()[t.rank() - 1]);
  if (!last) {
    t = moveaxis(t, at, -1);
    p = moveaxis(p, at, -1);
  }
  if (logits.defined()) return softmax_xent(p, t);
  const Tensor q = clipped(p / sum(p, -1, true));
  return neg(sum(t * log(q), -1));
}

SampleValues sparse_crossentropies(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                                   std::optional<int64_t> ignore_class, int axis) {
  constexpr const char* kName = "sparse_categorical_crossentropy";
  require(kName, y_true, y_pred);
  const int rank = y_pred.rank(), at = positive_axis(kName, axis, rank);
  const bool last = at == rank - 1;
  const Tensor logits = last          ? logits_of(kName, y_pred, from_logits, op::softmax, FusedActivation::none)
                        : from_logits ? y_pred
                                      : Tensor();
  Tensor labels = class_numbers(kName, y_true, y_pred, at);
  Tensor scores = logits.defined() ? logits : y_pred;
  if (!last) scores = moveaxis(scores, at, -1);
  if (!ignore_class) return softmax_xent(logits.defined() ? scores : log(clipped(scores)), labels);
  // The ignored class may be a number that the labels' dtype cannot hold.
  labels = cast(labels, i64);
  const Tensor valid = not_equal(labels, constant(*ignore_class, i64));
  labels = select(valid, labels, constant(0, i64));
  scores = select(expand_dims(valid, -1), scores, like(scores, 0));
  const Tensor values = softmax_xent(logits.defined() ? scores : log(clipped(scores)), labels);
  return {select(valid, values, like(values, 0)), valid};
}

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                                       std::optional<int64_t> ignore_class, int axis) {
  return sparse_crossentropies(y_true, y_pred, from_logits, ignore_class, axis).values;
}

BinaryCrossentropy::BinaryCrossentropy(CrossentropyOptions o)
    : Loss(
          or_default(o.name, "binary_crossentropy"),
          [o](const Tensor& t, const Tensor& p) {
            return binary_crossentropy(t, p, o.from_logits, o.label_smoothing, o.axis);
          },
          o.reduction, settings_of("BinaryCrossentropy", o)) {}

CategoricalCrossentropy::CategoricalCrossentropy(CrossentropyOptions o)
    : Loss(
          or_default(o.name, "categorical_crossentropy"),
          [o](const Tensor& t, const Tensor& p) {
            return categorical_crossentropy(t, p, o.from_logits, o.label_smoothing, o.axis);
          },
          o.reduction, settings_of("CategoricalCrossentropy", o)) {}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(SparseCrossentropyOptions o)
    : Loss(
          or_default(o.name, "sparse_categorical_crossentropy"),
          [o](const Tensor& t, const Tensor& p) {
            return sparse_crossentropies(t, p, o.from_logits, o.ignore_class, o.axis);
          },
          o.reduction, settings_of("SparseCategoricalCrossentropy", o)) {}

}  // namespace brio::nn
