// Matrix products C = activation(A · B + bias), prepared once per plan and run many times.
//
//   auto gemm = Gemm::prepare({.dtype = f32, .m = 32, .n = 64, .k = 100, .a_row = 100, .a_col = 1, .b_row = 64,
//                              .b_col = 1, .bias = true, .epilogue = Epilogue::relu});
//   gemm->run(a, b, bias, c, scratch);     // scratch: gemm->scratch_bytes() bytes, aligned to 64
//
// Which kernel runs, and how the work is cut, depend on the spec and the instruction set alone, so the bits are the
// same for any number of threads. docs/decisions/gemm.md has the measurements behind the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// Applied after the bias, with the bits of the elementwise op of the same name.
enum class Epilogue : uint8_t { none, relu, sigmoid, tanh };

struct GemmSpec {
  DType dtype = f32;  // of A, B, bias and C; not bool. f16 and bf16 accumulate in f32; integers wrap
  int64_t m = 0, n = 0, k = 0;
  int64_t a_row = 0, a_col = 0;                     // A[i, p] is a[i * a_row + p * a_col]; strides count elements
  int64_t b_row = 0, b_col = 0;                     // B[p, j] is b[p * b_row + j * b_col]
  std::vector<int64_t> batch = {};                  // sizes of leading dimensions; C is dense over (batch…, m, n)
  std::vector<int64_t> a_batch = {}, b_batch = {};  // strides of A and B along them; 0 repeats the operand
  bool bias = false;                                // n elements, added to every row
  Epilogue epilogue = Epilogue::none;
  // The elementwise kernel of an epilogue other than none and relu: out[i] = f(a[i]), out may be a.
  void (*activation)(void* out, const void* a, const void* b, const void* c, size_t n) = nullptr;
};

class Gemm {
 public:
  static std::unique_ptr<Gemm> prepare(
      const GemmSpec& spec);  // throws InvalidArgument for a spec that makes no sense
  virtual ~Gemm() = default;

  virtual size_t scratch_bytes() const { return 0; }
  // `bias` is ignored without spec.bias. C overlaps no operand. Allocates nothing; may be called by several threads
  // at once, each with its own scratch.
  virtual void run(const void* a, const void* b, const void* bias, void* c, void* scratch) const = 0;

  std::string chosen;                // "direct avx3 6x4", "onednn brg:avx512_core", …
  std::vector<std::string> skipped;  // why each implementation before it in the list was passed over
};

// Primitives of the library are kept by shape and shared by all Gemm objects.
struct GemmPrimitiveCacheStats {
  size_t entries = 0, hits = 0, misses = 0;
};
GemmPrimitiveCacheStats gemm_primitive_cache_stats();

}  // namespace brio::cpu
