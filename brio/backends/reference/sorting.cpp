#include "brio/ops/indexing/sorting.h"

#include "brio/backends/reference/kernel.h"
#include "brio/ops/check.h"

namespace brio::reference {
namespace {

void store_position(const Call& call, int64_t at, int64_t position) {
  if (call.out_avals[0].dtype == i32) call.out<int32_t>()[at] = static_cast<int32_t>(position);
  else call.out<int64_t>()[at] = position;
}

template <bool largest>
void run_arg(const Call& call) {
  const AroundAxis around(call.in_shape(0), static_cast<int>(call.attrs[0]));
  visit(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t o = 0; o < around.outer; ++o)
      for (int64_t j = 0; j < around.inner; ++j) {
        const auto at = [&](int64_t i) { return wide(call.in<T>(0)[(o * around.size + i) * around.inner + j]); };
        int64_t best = 0;
        for (int64_t i = 1; i < around.size; ++i)
          if (at(best) != at(best) ? at(i) == at(i) : largest ? at(i) > at(best) : at(i) < at(best)) best = i;
        store_position(call, o * around.inner + j, best);
      }
  });
}

// Sorted by insertion into the k first: a later element comes behind its equals.
void run_top_k(const Call& call) {
  const int last = call.in_shape(0).rank() - 1;
  const int64_t n = call.in_shape(0)[last], k = call.out_shape()[last];
  const bool ascending = top_k_ascending(call.attrs);
  if (k == 0) return;
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t row = 0; row < call.out_shape().elements() / k; ++row) {
      T* values = call.out<T>() + row * k;
      int32_t* indices = call.out<int32_t>(1) + row * k;
      for (int64_t i = 0; i < n; ++i) {
        const T x = call.in<T>(0)[row * n + i];
        int64_t at = std::min(i, k);
        for (; at > 0 && sorts_before(wide(x), wide(values[at - 1]), ascending); --at)
          if (at < k) {
            values[at] = values[at - 1];
            indices[at] = indices[at - 1];
          }
        if (at == k) continue;
        values[at] = x;
        indices[at] = static_cast<int32_t>(i);
      }
    }
  });
}

void run_searchsorted(const Call& call) {
  const int last = call.in_shape(0).rank() - 1;
  const int64_t n = call.in_shape(0)[last], m = call.in_shape(1)[last];
  const bool right = searches_right(call.attrs);
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
      const T* sorted = call.in<T>(0) + i / m * n;
      const auto value = wide(call.in<T>(1)[i]);
      int64_t low = 0, high = n;
      while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (right ? !(value < wide(sorted[middle])) : wide(sorted[middle]) < value) low = middle + 1;
        else high = middle;
      }
      store_position(call, i, low);
    }
  });
}

}  // namespace

void add_sorting(Registry& r) {
  add<run_arg<true>>(r, op::argmax);
  add<run_arg<false>>(r, op::argmin);
  add<run_top_k>(r, op::top_k);
  add<run_searchsorted>(r, op::searchsorted);
}

}  // namespace brio::reference
