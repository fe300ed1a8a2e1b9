#include "brio/nn/spec.h"

#include <algorithm>

#include "brio/base/error.h"

namespace brio::nn {

bool Spec::known() const { return std::ranges::find(dims, kUnknown) == dims.end(); }

Aval Spec::with_unknown(int64_t size) const {
  std::vector<int64_t> sizes = dims;
  std::ranges::replace(sizes, kUnknown, size);
  return {Shape(std::span<const int64_t>(sizes)), dtype};
}

std::string Spec::str() const {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i)
    text += cat(i ? ", " : "", dims[i] == kUnknown ? "None" : std::to_string(dims[i]));
  return text + (dims.size() == 1 ? ",)" : ")");
}

Spec common(const Aval& a, const Aval& b) {
  Spec spec(a.shape, a.dtype);
  for (int i = 0; i < a.shape.rank(); ++i)
    if (a.shape[i] != b.shape[i]) spec.dims[static_cast<size_t>(i)] = kUnknown;
  return spec;
}

}  // namespace brio::nn
