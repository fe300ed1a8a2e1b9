#include "brio/ops/network/window.h"

#include <algorithm>
#include <cctype>

#include "brio/ops/check.h"

namespace brio {

bool WindowPadding::is(std::string_view name) const {
  return std::ranges::equal(name_, name, {}, [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
}

std::vector<int64_t> per_axis(const OpDef& op, std::string_view what, const std::vector<int64_t>& values,
                              int64_t axes) {
  if (values.size() == 1) return std::vector<int64_t>(static_cast<size_t>(axes), values[0]);
  if (static_cast<int64_t>(values.size()) != axes)
    throw_invalid(op, cat(what, " has ", values.size(), " values for ", axes,
                          " spatial axes; give one for each, or one for all"));
  return values;
}

void resolve_padding(const OpDef& op, const WindowPadding& padding, std::vector<OpenWindowAxis>& axes) {
  if (padding.given()) {
    if (padding.sides().size() != axes.size())
      throw_invalid(op, cat("the padding has ", padding.sides().size(), " pairs for ", axes.size(),
                            " spatial axes; give low and high for each"));
    for (size_t i = 0; i < axes.size(); ++i) {
      axes[i].low = padding.sides()[i].low;
      axes[i].high = padding.sides()[i].high;
    }
  } else if (padding.is("same")) {
    for (OpenWindowAxis& axis : axes) {
      if (axis.stride < 1) continue;  // the shape rule refuses it
      const Size windows = pieces(axis.size, axis.stride);
      const Size lack = max((windows - 1) * axis.stride + axis.reach() - axis.size, Size(0));
      axis.low = lack / 2;
      axis.high = lack - lack / 2;
    }
  } else if (!padding.is("valid")) {
    throw_invalid(op, cat("no padding is called '", padding.name(),
                          "'; use \"valid\", \"same\", or low and high for each spatial axis"));
  }
}

const Tensor& spatial(const OpDef& op, const Tensor& x, int input) {
  const int rank = required(op, x, input).rank();
  if (rank < 3 || rank > 5)
    throw_invalid(op, cat("input ", input, " has shape ", x.shape(),
                          "; it needs one to three spatial axes besides two others: rank 3 to 5"));
  return x;
}

Tensor to_channels_last(const Tensor& x, DataFormat format) {
  if (format == DataFormat::channels_last) return x;
  std::vector<int> order{0};
  for (int i = 2; i < x.rank(); ++i) order.push_back(i);
  order.push_back(1);
  return transpose(x, order);
}
Tensor from_channels_last(const Tensor& x, DataFormat format) {
  if (format == DataFormat::channels_last) return x;
  std::vector<int> order{0, x.rank() - 1};
  for (int i = 1; i + 1 < x.rank(); ++i) order.push_back(i);
  return transpose(x, order);
}

void check_fits(const OpDef& op, const OpenWindowAxis& axis, size_t number) {
  if (!axis.fits())
    throw_invalid(op, cat("a window that reaches over ", axis.reach(), " elements is larger than spatial axis ",
                          number, " with ", axis.size, ", padded by ", axis.low, " and ", axis.high,
                          "; pad more, or use a smaller window"));
}

}  // namespace brio
