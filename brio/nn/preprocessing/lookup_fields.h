// Fields of the configs of layers that look tokens up.
#pragma once

#include <algorithm>
#include <utility>

#include "brio/base/error.h"
#include "brio/nn/config.h"

namespace brio::nn {

// A list that is null where it is empty.
template <typename T>
void list_field(Fields& f, std::string_view name, std::vector<T>& values) {
  std::optional<std::string> none;
  if (!f.reading() && values.empty()) return f(name, none);
  if constexpr (std::is_integral_v<T>) {
    const bool small = std::ranges::all_of(values, [](T v) { return std::in_range<int>(v); });
    if (!f.reading() && small) {  // a list of int64_t means sizes, where -1 is a gap
      std::vector<int> numbers(values.begin(), values.end());
      return f(name, numbers);
    }
    std::vector<int64_t> numbers(values.begin(), values.end());
    f(name, numbers);
    values.assign(numbers.begin(), numbers.end());
  } else {
    f(name, values);
  }
}

inline void refuse_sparse(Fields& f) {
  bool sparse = false;
  f("sparse", sparse);
  if (sparse) throw InvalidArgument("[config] sparse is true, but there are no sparse tensors; set it to false");
}

}  // namespace brio::nn
