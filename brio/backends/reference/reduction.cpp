#include "brio/ops/reductions/reduction.h"

#include <limits>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// Elements that fold into one result, in row-major order. `start` is the value of an empty fold.
template <typename T, typename A, typename Fold>
void fold(const Call& call, A start, Fold&& step) {
  const Shape& shape = call.in_shape(0);
  const Strides strides = row_major(shape);
  const uint32_t mask = reduced_axes(call.attrs);
  struct {
    Shape shape;
    int axes[kMaxRank] = {};
    int64_t offset(int64_t position, const Strides& strides_of_all) const {
      const Coordinates at(shape, position);
      int64_t sum = 0;
      for (int i = 0; i < shape.rank(); ++i) sum += at[i] * strides_of_all[axes[i]];
      return sum;
    }
  } kept, folded;
  for (int i = 0; i < shape.rank(); ++i) {
    auto& side = mask >> i & 1 ? folded : kept;
    side.axes[side.shape.rank()] = i;
    side.shape.push_back(shape[i]);
  }
  for (int64_t o = 0; o < kept.shape.elements(); ++o) {
    const T* from = call.in<T>(0) + kept.offset(o, strides);
    A total = start;
    for (int64_t f = 0; f < folded.shape.elements(); ++f)
      total = step(total, static_cast<A>(from[folded.offset(f, strides)]));
    if constexpr (std::is_same_v<T, bool>) call.out<bool>()[o] = total;
    else call.out<T>()[o] = rounded<T>(total);
  }
}

void run_sum(const Call& call) {
  visit_arithmetic(call.in_avals[0].dtype, [&](auto t) {
    using A = Accumulator<decltype(t)>;
    fold<decltype(t), A>(call, A(0), [](A total, A x) { return plus(total, x); });
  });
}
void run_prod(const Call& call) {
  visit_arithmetic(call.in_avals[0].dtype, [&](auto t) {
    using A = Accumulator<decltype(t)>;
    fold<decltype(t), A>(call, A(1), [](A total, A x) { return times(total, x); });
  });
}
template <typename A>
constexpr A kLowest = std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                           : std::numeric_limits<A>::lowest();
template <typename A>
constexpr A kHighest = std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                            : std::numeric_limits<A>::max();
void run_max(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using A = Accumulator<decltype(t)>;
    fold<decltype(t), A>(call, kLowest<A>, [](A most, A x) { return x > most || x != x ? x : most; });
  });
}
void run_min(const Call& call) {
  visit_numbers(call.in_avals[0].dtype, [&](auto t) {
    using A = Accumulator<decltype(t)>;
    fold<decltype(t), A>(call, kHighest<A>, [](A least, A x) { return x < least || x != x ? x : least; });
  });
}
void run_any(const Call& call) {
  fold<bool, bool>(call, false, [](bool any, bool x) { return any || x; });
}
void run_all(const Call& call) {
  fold<bool, bool>(call, true, [](bool all, bool x) { return all && x; });
}

}  // namespace

void add_reductions(Registry& r) {
  add<run_sum>(r, op::reduce_sum);
  add<run_prod>(r, op::reduce_prod);
  add<run_max>(r, op::reduce_max);
  add<run_min>(r, op::reduce_min);
  add<run_any>(r, op::reduce_any);
  add<run_all>(r, op::reduce_all);
}

}  // namespace brio::reference
