#include "brio/nn/pooling.h"

#include "brio/base/error.h"
#include "brio/ops/pooling.h"

namespace brio::nn {
namespace {

void check_rank(const Module& module, const Shape& input, int axes) {
  if (input.rank() != axes + 2)
    throw InvalidArgument(cat("[", module.name(), "] takes inputs of rank ", axes + 2,
                              ", batch, channels and spatial axes, but got shape ", input));
}

class PoolingModule : public Module {
 public:
  PoolingModule(int axes, bool is_max, const std::vector<int64_t>& pool_size, PoolingOptions options)
      : Module(cat(is_max ? "max" : "average", "_pooling", axes, "d"), options.name),
        kind_(cat(is_max ? "Max" : "Average", "Pooling", axes, "D")),
        axes_(axes),
        is_max_(is_max),
        options_(std::move(options)) {
    window_ = per_axis(op::max_pool, cat("[", name(), "] pool_size"), pool_size, axes);
    if (options_.strides.empty()) options_.strides = window_;
    options_.strides = per_axis(op::max_pool, cat("[", name(), "] strides"), options_.strides, axes);
    for (size_t i = 0; i < window_.size(); ++i)
      if (window_[i] < 1 || options_.strides[i] < 1)
        throw InvalidArgument(cat("[", name(), "] pool_size and strides must be ≥ 1, but are ", window_[i], " and ",
                                  options_.strides[i], " for axis ", i));
  }
  std::string_view kind() const override { return kind_; }
  Shape output_shape(const Shape& input) const override {
    const int first = options_.data_format == DataFormat::channels_last ? 1 : 2;
    std::vector<WindowAxis> windows;
    for (int i = 0; i < axes_; ++i) {
      const auto k = static_cast<size_t>(i);
      windows.push_back({input[first + i], window_[k], options_.strides[k]});
    }
    resolve_padding(op::max_pool, options_.padding, windows);
    Shape shape = input;
    for (size_t i = 0; i < windows.size(); ++i) {
      check_fits(op::max_pool, windows[i], i);
      shape.set(first + static_cast<int>(i), windows[i].count());
    }
    return shape;
  }

 protected:
  void check_input(const Shape& input) const override { check_rank(*this, input, axes_); }
  Tensor call(const Tensor& x, bool) override {
    const PoolOptions options{options_.strides, options_.padding, options_.data_format};
    return is_max_ ? max_pool(x, window_, options) : avg_pool(x, window_, options);
  }

 private:
  std::string kind_;
  int axes_;
  bool is_max_;
  std::vector<int64_t> window_;
  PoolingOptions options_;
};

class GlobalPoolingModule : public Module {
 public:
  GlobalPoolingModule(int axes, bool is_max, GlobalPoolingOptions options)
      : Module(cat("global_", is_max ? "max" : "average", "_pooling", axes, "d"), options.name),
        kind_(cat("Global", is_max ? "Max" : "Average", "Pooling", axes, "D")),
        axes_(axes),
        is_max_(is_max),
        options_(std::move(options)) {}
  std::string_view kind() const override { return kind_; }
  Shape output_shape(const Shape& input) const override {
    const bool last = options_.data_format == DataFormat::channels_last;
    if (!options_.keepdims) return {input[0], input[last ? axes_ + 1 : 1]};
    Shape shape = input;
    for (int i = 0; i < axes_; ++i) shape.set((last ? 1 : 2) + i, 1);
    return shape;
  }

 protected:
  void check_input(const Shape& input) const override { check_rank(*this, input, axes_); }
  Tensor call(const Tensor& x, bool) override {
    return is_max_ ? global_max_pool(x, options_.keepdims, options_.data_format)
                   : global_avg_pool(x, options_.keepdims, options_.data_format);
  }

 private:
  std::string kind_;
  int axes_;
  bool is_max_;
  GlobalPoolingOptions options_;
};

}  // namespace

#define BRIO_POOLING(Name, axes, is_max)                                    \
  Name::Name(const std::vector<int64_t>& pool_size, PoolingOptions options) \
      : Layer(std::make_shared<PoolingModule>(axes, is_max, pool_size, std::move(options))) {}
BRIO_POOLING(MaxPooling1D, 1, true)
BRIO_POOLING(MaxPooling2D, 2, true)
BRIO_POOLING(MaxPooling3D, 3, true)
BRIO_POOLING(AveragePooling1D, 1, false)
BRIO_POOLING(AveragePooling2D, 2, false)
BRIO_POOLING(AveragePooling3D, 3, false)
#undef BRIO_POOLING

#define BRIO_GLOBAL_POOLING(Name, axes, is_max) \
  Name::Name(GlobalPoolingOptions options)      \
      : Layer(std::make_shared<GlobalPoolingModule>(axes, is_max, std::move(options))) {}
BRIO_GLOBAL_POOLING(GlobalMaxPooling1D, 1, true)
BRIO_GLOBAL_POOLING(GlobalMaxPooling2D, 2, true)
BRIO_GLOBAL_POOLING(GlobalMaxPooling3D, 3, true)
BRIO_GLOBAL_POOLING(GlobalAveragePooling1D, 1, false)
BRIO_GLOBAL_POOLING(GlobalAveragePooling2D, 2, false)
BRIO_GLOBAL_POOLING(GlobalAveragePooling3D, 3, false)
#undef BRIO_GLOBAL_POOLING

}  // namespace brio::nn
