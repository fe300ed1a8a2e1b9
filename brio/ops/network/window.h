// Windows that slide over the spatial axes of (batch, spatial…, channels): shared by convolutions and pooling.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "brio/base/error.h"
#include "brio/ir/op.h"
#include "brio/ir/tensor.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {

enum class DataFormat : uint8_t { channels_last, channels_first };

// How far windows extend beyond the edge. "valid": not at all. "same": ceil(size / stride) windows, with the missing
// elements half before and half behind, the odd one behind. Or a number low and high per spatial axis.
class WindowPadding {
 public:
  WindowPadding(const char* name) : name_(name) {}  // in either case
  WindowPadding(std::string name) : name_(std::move(name)) {}
  WindowPadding(std::initializer_list<Padding> sides) : sides_(sides) {}
  explicit WindowPadding(std::vector<Padding> sides) : sides_(std::move(sides)) {}

  bool is(std::string_view name) const;         // in either case
  bool given() const { return name_.empty(); }  // then sides() says how much
  const std::vector<Padding>& sides() const { return sides_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<Padding> sides_;
};

// Windows along one axis, whose size may be unknown.
struct OpenWindowAxis {
  Size size = 1, window = 1;
  int64_t stride = 1, dilation = 1;
  Size low = 0, high = 0;

  Size reach() const { return (window - 1) * dilation + 1; }  // from the first to the last element of a window
  // An empty axis has no windows; otherwise one window must fit.
  bool fits() const { return size == 0 || !surely_less(size + low + high, reach()); }
  Size count() const { return max((size + low + high - reach() + stride) / stride, Size(0)); }
};

// With a known size, for kernels.
struct WindowAxis {
  int64_t size = 1, window = 1, stride = 1, dilation = 1, low = 0, high = 0;

  WindowAxis() = default;
  WindowAxis(const OpenWindowAxis& axis)
      : size(axis.size),
        window(axis.window),
        stride(axis.stride),
        dilation(axis.dilation),
        low(axis.low),
        high(axis.high) {}
  int64_t reach() const { return (window - 1) * dilation + 1; }
  int64_t count() const {
    const int64_t room = size + low + high - reach();
    return room < 0 ? 0 : room / stride + 1;
  }
  int64_t position(int64_t out, int64_t tap) const { return out * stride + tap * dilation - low; }
};

// Windows over three axes, for kernels: axes that a 1-D or 2-D op lacks come first and have one element.
struct Windows {
  WindowAxis axis[3];
  int64_t sizes() const { return axis[0].size * axis[1].size * axis[2].size; }
  int64_t taps() const { return axis[0].window * axis[1].window * axis[2].window; }
  int64_t counts() const { return axis[0].count() * axis[1].count() * axis[2].count(); }
};

// ---- for builders

// `values` holds one for every spatial axis, or one for all.
std::vector<int64_t> per_axis(const OpDef& op, std::string_view what, const std::vector<int64_t>& values,
                              int64_t axes);
// Sets low and high of every axis as `padding` says.
void resolve_padding(const OpDef& op, const WindowPadding& padding, std::vector<OpenWindowAxis>& axes);
// Refuses a tensor without one to three spatial axes between batch and channels.
const Tensor& spatial(const OpDef& op, const Tensor& x, int input = 0);
Tensor to_channels_last(const Tensor& x, DataFormat format);
Tensor from_channels_last(const Tensor& x, DataFormat format);
template <typename List>
void append_list(std::vector<int64_t>& words, const List& list) {
  words.push_back(static_cast<int64_t>(list.size()));
  for (size_t i = 0; i < list.size(); ++i) words.push_back(Size(list[i]).word());
}

// ---- for shape rules

// Refuses a list that does not have one value of at least `least` per spatial axis.
template <typename List>
void check_list(const OpDef& op, std::string_view what, const List& list, int64_t axes, int64_t least) {
  constexpr int64_t most = INT32_MAX;  // products of two of them are still sizes
  if (static_cast<int64_t>(list.size()) != axes)
    throw_invalid(op, cat(what, " has ", list.size(), " values for ", axes, " spatial axes"));
  for (size_t i = 0; i < list.size(); ++i)
    if (surely_less(list[i], least) || surely_less(most, list[i]))
      throw_invalid(op,
                    cat(what, " of spatial axis ", i, " is ", list[i], "; it must lie in [", least, ", ", most, "]"));
}
// Refuses windows larger than what they slide over.
void check_fits(const OpDef& op, const OpenWindowAxis& axis, size_t number);

}  // namespace brio
