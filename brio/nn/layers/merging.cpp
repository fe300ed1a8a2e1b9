#include "brio/nn/layers/merging.h"

#include <algorithm>

#include "brio/nn/config.h"
#include "brio/nn/layers/feature_axes.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/einsum.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

std::string list(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += cat(text.empty() ? "" : ", ", shape);
  return text;
}

// The dtype of what two dtypes are merged to, by Keras' rules: truths give way to integers, integers to floats, and
// of two that have neither's range the next that has both.
DType merged_dtype(DType a, DType b) {
  if (a == b || b == boolean) return a;
  if (a == boolean) return b;
  if (is_complex(a) || is_complex(b)) return a == c128 || b == c128 || a == f64 || b == f64 ? c128 : c64;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (is_floating(a)) return a == f64 || b == f64 ? f64 : f32;  // what differs and is narrower: a half of either kind
  if (is_signed(a) == is_signed(b)) return size_of(a) > size_of(b) ? a : b;
  const DType with_sign = is_signed(a) ? a : b, without = is_signed(a) ? b : a;
  if (size_of(with_sign) > size_of(without)) return with_sign;
  return without == u8 ? i16 : without == u16 ? i32 : without == u32 ? i64 : f32;
}

Tensors in_one_dtype(const Tensors& inputs) {
  DType dtype = inputs[0].dtype();
  bool differ = false;
  for (const Tensor& x : inputs) {
    if (x.dtype() == DType::string) return inputs;
    differ |= x.dtype() != dtype;
    dtype = merged_dtype(dtype, x.dtype());
  }
  if (!differ) return inputs;
  Tensors all;
  for (const Tensor& x : inputs) all.push_back(x.dtype() == dtype ? x : cast(x, dtype));
  return all;
}

// With as many axes as the widest has: those that it lacks come behind the batch.
Shape widened(const Shape& shape, int rank) {
  Shape wide{shape[0]};
  while (wide.rank() < rank - shape.rank() + 1) wide.push_back(1);
  for (int i = 1; i < shape.rank(); ++i) wide.push_back(shape[i]);
  return wide;
}

// A mask with the axes that it lacks: those of its steps' elements.
Tensor over_elements(Tensor mask, const Shape& input) {
  while (mask.rank() < input.rank()) mask = expand_dims(mask, -1);
  return broadcast_to(mask, input);
}

// What is the same for all layers here that work element by element.
class MergingModule : public MultiModule {
 public:
  MergingModule(std::string_view base, std::string_view kind, const LayerOptions& options, size_t most = SIZE_MAX)
      : MultiModule(base, options), kind_(kind), most_(most) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return kind_; }
  void describe(Fields&) override {}

 protected:
  // `masks` are those of the inputs, over their elements; none where an input has none.
  virtual Tensor merged(const Tensors& inputs, const Tensors& masks) const = 0;

  void check_all(const std::vector<Shape>& inputs) const override {
    if (inputs.size() > most_ || (most_ != SIZE_MAX && inputs.size() < most_))
      throw_invalid(name(), cat("takes ", most_, " inputs, but got ", inputs.size()));
    int rank = 0;
    for (const Shape& shape : inputs) {
      if (shape.rank() == 0)
        throw_invalid(name(), "an input is a scalar; axis 0 of an input is the batch: reshape it");
      if (shape[0] != inputs[0][0])
        throw_invalid(name(), cat("the inputs have batches of different sizes: ", list(inputs)));
      rank = std::max(rank, shape.rank());
    }
    Shape all = widened(inputs[0], rank);
    for (const Shape& shape : inputs) {
      Shape both;
      if (!broadcast(all, widened(shape, rank), both))
        throw_invalid(name(), cat("inputs of these shapes do not broadcast: ", list(inputs)));
      all = both;
    }
  }

  Tensors call_all(const Tensors& given, const Call& how) override {
    const Tensors inputs = in_one_dtype(given);
    int rank = 0;
    for (const Tensor& x : inputs) rank = std::max(rank, x.rank());
    Tensors wide, masks;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape shape = widened(inputs[i].shape(), rank);
      wide.push_back(reshape(inputs[i], shape));
      const Tensor mask = how.mask(i);
      masks.push_back(mask.defined() ? reshape(over_elements(mask, inputs[i].shape()), shape) : Tensor());
    }
    return {merged(wide, masks)};
  }

  Tensors compute_masks(const Tensors& inputs, const Call& how, size_t) const override {
    Tensor any;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor mask = how.mask(i);
      if (!mask.defined()) return {};
      any = any.defined() ? logical_or(any, mask) : mask;
    }
    return {any};
  }

 private:
  std::string_view kind_;
  size_t most_;
};

// One after the other by a function of two; masks play no part.
class FoldModule : public MergingModule {
 public:
  using Function = Tensor (*)(const Tensor&, const Tensor&);
  FoldModule(std::string_view base, std::string_view kind, const LayerOptions& options, Function function,
             size_t most = SIZE_MAX, bool averages = false)
      : MergingModule(base, kind, options, most), function_(function), averages_(averages) {}

 protected:
  Tensor merged(const Tensors& inputs, const Tensors&) const override {
    Tensor all = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) all = function_(all, inputs[i]);
    return averages_ ? all / constant(static_cast<double>(inputs.size()), all.dtype()) : all;
  }

 private:
  Function function_;
  bool averages_;
};

class MultiplyModule : public MergingModule {
 public:
  explicit MultiplyModule(const LayerOptions& options) : MergingModule("multiply", "Multiply", options) {}

 protected:
  Tensor merged(const Tensors& inputs, const Tensors& masks) const override {
    Tensor product, counts;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Tensor x = inputs[i];
      if (masks[i].defined()) {
        x = select(masks[i], x, constant(1, x.dtype()));
        counts = counts.defined() ? logical_or(counts, masks[i]) : masks[i];
      }
      product = product.defined() ? product * x : x;
    }
    const bool all_masked = std::ranges::all_of(masks, [](const Tensor& mask) { return mask.defined(); });
    return all_masked ? select(counts, product, constant(0, product.dtype())) : product;
  }
};

// The largest or smallest. Where only one of two counts, it stands for both.
class ExtremeModule : public MergingModule {
 public:
  ExtremeModule(bool largest, const LayerOptions& options)
      : MergingModule(largest ? "maximum" : "minimum", largest ? "Maximum" : "Minimum", options), largest_(largest) {}

 protected:
  Tensor merged(const Tensors& inputs, const Tensors& masks) const override {
    Tensor best = inputs[0], counts = masks[0];
    for (size_t i = 1; i < inputs.size(); ++i) {
      Tensor x = inputs[i];
      if (masks[i].defined()) x = select(masks[i], x, best);
      if (counts.defined()) best = select(counts, best, x);
      counts = masks[i].defined() && counts.defined() ? logical_or(counts, masks[i]) : Tensor();
      best = largest_ ? maximum(best, x) : minimum(best, x);
    }
    return best;
  }

 private:
  bool largest_;
};

class ConcatenateModule : public MultiModule {
 public:
  explicit ConcatenateModule(const ConcatenateOptions& o)
      : MultiModule("concatenate", {.dtype = o.dtype, .name = o.name}), axis_(o.axis) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Concatenate"; }
  void describe(Fields& f) override { f("axis", axis_); }

 protected:
  void check_all(const std::vector<Shape>& inputs) const override {
    for (const Shape& shape : inputs) {
      const int at = axis(inputs[0]);
      bool fits = shape.rank() == inputs[0].rank();
      for (int i = 0; fits && i < shape.rank(); ++i) fits = i == at || !(shape[i] != inputs[0][i]);
      if (!fits)
        throw_invalid(name(),
                      cat("inputs must have the same shape except along axis ", axis_, ", but have ", list(inputs)));
    }
  }
  Tensors call_all(const Tensors& inputs, const Call&) override {
    const Tensors all = in_one_dtype(inputs);
    return {concat(std::span(all), axis(inputs[0].shape()))};
  }
  Tensors compute_masks(const Tensors& inputs, const Call& how, size_t) const override {
    Tensors masks;
    bool one = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor mask = how.mask(i);
      one |= mask.defined();
      masks.push_back(mask.defined() ? over_elements(mask, inputs[i].shape()) : ones(inputs[i].shape(), boolean));
    }
    if (!one) return {};
    return {any(concat(std::span(masks), axis(inputs[0].shape())), -1)};
  }

 private:
  int axis(const Shape& shape) const { return feature_axis(name(), axis_, shape); }
  int64_t axis_;
};

void list_fields(Fields& f, std::vector<int>& axes, DotOptions& o) {
  f("axes", axes);
  f("normalize", o.normalize);
}

class DotModule : public MultiModule {
 public:
  DotModule(std::vector<int> axes, const DotOptions& options)
      : MultiModule("dot", {.dtype = options.dtype, .name = options.name}),
        axes_(std::move(axes)),
        options_(options) {
    if (axes_.size() == 1) axes_.push_back(axes_[0]);
    if (axes_.size() != 2)
      throw_invalid(name(), cat("axes has ", axes_.size(), " elements; give one axis for both inputs, or a pair"));
  }
  std::string_view kind() const override { return "Dot"; }
  void describe(Fields& f) override { list_fields(f, axes_, options_); }

 protected:
  void check_all(const std::vector<Shape>& inputs) const override {
    if (inputs.size() != 2) throw_invalid(name(), cat("takes 2 inputs, but got ", inputs.size()));
    if (inputs[0].rank() < 2 || inputs[1].rank() < 2)
      throw_invalid(name(), cat("takes inputs of rank 2 or more, but got ", list(inputs)));
    const int a = axis(0, inputs[0]), b = axis(1, inputs[1]);
    if (a == 0 || b == 0)
      throw_invalid(name(), "sums over axis 0, the batch; name another axis, or add a batch with expand_dims(x, 0)");
    if (inputs[0][0] != inputs[1][0] || inputs[0][a] != inputs[1][b])
      throw_invalid(name(), cat("the inputs must have the same batch and the same size along axes ", a, " and ", b,
                                ", but have ", list(inputs)));
    if (inputs[0].rank() + inputs[1].rank() - 3 > kMaxRank)
      throw_invalid(name(), cat("the result would have more than ", kMaxRank, " axes: inputs are ", list(inputs)));
  }
  Tensors call_all(const Tensors& inputs, const Call&) override {
    const int a = axis(0, inputs[0].shape()), b = axis(1, inputs[1].shape());
    const auto of_length_one = [&](const Tensor& x, int along) {
      if (!options_.normalize) return x;
      return x * minimum(rsqrt(sum(square(x), along, true)), constant(1e7, x.dtype()));
    };
    // Letters from 'a', the batch; the second input's own follow those of the first.
    std::string first, second = "a", out = "a";
    char next = 'a';
    for (int i = 0; i < inputs[0].rank(); ++i) first += next++;
    for (int i = 1; i < inputs[1].rank(); ++i) second += i == b ? first[static_cast<size_t>(a)] : next++;
    for (int i = 1; i < inputs[0].rank(); ++i)
      if (i != a) out += first[static_cast<size_t>(i)];
    for (int i = 1; i < inputs[1].rank(); ++i)
      if (i != b) out += second[static_cast<size_t>(i)];
    const Tensor y =
        einsum(cat(first, ",", second, "->", out), {of_length_one(inputs[0], a), of_length_one(inputs[1], b)});
    return {y.rank() == 1 ? expand_dims(y, 1) : y};
  }
  Tensors compute_masks(const Tensors&, const Call&, size_t) const override { return {}; }

 private:
  int axis(size_t input, const Shape& shape) const { return positive_axis(name(), axes_[input], shape.rank()); }
  std::vector<int> axes_;
  DotOptions options_;
};

template <typename Function>
Symbol with_number(const Symbol& x, Function function) {
  return Lambda(std::function<Tensor(const Tensor&)>(function))(x);
}

}  // namespace

#define BRIO_MERGING(Name, function, module)                                         \
  Name::Name(LayerOptions options) : Layer(module) {}                                \
  Layer Name::from_config(Fields& f) { return Name(options_from<LayerOptions>(f)); } \
  Tensor function(const std::vector<Tensor>& inputs, LayerOptions options) {         \
    return Name(std::move(options))(inputs);                                         \
  }                                                                                  \
  Symbol function(const std::vector<Symbol>& inputs, LayerOptions options) {         \
    return Name(std::move(options))(inputs);                                         \
  }
BRIO_MERGING(Add, add, (std::make_shared<FoldModule>("add", "Add", options, [](const Tensor& a, const Tensor& b) {
               return a + b;
             })))
BRIO_MERGING(Subtract, subtract,
             (std::make_shared<FoldModule>(
                 "subtract", "Subtract", options, [](const Tensor& a, const Tensor& b) { return a - b; }, 2)))
BRIO_MERGING(Multiply, multiply, std::make_shared<MultiplyModule>(options))
BRIO_MERGING(Average, average,
             (std::make_shared<FoldModule>(
                 "average", "Average", options, [](const Tensor& a, const Tensor& b) { return a + b; }, SIZE_MAX,
                 true)))
BRIO_MERGING(Maximum, maximum, (std::make_shared<ExtremeModule>(true, options)))
BRIO_MERGING(Minimum, minimum, (std::make_shared<ExtremeModule>(false, options)))
#undef BRIO_MERGING

Concatenate::Concatenate(ConcatenateOptions options) : Layer(std::make_shared<ConcatenateModule>(options)) {}
Layer Concatenate::from_config(Fields& f) {
  auto o = options_from<ConcatenateOptions>(f);
  f("axis", o.axis);
  return Concatenate(o);
}
Tensor concatenate(const std::vector<Tensor>& inputs, ConcatenateOptions options) {
  return Concatenate(std::move(options))(inputs);
}
Symbol concatenate(const std::vector<Symbol>& inputs, ConcatenateOptions options) {
  return Concatenate(std::move(options))(inputs);
}

Dot::Dot(std::vector<int> axes, DotOptions options) : Layer(std::make_shared<DotModule>(std::move(axes), options)) {}
Layer Dot::from_config(Fields& f) {
  auto o = options_from<DotOptions>(f);
  std::vector<int> axes;
  list_fields(f, axes, o);
  return Dot(axes, o);
}
Tensor dot(const std::vector<Tensor>& inputs, std::vector<int> axes, DotOptions options) {
  return Dot(std::move(axes), std::move(options))(inputs);
}
Symbol dot(const std::vector<Symbol>& inputs, std::vector<int> axes, DotOptions options) {
  return Dot(std::move(axes), std::move(options))(inputs);
}

Symbol operator+(const Symbol& a, const Symbol& b) { return add({a, b}); }
Symbol operator-(const Symbol& a, const Symbol& b) { return subtract({a, b}); }
Symbol operator*(const Symbol& a, const Symbol& b) { return multiply({a, b}); }
Symbol operator/(const Symbol& a, const Symbol& b) {
  return Lambda(std::function<Tensor(const Tensors&)>([](const Tensors& x) { return x[0] / x[1]; }))({a, b});
}
Symbol operator+(const Symbol& a, double b) {
  return with_number(a, [b](const Tensor& x) { return x + b; });
}
Symbol operator-(const Symbol& a, double b) {
  return with_number(a, [b](const Tensor& x) { return x - b; });
}
Symbol operator*(const Symbol& a, double b) {
  return with_number(a, [b](const Tensor& x) { return x * b; });
}
Symbol operator/(const Symbol& a, double b) {
  return with_number(a, [b](const Tensor& x) { return x / b; });
}
Symbol operator+(double a, const Symbol& b) {
  return with_number(b, [a](const Tensor& x) { return a + x; });
}
Symbol operator-(double a, const Symbol& b) {
  return with_number(b, [a](const Tensor& x) { return a - x; });
}
Symbol operator*(double a, const Symbol& b) {
  return with_number(b, [a](const Tensor& x) { return a * x; });
}
Symbol operator/(double a, const Symbol& b) {
  return with_number(b, [a](const Tensor& x) { return a / x; });
}
Symbol operator-(const Symbol& x) {
  return with_number(x, [](const Tensor& y) { return -y; });
}

}  // namespace brio::nn
