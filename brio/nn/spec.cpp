#include "brio/nn/spec.h"

#include <algorithm>

#include "brio/base/error.h"

namespace brio::nn {

bool Spec::known() const { return std::ranges::find(dims, kUnknown) == dims.end(); }

Aval Spec::with_symbols(uint32_t& next) const {
  std::vector<Size> sizes(dims.begin(), dims.end());
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] == kUnknown) sizes[axis] = Size::unknown(axis == 0 ? 0 : next++);
  return {Shape(sizes), dtype};
}

std::string Spec::str() const {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i)
    text += cat(i ? ", " : "", dims[i] == kUnknown ? "None" : std::to_string(dims[i]));
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace brio::nn
