#include "brio/ops/random/distribution_kernels.h"

#include <cmath>
#include <limits>

#include "brio/base/element_stream.h"
#include "brio/base/error.h"
#include "brio/ops/random/distributions.h"

namespace brio {
namespace {

double real_at(const void* data, DType dtype, int64_t i) {
  return visit(dtype,
               [&](auto t) -> double { return static_cast<double>(static_cast<const decltype(t)*>(data)[i]); });
}

// A count in an integer dtype that does not reach so far is the largest that it has.
template <typename T>
T count_as(double count) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return T(static_cast<float>(count));
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(count);
  else
    return count < static_cast<double>(std::numeric_limits<T>::max()) ? static_cast<T>(count)
                                                                      : std::numeric_limits<T>::max();
}

}  // namespace

void DistributionDraw::check(const void* const* inputs) const {
  if (&op == &op::random_integers) {
    const int64_t low = *static_cast<const int64_t*>(inputs[2]), high = *static_cast<const int64_t*>(inputs[3]);
    if (low >= high && out.shape.elements() > 0)
      throw_invalid(op, cat("low is ", low, " and high ", high, "; high is not included and must lie above"));
    return;
  }
  const bool gamma = &op == &op::random_gamma;
  for (int64_t i = 0; i < in[2].shape.elements(); ++i) {
    const double value = real_at(inputs[2], in[2].dtype, i);
    if (std::isfinite(value) && (gamma ? value > 0 : value >= 0)) continue;
    throw_invalid(op, cat(gamma ? "alpha" : "the rate", " is ", value, " at position ", i, "; it must be finite and ",
                          gamma ? "above 0" : "0 or more"));
  }
}

void DistributionDraw::fill(const void* const* inputs, void* result, int64_t begin, int64_t end) const {
  const RandomStream stream{*static_cast<const uint64_t*>(inputs[0]),
                            *static_cast<const uint64_t*>(inputs[1]) + static_cast<uint64_t>(attrs[1])};
  visit(out.dtype, [&](auto t) {
    using T = decltype(t);
    T* const to = static_cast<T*>(result);
    if (&op == &op::random_integers) {
      const auto low = static_cast<uint64_t>(*static_cast<const int64_t*>(inputs[2]));
      const uint64_t range = static_cast<uint64_t>(*static_cast<const int64_t*>(inputs[3])) - low;
      if constexpr (std::is_integral_v<T>)
        for (auto i = static_cast<uint64_t>(begin); i < static_cast<uint64_t>(end); ++i)
          to[i] = static_cast<T>(low + (range >> 32
                                            ? ElementStream(stream, i).below(range)
                                            : bounded_u32(stream, i, stream.u32(i), static_cast<uint32_t>(range))));
      return;
    }
    const int64_t parameters = in[2].shape.elements();
    for (int64_t i = begin; i < end; ++i) {
      const double parameter = real_at(inputs[2], in[2].dtype, i % parameters);
      ElementStream own(stream, static_cast<uint64_t>(i));
      to[i] = count_as<T>(&op == &op::random_gamma ? own.gamma(parameter) : own.poisson(parameter));
    }
  });
}

}  // namespace brio
