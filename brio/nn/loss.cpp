#include "brio/nn/loss.h"

#include <atomic>
#include <iostream>
#include <numeric>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/names.h"
#include "brio/ops/composites.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

constexpr double kEpsilon = 1e-7;

Tensor clipped(const Tensor& p) {
  return minimum(maximum(p, constant(kEpsilon, p.dtype())), constant(1 - kEpsilon, p.dtype()));
}

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
  if (node.op != &op::linear || fused == FusedActivation::none) return {};
  const Attrs attrs(std::span<const int64_t>(recording.attrs).subspan(node.attr, node.n_attrs));
  if (linear_activation(attrs) != fused) return {};
  const LinearOptions plain{.transpose_a = attrs[1] != 0, .transpose_b = attrs[2] != 0};
  return linear(input(0), input(1), input(2), plain);
}

// The logits of a prediction: what its activation was applied to, or the prediction itself where the user says so.
// Keras takes the former even where the user says the latter, and warns.
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

void require(const char* loss, const Tensor& y_true, const Tensor& y_pred) {
  if (!y_true.defined() || !y_pred.defined())
    throw InvalidArgument(cat("[", loss, "] ", y_true.defined() ? "y_pred" : "y_true", " is none; give it a tensor"));
  if (!is_floating(y_pred.dtype()))
    throw InvalidArgument(
        cat("[", loss, "] the predictions are ", y_pred.dtype(), "; cast them to a floating-point dtype"));
}

void require_same_shape(const char* loss, const Tensor& y_true, const Tensor& y_pred, std::string_view hint) {
  if (y_true.shape() == y_pred.shape()) return;
  throw InvalidArgument(cat("[", loss, "] the targets have shape ", y_true.shape(), ", but the predictions ",
                            y_pred.shape(), "; ", hint));
}

// The mean over one axis.
Tensor mean_over(const Tensor& x, int axis) {
  return axis == -1 || axis == x.rank() - 1 ? mean_from(x, x.rank() - 1) : mean(x, axis);
}

// Brings an axis to the end.
Tensor axis_last(const Tensor& x, int axis) {
  std::vector<int> order(static_cast<size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + axis);
  order.push_back(axis);
  return transpose(x, order);
}

Tensor reduced(const Tensor& values, const Tensor& weight, Reduction reduction) {
  if (reduction == Reduction::none || values.rank() == 0) return values;
  if (reduction == Reduction::sum) return sum(values);
  if (reduction == Reduction::mean_with_sample_weight && weight.defined()) {
    const Tensor total = sum(values), weights = sum(weight), zero = constant(0, values.dtype());
    const Tensor safe = select(equal(weights, zero), constant(1, values.dtype()), weights);
    return select(equal(weights, zero), zero, total / safe);
  }
  return values.size() == 0 ? sum(values) : mean(values);
}

struct Named {
  std::string_view name;
  Tensor (*function)(const Tensor&, const Tensor&);
};
Tensor any_crossentropy(const Tensor& y_true, const Tensor& y_pred) {
  switch (label_kind(y_true.shape(), y_pred.shape())) {
    case LabelKind::binary: return binary_crossentropy(y_true, y_pred);
    case LabelKind::sparse: return sparse_categorical_crossentropy(y_true, y_pred);
    case LabelKind::one_hot: break;
  }
  return categorical_crossentropy(y_true, y_pred);
}
constexpr auto kBinary = [](const Tensor& t, const Tensor& p) { return binary_crossentropy(t, p); };
constexpr auto kCategorical = [](const Tensor& t, const Tensor& p) { return categorical_crossentropy(t, p); };
constexpr auto kSparse = [](const Tensor& t, const Tensor& p) { return sparse_categorical_crossentropy(t, p); };
constexpr Named kNamed[] = {
    {"binary_crossentropy", kBinary},
    {"BinaryCrossentropy", kBinary},
    {"bce", kBinary},
    {"BCE", kBinary},
    {"categorical_crossentropy", kCategorical},
    {"CategoricalCrossentropy", kCategorical},
    {"sparse_categorical_crossentropy", kSparse},
    {"SparseCategoricalCrossentropy", kSparse},
    {"crossentropy", any_crossentropy},
    {"ce", any_crossentropy},
    {"mean_squared_error", mean_squared_error},
    {"MeanSquaredError", mean_squared_error},
    {"mse", mean_squared_error},
    {"MSE", mean_squared_error},
};

std::string or_default(std::string name, const char* otherwise) { return name.empty() ? otherwise : std::move(name); }

}  // namespace

Pair to_same_rank(const Tensor& a, const Tensor& b) {
  const int ra = a.rank(), rb = b.rank();
  if (ra == rb + 1 && a.shape()[ra - 1] == 1)
    return rb == 1 ? Pair{a, expand_dims(b, -1)} : Pair{squeeze(a, {-1}), b};
  if (rb == ra + 1 && b.shape()[rb - 1] == 1)
    return ra == 1 ? Pair{expand_dims(a, -1), b} : Pair{a, squeeze(b, {-1})};
  return {a, b};
}

Tensor mean_from(const Tensor& x, int first) {
  if (first >= x.rank()) return x;
  std::vector<int> axes(static_cast<size_t>(x.rank() - first));
  std::iota(axes.begin(), axes.end(), first);
  const Shape kept(x.shape().dims().first(static_cast<size_t>(first)));
  return kept.elements() == x.size() ? reshape(x, kept) : mean(x, Axes(std::move(axes)));
}

LabelKind label_kind(const Shape& y_true, const Shape& y_pred) {
  const int64_t t = y_true.rank() == 0 ? 1 : y_true[y_true.rank() - 1];
  const int64_t p = y_pred.rank() == 0 ? 1 : y_pred[y_pred.rank() - 1];
  if (p == 1) return LabelKind::binary;
  if (y_true.rank() < y_pred.rank() || t == 1) return LabelKind::sparse;
  return LabelKind::one_hot;
}

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                           int axis) {
  constexpr const char* kName = "binary_crossentropy";
  require(kName, y_true, y_pred);
  // The activation is looked for before the shapes are brought together: that would hide it.
  const Tensor logits = logits_of(kName, y_pred, from_logits, op::sigmoid, FusedActivation::sigmoid);
  const DType dtype = y_pred.dtype();
  auto [t, p] = to_same_rank(cast(y_true, dtype), logits.defined() ? logits : y_pred);
  require_same_shape(kName, t, p, "give one probability for each prediction");
  if (label_smoothing != 0) t = t * constant(1 - label_smoothing, dtype) + constant(0.5 * label_smoothing, dtype);
  if (logits.defined()) return mean_over(sigmoid_xent(p, t), axis);
  const Tensor one = constant(1, dtype), q = clipped(p);
  return mean_over(neg(t * log(q) + (one - t) * log(one - q)), axis);
}

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits, double label_smoothing,
                                int axis) {
  constexpr const char* kName = "categorical_crossentropy";
  require(kName, y_true, y_pred);
  const DType dtype = y_pred.dtype();
  const int rank = y_pred.rank(), at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    throw InvalidArgument(cat("[", kName, "] axis ", axis, " is not one of predictions of shape ", y_pred.shape()));
  const bool last = at == rank - 1;
  const Tensor logits = last          ? logits_of(kName, y_pred, from_logits, op::softmax, FusedActivation::none)
                        : from_logits ? y_pred
                                      : Tensor();
  auto [t, p] = to_same_rank(cast(y_true, dtype), logits.defined() ? logits : y_pred);
  require_same_shape(
      kName, t, p,
      "give one probability for each class (one_hot), or use sparse_categorical_crossentropy with class "
      "numbers");
  if (label_smoothing != 0) {
    const auto classes = static_cast<double>(t.shape()[rank - 1]);
    t = t * constant(1 - label_smoothing, dtype) + constant(label_smoothing / classes, dtype);
  }
  if (!last) {
    t = axis_last(t, at);
    p = axis_last(p, at);
  }
  if (logits.defined()) return softmax_xent(p, t);
  const Tensor q = clipped(p / sum(p, -1, true));
  return neg(sum(t * log(q), -1));
}

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits) {
  constexpr const char* kName = "sparse_categorical_crossentropy";
  require(kName, y_true, y_pred);
  const Tensor logits = logits_of(kName, y_pred, from_logits, op::softmax, FusedActivation::none);
  Tensor labels = y_true;
  if (labels.rank() == y_pred.rank() && labels.rank() > 0 && labels.shape()[labels.rank() - 1] == 1)
    labels = squeeze(labels, {-1});
  Shape rows = y_pred.shape();
  if (rows.rank() > 0) rows = Shape(rows.dims().first(static_cast<size_t>(rows.rank() - 1)));
  if (y_pred.rank() == 0 || !(labels.shape() == rows))
    throw InvalidArgument(cat("[", kName, "] the targets have shape ", y_true.shape(), ", but predictions of shape ",
                              y_pred.shape(), " take class numbers of shape ", rows,
                              "; use categorical_crossentropy for one-hot targets"));
  if (!is_integer(labels.dtype())) labels = cast(labels, i64);
  return softmax_xent(logits.defined() ? logits : log(clipped(y_pred)), labels);
}

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  constexpr const char* kName = "mean_squared_error";
  require(kName, y_true, y_pred);
  const auto [t, p] = to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
  require_same_shape(kName, t, p, "reshape one of them");
  const Tensor squares = square(t - p);
  return squares.rank() == 0 ? squares : mean_from(squares, squares.rank() - 1);
}

Loss::Loss(std::string_view name) : Loss(std::string(name), row_named("loss", name, kNamed).function) {}

Loss::Loss(std::string name, Function function, Reduction reduction)
    : impl_(std::make_shared<const Impl>(Impl{std::move(name), std::move(function), reduction})) {}

const std::string& Loss::name() const {
  static const std::string none = "none";
  return impl_ ? impl_->name : none;
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) const {
  if (!impl_) throw InvalidArgument("[loss] this loss is none; name one, such as \"mse\"");
  Tensor values = impl_->function(y_true, y_pred);
  if (!sample_weight.defined()) return reduced(values, {}, impl_->reduction);
  auto [v, w] = to_same_rank(values, cast(sample_weight, values.dtype()));
  Shape both;
  if (!broadcast(v.shape(), w.shape(), both))
    throw InvalidArgument(cat("[", impl_->name, "] sample_weight has shape ", sample_weight.shape(),
                              ", but there are losses of shape ", values.shape(), "; give one weight for each"));
  return reduced(v * w, w, impl_->reduction);
}

BinaryCrossentropy::BinaryCrossentropy(CrossentropyOptions o)
    : Loss(
          or_default(o.name, "binary_crossentropy"),
          [o](const Tensor& t, const Tensor& p) {
            return binary_crossentropy(t, p, o.from_logits, o.label_smoothing, o.axis);
          },
          o.reduction) {}

CategoricalCrossentropy::CategoricalCrossentropy(CrossentropyOptions o)
    : Loss(
          or_default(o.name, "categorical_crossentropy"),
          [o](const Tensor& t, const Tensor& p) {
            return categorical_crossentropy(t, p, o.from_logits, o.label_smoothing, o.axis);
          },
          o.reduction) {}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(SparseCrossentropyOptions o)
    : Loss(
          or_default(o.name, "sparse_categorical_crossentropy"),
          [o](const Tensor& t, const Tensor& p) { return sparse_categorical_crossentropy(t, p, o.from_logits); },
          o.reduction) {}

MeanSquaredError::MeanSquaredError(LossOptions o)
    : Loss(or_default(o.name, "mean_squared_error"), mean_squared_error, o.reduction) {}

}  // namespace brio::nn
