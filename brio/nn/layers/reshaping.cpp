#include "brio/nn/layers/reshaping.h"

#include <algorithm>
#include <cmath>

#include "brio/nn/config.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/network/pooling.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::nn {
namespace {

class ReshapeModule : public Module {
 public:
  ReshapeModule(std::vector<int> target, const LayerOptions& options)
      : Module("reshape", options), target_(std::move(target)) {
    if (std::ranges::count(target_, -1) > 1 || std::ranges::any_of(target_, [](int dim) { return dim < -1; }))
      throw_invalid(name(), cat("target_shape ", text(), " may have one -1, and sizes of 0 or more"));
    if (target_.size() + 1 > kMaxRank)
      throw_invalid(name(),
                    cat("target_shape has ", target_.size(), " axes; with the batch, ", kMaxRank, " are the most"));
    std::vector<int64_t> given;
    for (const int dim : target_)
      if (dim != -1) given.push_back(dim);
    given_ = checked_shape(name(), given).elements();
  }
  std::string_view kind() const override { return "Reshape"; }
  void describe(Fields& f) override { f("target_shape", target_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    // What -1 stands for is found without the batch, which may be empty.
    Size size = 1;
    for (int i = 1; i < x.rank(); ++i) size *= x.shape()[i];
    const bool open = std::ranges::count(target_, -1) != 0;
    if (open ? given_ == 0 || size % given_ != 0 : size != given_)
      throw_invalid(name(), cat("a sample of the input of shape ", x.shape(), " has ", size,
                                " elements, which do not fill target_shape ", text()));
    Shape shape{x.shape()[0]};
    for (const int dim : target_) shape.push_back(dim == -1 ? size / given_ : Size(dim));
    return reshape(x, shape);
  }

 private:
  std::string text() const {
    std::string all;
    for (const int dim : target_) all += cat(all.empty() ? "(" : ", ", dim);
    return (all.empty() ? "(" : all) + ")";
  }
  std::vector<int> target_;
  int64_t given_ = 1;  // elements without -1
};

class PermuteModule : public Module {
 public:
  PermuteModule(std::vector<int> dims, const LayerOptions& options)
      : Module("permute", options), dims_(std::move(dims)) {
    std::vector<int> sorted = dims_;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != static_cast<int>(i) + 1)
        throw_invalid(name(), cat("dims must hold each of 1 to ", sorted.size(),
                                  " once: axes are counted from 1, behind "
                                  "the batch"));
  }
  std::string_view kind() const override { return "Permute"; }
  void describe(Fields& f) override { f("dims", dims_); }

 protected:
  void check_input(const Shape& input) const override {
    if (input.rank() != static_cast<int>(dims_.size()) + 1)
      throw_invalid(name(), cat("takes inputs of rank ", dims_.size() + 1, ", but got shape ", input));
  }
  Tensor call(const Tensor& x, const Call&) override {
    std::vector<int> order{0};
    order.insert(order.end(), dims_.begin(), dims_.end());
    return transpose(x, order);
  }

 private:
  std::vector<int> dims_;
};

class RepeatVectorModule : public Module {
 public:
  RepeatVectorModule(int64_t n, const LayerOptions& options) : Module("repeat_vector", options), n_(n) {
    if (n < 1) throw_invalid(name(), cat("n is ", n, "; a vector is repeated once or more"));
  }
  std::string_view kind() const override { return "RepeatVector"; }
  void describe(Fields& f) override { f("n", n_); }

 protected:
  void check_input(const Shape& input) const override {
    if (input.rank() != 2)
      throw_invalid(name(), cat("takes inputs of rank 2, (batch, features), but got shape ", input));
  }
  Tensor call(const Tensor& x, const Call&) override {
    return broadcast_to(expand_dims(x, 1), {x.shape()[0], n_, x.shape()[1]});
  }

 private:
  int64_t n_;
};

// Layers over (batch, spatial…, channels).
class SpatialModule : public Module {
 public:
  SpatialModule(std::string_view base, std::string kind, int axes, DataFormat format, const LayerOptions& options)
      : Module(base, options), kind_(std::move(kind)), axes_(axes), data_format_(format) {}
  std::string_view kind() const override { return kind_; }

 protected:
  void check_input(const Shape& input) const override {
    if (input.rank() != axes_ + 2)
      throw_invalid(name(), cat("takes inputs of rank ", axes_ + 2,
                                ", batch, channels and spatial axes, but got shape ", input));
  }
  int first() const { return data_format_ == DataFormat::channels_last ? 1 : 2; }

  std::string kind_;
  int axes_;
  DataFormat data_format_;
};

struct Edges {
  std::vector<Padding> sides;
  SpatialOptions options;
};
// One axis is a pair, several are a list of pairs, or of numbers for both ends. Cropping1D knows no data_format.
void list_fields(Fields& f, bool crops, int axes, Edges& e) {
  const std::string_view what = crops ? "cropping" : "padding";
  if (axes == 1) {
    std::vector<int64_t> pair{e.sides[0].low, e.sides[0].high};
    f(what, pair);
    if (pair.empty() || pair.size() > 2) throw_invalid("config", cat(what, " must be a number or a pair"));
    e.sides = {{pair.front(), pair.back()}};
  } else {
    std::vector<std::vector<int64_t>> pairs;
    for (const Padding& side : e.sides) pairs.push_back({side.low, side.high});
    f(what, pairs);
    e.sides.clear();
    for (const std::vector<int64_t>& pair : pairs) {
      if (pair.empty() || pair.size() > 2) throw_invalid("config", cat(what, " must be a list of numbers or pairs"));
      e.sides.push_back({pair.front(), pair.back()});
    }
  }
  if (!crops || axes > 1) f("data_format", e.options.data_format);
}

class EdgesModule : public SpatialModule {
 public:
  EdgesModule(bool crops, int axes, std::vector<Padding> sides, const SpatialOptions& o)
      : SpatialModule(cat(crops ? "cropping" : "zero_padding", axes, "d"),
                      cat(crops ? "Cropping" : "ZeroPadding", axes, "D"), axes, o.data_format,
                      {.dtype = o.dtype, .name = o.name}),
        crops_(crops),
        edges_{std::move(sides), o} {
    if (static_cast<int>(edges_.sides.size()) != axes)
      throw_invalid(name(), cat("has ", axes, " spatial axes, but ", edges_.sides.size(), " pairs are given"));
    for (const Padding& side : edges_.sides)
      if (side.low < 0 || side.high < 0)
        throw_invalid(name(), cat("the pair {", side.low, ", ", side.high, "} has a number below 0"));
    if (crops && axes == 1 && o.data_format != DataFormat::channels_last)
      throw_invalid(name(), "Cropping1D crops (batch, steps, features) alone; permute the axes");
  }
  void describe(Fields& f) override { list_fields(f, crops_, axes_, edges_); }

 protected:
  void check_input(const Shape& input) const override {
    SpatialModule::check_input(input);
    for (int i = 0; crops_ && i < axes_; ++i)
      if (const Padding& side = edges_.sides[static_cast<size_t>(i)];
          surely_less(input[first() + i] - 1, side.low) || surely_less(input[first() + i] - side.low - 1, side.high))
        throw_invalid(name(), cat("nothing would be left of axis ", first() + i, " of the input of shape ", input,
                                  " without ", side.low, " and ", side.high, " at its ends"));
  }
  Tensor call(const Tensor& x, const Call&) override {
    std::vector<Range> ranges(static_cast<size_t>(x.rank()));
    std::vector<Padding> paddings(static_cast<size_t>(x.rank()));
    for (int i = 0; i < axes_; ++i) {
      const Padding& side = edges_.sides[static_cast<size_t>(i)];
      const size_t at = static_cast<size_t>(first()) + static_cast<size_t>(i);
      if (crops_) ranges[at] = {.begin = side.low, .end = x.shape()[first() + i] - side.high};
      else paddings[at] = side;
    }
    return crops_ ? slice(x, ranges) : pad(x, paddings);
  }

 private:
  bool crops_;
  Edges edges_;
};

void list_fields(Fields& f, int axes, std::vector<int64_t>& size, UpSamplingOptions& o) {
  if (axes == 1) {  // a number
    int64_t one = size[0];
    f("size", one);
    size = {one};
    return;
  }
  f("size", size);
  f("data_format", o.data_format);
  if (axes == 2) f("interpolation", o.interpolation);
}

constexpr int64_t kLargestFactor = int64_t{1} << 20;

// Along one axis, `factor` times as many points between the centres of pixels, as tf.image.resize places them.
Tensor interpolated(const Tensor& x, int axis, int64_t factor) {
  const Size size = x.shape()[axis];
  if (factor == 1 || size == 0) return x;
  const Tensor half = constant(0.5, f32), step = constant(1 / static_cast<float>(factor), f32);
  const Tensor at = (iota(size * factor, f32) + half) * step - half, left = floor(at);
  const Tensor low = cast(maximum(left, constant(0, f32)), i32);
  const Tensor high = cast(minimum(ceil(at), constant(size - 1, f32)), i32);
  Shape along{size * factor};
  for (int i = axis + 1; i < x.rank(); ++i) along.push_back(1);
  const Tensor before = gather(x, low, axis), behind = gather(x, high, axis);
  return before + (behind - before) * reshape(cast(at - left, x.dtype()), along);
}

class UpSamplingModule : public SpatialModule {
 public:
  UpSamplingModule(int axes, const std::vector<int64_t>& size, const UpSamplingOptions& o)
      : SpatialModule(cat("up_sampling", axes, "d"), cat("UpSampling", axes, "D"), axes, o.data_format,
                      {.dtype = o.dtype, .name = o.name}),
        options_(o) {
    size_ = per_axis(op::max_pool, cat("[", name(), "] size"), size, axes);
    for (const int64_t factor : size_)
      if (factor < 1 || factor > kLargestFactor)
        throw_invalid(name(), cat("size has ", factor, "; an axis becomes 1 to ", kLargestFactor, " times as long"));
    const bool bilinear = options_.interpolation == "bilinear";
    if (bilinear ? axes != 2 : options_.interpolation != "nearest")
      throw_invalid(name(), cat("has no interpolation '", options_.interpolation, "'; use \"nearest\"",
                                axes == 2 ? " or \"bilinear\"" : ""));
    if (axes == 1 && o.data_format != DataFormat::channels_last)
      throw_invalid(name(), "UpSampling1D takes (batch, steps, features) alone; permute the axes");
  }
  void describe(Fields& f) override { list_fields(f, axes_, size_, options_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    Tensor y = x;
    if (options_.interpolation == "nearest") {
      for (int i = 0; i < axes_; ++i) y = repeat(y, size_[static_cast<size_t>(i)], first() + i);
      return y;
    }
    // As TensorFlow: in float32, along the rows first.
    const DType dtype = x.dtype() == f64 ? f64 : f32;
    y = interpolated(cast(y, dtype), first() + 1, size_[1]);
    y = interpolated(y, first(), size_[0]);
    return cast(y, x.dtype());
  }

 private:
  std::vector<int64_t> size_;
  UpSamplingOptions options_;
};

}  // namespace

Reshape::Reshape(std::vector<int> target_shape, LayerOptions options)
    : Layer(std::make_shared<ReshapeModule>(std::move(target_shape), options)) {}
Layer Reshape::from_config(Fields& f) {
  const auto options = options_from<LayerOptions>(f);
  std::vector<int> target;
  f("target_shape", target);
  return Reshape(target, options);
}

Permute::Permute(std::vector<int> dims, LayerOptions options)
    : Layer(std::make_shared<PermuteModule>(std::move(dims), options)) {}
Layer Permute::from_config(Fields& f) {
  const auto options = options_from<LayerOptions>(f);
  std::vector<int> dims;
  f("dims", dims);
  return Permute(dims, options);
}

RepeatVector::RepeatVector(int64_t n, LayerOptions options)
    : Layer(std::make_shared<RepeatVectorModule>(n, options)) {}
Layer RepeatVector::from_config(Fields& f) {
  const auto options = options_from<LayerOptions>(f);
  int64_t n = 0;
  f("n", n);
  return RepeatVector(n, options);
}

#define BRIO_EDGES(Name, crops, axes)                                                   \
  Name::Name(std::vector<Padding> edges, SpatialOptions options)                        \
      : Layer(std::make_shared<EdgesModule>(crops, axes, std::move(edges), options)) {} \
  Name::Name(int64_t edge, SpatialOptions options)                                      \
      : Name(std::vector<Padding>(axes, Padding{edge, edge}), std::move(options)) {}    \
  Layer Name::from_config(Fields& f) {                                                  \
    Edges edges{std::vector<Padding>(axes), options_from<SpatialOptions>(f)};           \
    list_fields(f, crops, axes, edges);                                                 \
    return Name(edges.sides, edges.options);                                            \
  }
BRIO_EDGES(Cropping1D, true, 1)
BRIO_EDGES(Cropping2D, true, 2)
BRIO_EDGES(Cropping3D, true, 3)
BRIO_EDGES(ZeroPadding1D, false, 1)
BRIO_EDGES(ZeroPadding2D, false, 2)
BRIO_EDGES(ZeroPadding3D, false, 3)
#undef BRIO_EDGES

#define BRIO_UP_SAMPLING(Name, axes)                                      \
  Name::Name(const std::vector<int64_t>& size, UpSamplingOptions options) \
      : Layer(std::make_shared<UpSamplingModule>(axes, size, options)) {} \
  Layer Name::from_config(Fields& f) {                                    \
    auto options = options_from<UpSamplingOptions>(f);                    \
    std::vector<int64_t> size = {2};                                      \
    list_fields(f, axes, size, options);                                  \
    return Name(size, options);                                           \
  }
BRIO_UP_SAMPLING(UpSampling1D, 1)
BRIO_UP_SAMPLING(UpSampling2D, 2)
BRIO_UP_SAMPLING(UpSampling3D, 3)
#undef BRIO_UP_SAMPLING

}  // namespace brio::nn
