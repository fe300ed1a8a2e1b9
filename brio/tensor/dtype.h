// Element types. Those that hold one real number (or a truth) come first; most ops take only these, and complex
// numbers and strings where their row says so (OpDef::also_takes).
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

namespace brio {

enum class DType : uint8_t { f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean, c64, c128, string };
inline constexpr int kDTypeCount = 16, kRealDTypeCount = 13;

inline constexpr DType f64 = DType::f64, f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16;
inline constexpr DType i8 = DType::i8, i16 = DType::i16, i32 = DType::i32, i64 = DType::i64;
inline constexpr DType u8 = DType::u8, u16 = DType::u16, u32 = DType::u32, u64 = DType::u64;
inline constexpr DType boolean = DType::boolean;
inline constexpr DType c64 = DType::c64, c128 = DType::c128;

struct DTypeInfo {
  std::string_view name;     // TensorFlow's: "float32"
  std::string_view ir_name;  // short, in IR text: "f32"
  uint8_t size;              // bytes
  bool floating, integer, is_signed;
};
const DTypeInfo& info(DType dtype);

inline size_t size_of(DType dtype) {
  constexpr uint8_t sizes[] = {8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1, 8, 16, 16};
  return sizes[static_cast<int>(dtype)];
}
inline bool is_floating(DType dtype) { return dtype <= DType::bf16; }
inline bool is_integer(DType dtype) { return dtype >= DType::i8 && dtype <= DType::u64; }
inline bool is_signed(DType dtype) { return dtype <= DType::i64; }
inline bool is_real(DType dtype) { return dtype <= DType::boolean; }
inline bool is_complex(DType dtype) { return dtype == DType::c64 || dtype == DType::c128; }
std::ostream& operator<<(std::ostream& out, DType dtype);  // TensorFlow's name
DType dtype_from_name(std::string_view name);              // either name; throws InvalidArgument

// IEEE half and bfloat16 as storage: arithmetic happens in float, rounding to nearest even on the way back.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  operator float() const;
};
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t u = std::bit_cast<uint32_t>(value);
    if ((u & 0x7fffffffu) > 0x7f800000u) bits = static_cast<uint16_t>((u >> 16) | 0x40u);  // quiet NaN
    else bits = static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<double> {
  static constexpr DType value = f64;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = f32;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = f16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = bf16;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = i8;
};
template <>
struct DTypeOf<int16_t> {
  static constexpr DType value = i16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = i32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = i64;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = u8;
};
template <>
struct DTypeOf<uint16_t> {
  static constexpr DType value = u16;
};
template <>
struct DTypeOf<uint32_t> {
  static constexpr DType value = u32;
};
template <>
struct DTypeOf<uint64_t> {
  static constexpr DType value = u64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = boolean;
};
template <>
struct DTypeOf<std::complex<float>> {
  static constexpr DType value = c64;
};
template <>
struct DTypeOf<std::complex<double>> {
  static constexpr DType value = c128;
};
template <typename T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

[[noreturn]] void throw_not_real(DType dtype);  // InternalError: a shape rule let it through

// Calls f with a value of the C++ type that stores `dtype`, which is a real one:
// visit(dtype, [&](auto t) { using T = decltype(t); … }).
template <typename F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f64: return f(double{});
    case DType::f32: return f(float{});
    case DType::f16: return f(Half{});
    case DType::bf16: return f(BFloat16{});
    case DType::i8: return f(int8_t{});
    case DType::i16: return f(int16_t{});
    case DType::i32: return f(int32_t{});
    case DType::i64: return f(int64_t{});
    case DType::u8: return f(uint8_t{});
    case DType::u16: return f(uint16_t{});
    case DType::u32: return f(uint32_t{});
    case DType::u64: return f(uint64_t{});
    case DType::boolean: return f(bool{});
    case DType::c64:
    case DType::c128:
    case DType::string: break;
  }
  throw_not_real(dtype);
}

// Element i of an array of an integer dtype; 0 for others. A uint64 past int64 becomes negative: out of range
// anywhere.
inline int64_t integer_at(const void* data, DType dtype, int64_t i) {
  return visit(dtype, [&](auto t) -> int64_t {
    using T = decltype(t);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return static_cast<int64_t>(static_cast<const T*>(data)[i]);
    return 0;
  });
}

}  // namespace brio
