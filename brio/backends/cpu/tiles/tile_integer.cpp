// Integer and boolean arithmetic. Plain loops, but for division of i32; the common widths are compiled for every
// instruction set, the others for the baseline, which gives the same bits.
#include <cstdint>
#include <type_traits>

#include "brio/backends/cpu/loops/scalar_definitions.h"
#include "brio/backends/cpu/tiles/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tiles/tile_integer.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// Quotients of i32 through double, which rounds to an integer only what is one: a / b differs from others by 1/b at
// least. kRest: what is left of a instead.
template <class Scalar, bool kRest>
void floor_div_i32(void* out_, const void* a_, const void* b_, const void*, size_t n) {
  int32_t* out = static_cast<int32_t*>(out_);
  const int32_t* a = static_cast<const int32_t*>(a_);
  const int32_t* b = static_cast<const int32_t*>(b_);
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(di, a + i), y = hn::LoadU(di, b + i);
    const auto ratio = hn::Floor(hn::Div(hn::PromoteTo(d, x), hn::PromoteTo(d, y)));
    // By -1 the smallest integer wraps; by 0 it is 0.
    const auto quotient = hn::IfThenElse(hn::Eq(y, hn::Set(di, -1)), hn::Neg(x), hn::DemoteTo(di, ratio));
    const auto result = kRest ? hn::Sub(x, hn::Mul(quotient, y)) : quotient;
    hn::StoreU(hn::IfThenZeroElse(hn::Eq(y, hn::Zero(di)), result), di, out + i);
  }
#endif
  for (; i < n; ++i) out[i] = Scalar::run(a[i], b[i]);
}

template <typename T>
TileFn integer_op(std::string_view op) {
  if constexpr (std::is_same_v<T, int32_t>) {
    if (op == "floor_div") return floor_div_i32<scalar::FloorDiv, false>;
    if (op == "mod") return floor_div_i32<scalar::FloorMod, true>;
  }
  if (op == "add") return scalar_binary_loop<scalar::Add, T>;
  if (op == "sub") return scalar_binary_loop<scalar::Sub, T>;
  if (op == "mul") return scalar_binary_loop<scalar::Mul, T>;
  if (op == "max") return scalar_binary_loop<scalar::Max, T>;
  if (op == "min") return scalar_binary_loop<scalar::Min, T>;
  if (op == "floor_div") return scalar_binary_loop<scalar::FloorDiv, T>;
  if (op == "mod") return scalar_binary_loop<scalar::FloorMod, T>;
  if (op == "pow") return scalar_binary_loop<scalar::Pow, T>;
  if (op == "squared_difference") return scalar_binary_loop<scalar::SquaredDifference, T>;
  if (op == "bitwise_and") return scalar_binary_loop<scalar::And, T>;
  if (op == "bitwise_or") return scalar_binary_loop<scalar::Or, T>;
  if (op == "bitwise_xor") return scalar_binary_loop<scalar::Xor, T>;
  if (op == "left_shift") return scalar_binary_loop<scalar::LeftShift, T>;
  if (op == "right_shift") return scalar_binary_loop<scalar::RightShift, T>;
  if (op == "neg") return scalar_unary_loop<scalar::Neg, T>;
  if (op == "abs")
    return scalar_unary_loop<std::conditional_t<std::is_signed_v<T>, scalar::Abs, scalar::AbsUnsigned>, T>;
  if (op == "sign") return scalar_unary_loop<scalar::Sign, T>;
  if (op == "square") return scalar_unary_loop<scalar::Square, T>;
  if (op == "relu") return scalar_unary_loop<scalar::Relu, T>;
  return nullptr;
}

TileFn bool_op(std::string_view op) {
  if (op == "logical_not") return scalar_unary_loop<scalar::LogicalNot, uint8_t>;
  if (op == "logical_and" || op == "min") return scalar_binary_loop<scalar::And, uint8_t>;
  if (op == "logical_or" || op == "max") return scalar_binary_loop<scalar::Or, uint8_t>;
  if (op == "logical_xor") return scalar_binary_loop<scalar::Xor, uint8_t>;
  return nullptr;
}

}  // namespace

TileFn find_integer_here(std::string_view op, DType dtype) {
  switch (dtype) {
    case i32: return integer_op<int32_t>(op);
    case i64: return integer_op<int64_t>(op);
    case u8: return integer_op<uint8_t>(op);
    case boolean: return bool_op(op);
#if HWY_TARGET == HWY_STATIC_TARGET
    case i8: return integer_op<int8_t>(op);
    case i16: return integer_op<int16_t>(op);
    case u16: return integer_op<uint16_t>(op);
    case u32: return integer_op<uint32_t>(op);
    case u64: return integer_op<uint64_t>(op);
#endif
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_integer_here);

TileFn find_integer(std::string_view op, DType dtype) {
  if (!is_integer(dtype) && dtype != boolean) return nullptr;
  if (TileFn fn = HWY_DYNAMIC_DISPATCH(find_integer_here)(op, dtype)) return fn;
  return HWY_STATIC_DISPATCH(find_integer_here)(op, dtype);
}

}  // namespace brio::cpu
#endif
