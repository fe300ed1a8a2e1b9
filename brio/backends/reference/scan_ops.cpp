#include "brio/ops/control/scan_ops.h"

#include <cmath>
#include <limits>

#include "brio/backends/reference/kernel.h"
#include "brio/ops/check.h"

namespace brio::reference {
namespace {

// Calls fold(position of the first element, stride, i) for the i-th element that a row folds: its result.
template <typename T, typename Fold>
void scan(const Call& call, Fold&& fold) {
  const AroundAxis around(call.in_shape(0), scan_axis(call.attrs));
  const bool reverse = scan_reverse(call.attrs);
  for (int64_t o = 0; o < around.outer; ++o)
    for (int64_t j = 0; j < around.inner; ++j) {
      const int64_t first = (o * around.size + (reverse ? around.size - 1 : 0)) * around.inner + j;
      const int64_t stride = reverse ? -around.inner : around.inner;
      for (int64_t i = 0; i < around.size; ++i)
        call.out<T>()[first + i * stride] =
            rounded<T>(fold(call.in<T>(0) + first, stride, scan_exclusive(call.attrs) ? i : i + 1));
    }
}

// Every element folds what comes before it anew.
template <bool product>
void run_fold(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    using A = Accumulator<T>;
    scan<T>(call, [](const T* x, int64_t stride, int64_t count) {
      A total = product ? 1 : 0;
      for (int64_t k = 0; k < count; ++k)
        total = product ? times(total, static_cast<A>(x[k * stride])) : plus(total, static_cast<A>(x[k * stride]));
      return total;
    });
  });
}

void run_logsumexp(const Call& call) {
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    scan<T>(call, [](const T* x, int64_t stride, int64_t count) {
      double most = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t k = 0; k < count; ++k) most = std::max(most, static_cast<double>(x[k * stride]));
      for (int64_t k = 0; k < count; ++k) {
        const auto one = static_cast<double>(x[k * stride]);
        sum += one == most ? 1 : std::exp(one - most);  // infinite ones too
      }
      return std::isinf(most) && most < 0 && !std::isnan(sum) ? most : most + std::log(sum);
    });
  });
}

}  // namespace

void add_scan_ops(Registry& r) {
  add<run_fold<false>>(r, op::cumsum);
  add<run_fold<true>>(r, op::cumprod);
  add<run_logsumexp>(r, op::cumulative_logsumexp);
}

}  // namespace brio::reference
