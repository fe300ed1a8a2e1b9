// Small parts that kernels' texts and their parameters are made of.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "brio/base/error.h"
#include "brio/tensor/dtype.h"

namespace brio::cuda {

// The type of prelude.cuh that stores a dtype.
inline std::string_view type_name(DType dtype) { return dtype == boolean ? "bool" : info(dtype).ir_name; }
// What it is computed in.
inline DType wide_dtype(DType dtype) { return dtype == f16 || dtype == bf16 ? f32 : dtype; }
inline std::string_view wide_name(DType dtype) { return type_name(wide_dtype(dtype)); }

// A kernel of one call, for blocks of so many threads; at least so many of these are to fit a multiprocessor at once.
inline std::string kernel_of(std::string_view signature, std::string_view call, unsigned threads = 256,
                             unsigned blocks = 1) {
  return cat("extern \"C\" __global__ void __launch_bounds__(", threads, ", ", blocks, ") NAME(", signature, ") { ",
             call, "; }\n");
}

// A type that moves elements of a size without looking at them.
inline std::string_view word_name(size_t bytes) {
  switch (bytes) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    case 8: return "u64";
    default: return "u128";
  }
}

// prelude.cuh's Divider.
struct Divider {
  uint32_t d = 1, multiplier = 1, shift = 0;
  static Divider by(uint32_t d) {  // of numbers below 2^31; nothing is divided in an empty space
    if (d == 0) d = 1;
    uint32_t shift = 0;
    while (shift < 32 && (uint64_t{1} << shift) < d) ++shift;
    const uint64_t multiplier = ((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1;
    return {d, static_cast<uint32_t>(multiplier), shift};
  }
};

// A struct of a kernel's parameters: pointers first, then words of four or of eight bytes.
class Parameters {
 public:
  explicit Parameters(bool wide) : wide_(wide) {}
  void pointer(const void* p) { append(p); }
  void number(int64_t n) {
    if (wide_) append(n);
    else append(static_cast<uint32_t>(n));
  }
  void divider(int64_t d) {
    if (wide_) append(d);
    else append(Divider::by(static_cast<uint32_t>(d)));
  }
  const std::vector<char>& bytes() {
    bytes_.resize((bytes_.size() + 7) & ~size_t{7});
    return bytes_;
  }

 private:
  template <typename T>
  void append(const T& value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  bool wide_;
  std::vector<char> bytes_;
};

}  // namespace brio::cuda
