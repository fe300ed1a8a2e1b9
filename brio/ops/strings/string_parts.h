// What the functions of strings share.
#pragma once

#include <functional>
#include <string_view>

#include "brio/base/thread_pool.h"
#include "brio/ir/shapes_only.h"
#include "brio/ir/string_moves.h"
#include "brio/ir/trace.h"
#include "brio/ops/check.h"
#include "brio/ops/control/effects.h"
#include "brio/tensor/strings.h"

namespace brio::strings {

inline const Tensor& text(std::string_view function, const Tensor& x, int input = 0) {
  if (required(function, x, input).dtype() != DType::string)
    throw_invalid(function, cat("takes strings, but input ", input, " is ", x.dtype(), "; see strings::as_string"));
  return x;
}

// The data of x, for a function whose result is strings.
inline const Array& known(std::string_view function, const Tensor& x) {
  check_known_now(function, x);
  return x.array();
}
inline const Array& known_text(std::string_view function, const Tensor& x, int input = 0) {
  return known(function, text(function, x, input));
}

// In a trace for shapes: strings of which no more than the shape is known.
inline Tensor unknown_text(const Shape& shape) { return add_parameter(current_recording(), {shape, DType::string}); }

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view stripped(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

// f(text, out) appends what becomes of each string; threads share the work.
template <typename F>
Tensor each_text(std::string_view function, const Tensor& x, F f) {
  if (ShapesOnly::lacks_data(text(function, x))) return unknown_text(x.shape());
  const Array& array = known_text(function, x);
  constexpr int64_t kGrain = 4096;
  std::vector<StringWriter> parts(static_cast<size_t>((x.size() + kGrain - 1) / kGrain));
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    StringWriter& part = parts[static_cast<size_t>(begin / kGrain)];
    for (int64_t i = begin; i < end; ++i) {
      f(string_at(array, i), part.characters());
      part.end();
    }
  });
  return Tensor(StringWriter::finish(parts, x.shape()));
}

// Calls f(i) for every element, in pieces that threads share.
template <typename F>
void for_each_element(int64_t n, F f) {
  parallel_for(n, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace brio::strings
