// Comparisons, classification and selection. Plain loops: the compiler turns them into vector compares and packs.
#include <cstdint>

#include "brio/backends/cpu/loops/scalar_definitions.h"
#include "brio/backends/cpu/tiles/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tiles/tile_compare.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/half_loops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
void select_loop(void* out_, const void* condition_, const void* a_, const void* b_, size_t n) {
  T* out = static_cast<T*>(out_);
  const uint8_t* condition = static_cast<const uint8_t*>(condition_);
  const T* a = static_cast<const T*>(a_);
  const T* b = static_cast<const T*>(b_);
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) {
    const T yes = a[i], no = b[i];
    out[i] = condition[i] ? yes : no;
  }
}

template <typename T>
TileFn comparison_of(std::string_view op) {
  if (op == "equal") return scalar_binary_loop<scalar::Equal, T, uint8_t>;
  if (op == "not_equal") return scalar_binary_loop<scalar::NotEqual, T, uint8_t>;
  if (op == "less") return scalar_binary_loop<scalar::Less, T, uint8_t>;
  if (op == "less_equal") return scalar_binary_loop<scalar::LessEqual, T, uint8_t>;
  if (op == "greater") return scalar_binary_loop<scalar::Greater, T, uint8_t>;
  if (op == "greater_equal") return scalar_binary_loop<scalar::GreaterEqual, T, uint8_t>;
  return nullptr;
}

template <class Op>
constexpr FloatRow float_comparison(std::string_view name) {
  return float_row<scalar_binary_loop<Op, float, uint8_t>, 2, true>(name, scalar_binary_loop<Op, double, uint8_t>);
}
template <class Op>
constexpr FloatRow float_test(std::string_view name) {
  return float_row<scalar_unary_loop<Op, float, uint8_t>, 1, true>(name, scalar_unary_loop<Op, double, uint8_t>);
}

TileFn float_comparison_of(std::string_view op, DType dtype) {
  static constexpr FloatRow kRows[] = {
      float_comparison<scalar::Equal>("equal"),     float_comparison<scalar::NotEqual>("not_equal"),
      float_comparison<scalar::Less>("less"),       float_comparison<scalar::LessEqual>("less_equal"),
      float_comparison<scalar::Greater>("greater"), float_comparison<scalar::GreaterEqual>("greater_equal"),
      float_test<scalar::IsNan>("is_nan"),          float_test<scalar::IsFinite>("is_finite"),
      float_test<scalar::IsInf>("is_inf"),
  };
  for (const FloatRow& row : kRows)
    if (row.name == op) return row.of(dtype);
  return nullptr;
}

}  // namespace

// Only the bits matter, so one kernel serves all dtypes of a size.
TileFn find_selection_here(size_t element_size) {
  switch (element_size) {
    case 1: return select_loop<uint8_t>;
    case 2: return select_loop<uint16_t>;
    case 4: return select_loop<uint32_t>;
    case 8: return select_loop<uint64_t>;
  }
  return nullptr;
}

TileFn find_comparison_here(std::string_view op, DType dtype) {
  switch (dtype) {
    case i8: return comparison_of<int8_t>(op);
    case i16: return comparison_of<int16_t>(op);
    case i32: return comparison_of<int32_t>(op);
    case i64: return comparison_of<int64_t>(op);
    case u8: return comparison_of<uint8_t>(op);
    case u16: return comparison_of<uint16_t>(op);
    case u32: return comparison_of<uint32_t>(op);
    case u64: return comparison_of<uint64_t>(op);
    case boolean: return comparison_of<uint8_t>(op);
    default: return float_comparison_of(op, dtype);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_selection_here);
HWY_EXPORT(find_comparison_here);

TileFn find_selection(DType dtype) { return HWY_DYNAMIC_DISPATCH(find_selection_here)(size_of(dtype)); }

TileFn find_comparison(std::string_view op, DType in, DType out) {
  return out == boolean ? HWY_DYNAMIC_DISPATCH(find_comparison_here)(op, in) : nullptr;
}

}  // namespace brio::cpu
#endif
