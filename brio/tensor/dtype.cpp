#include "brio/tensor/dtype.h"

#include <ostream>

#include "brio/base/error.h"

namespace brio {
namespace {

constexpr DTypeInfo kInfo[kDTypeCount] = {
    {"float64", "f64", 8, true, false, true},       {"float32", "f32", 4, true, false, true},
    {"float16", "f16", 2, true, false, true},       {"bfloat16", "bf16", 2, true, false, true},
    {"int8", "i8", 1, false, true, true},           {"int16", "i16", 2, false, true, true},
    {"int32", "i32", 4, false, true, true},         {"int64", "i64", 8, false, true, true},
    {"uint8", "u8", 1, false, true, false},         {"uint16", "u16", 2, false, true, false},
    {"uint32", "u32", 4, false, true, false},       {"uint64", "u64", 8, false, true, false},
    {"bool", "bool", 1, false, false, false},       {"complex64", "c64", 8, false, false, true},
    {"complex128", "c128", 16, false, false, true}, {"string", "str", 16, false, false, false},
};

}  // namespace

const DTypeInfo& info(DType dtype) { return kInfo[static_cast<int>(dtype)]; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << info(dtype).name; }

DType dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (name == kInfo[i].name || name == kInfo[i].ir_name) return static_cast<DType>(i);
  throw InvalidArgument(cat("dtype: no dtype is called '", name,
                            "'; there are float64 float32 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 "
                            "uint32 uint64 bool complex64 complex128 string"));
}

void throw_not_real(DType dtype) { throw InternalError(cat("a kernel for real numbers was called for ", dtype)); }

Half::Half(float value) {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (u >> 16) & 0x8000u;
  const uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN stays NaN, quiet
    bits = static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  } else if (magnitude >= 0x477ff000u) {  // rounds past the largest half: infinity
    bits = static_cast<uint16_t>(sign | 0x7c00u);
  } else if (magnitude < 0x38800000u) {  // subnormal half: let the FPU round, by adding 0.5 with its exponent
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  } else {
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    bits = static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
}

Half::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

}  // namespace brio
