// Arithmetic of the floating dtypes: the hot path of most programs, one vector instruction or a few per operation.
#include "brio/backends/cpu/tiles/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tiles/tile_float.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/float_ops-inl.h"
#include "brio/backends/cpu/loops/half_loops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

template <class Op>
constexpr FloatRow unary(std::string_view name) {
  return float_row<short_unary_loop<Op, float>, 1>(name, short_unary_loop<Op, double>);
}
template <class Op>
constexpr FloatRow binary(std::string_view name) {
  return float_row<short_binary_loop<Op, float>, 2>(name, short_binary_loop<Op, double>);
}

}  // namespace

TileFn find_float_arithmetic_here(std::string_view op, DType dtype) {
  static constexpr FloatRow kRows[] = {
      binary<Add>("add"),
      binary<Sub>("sub"),
      binary<Mul>("mul"),
      binary<Div>("div"),
      binary<FloorDiv>("floor_div"),
      binary<Max>("max"),
      binary<Min>("min"),
      binary<SquaredDifference>("squared_difference"),
      unary<Neg>("neg"),
      unary<Abs>("abs"),
      unary<Sign>("sign"),
      unary<Sqrt>("sqrt"),
      unary<Rsqrt>("rsqrt"),
      unary<Square>("square"),
      unary<Reciprocal>("reciprocal"),
      unary<Relu>("relu"),
      unary<Floor>("floor"),
      unary<Ceil>("ceil"),
      unary<Round>("round"),
  };
  for (const FloatRow& row : kRows)
    if (row.name == op) return row.of(dtype);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_float_arithmetic_here);

TileFn find_float_arithmetic(std::string_view op, DType dtype) {
  return is_floating(dtype) ? HWY_DYNAMIC_DISPATCH(find_float_arithmetic_here)(op, dtype) : nullptr;
}

}  // namespace brio::cpu
#endif
