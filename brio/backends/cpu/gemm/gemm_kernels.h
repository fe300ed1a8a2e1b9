// The kernels from which gemm_choice.cpp chooses: our own, one function each. Private to this room.
//
// A kernel computes one piece: a product without batch, C[i, j] at c[i * c_row + j], on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

struct GemmShape {
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col, c_row;
  bool relu;
};

struct GemmPointers {
  const void* a;
  const void* b;
  const void* bias;  // or null; n elements
  void* c;
  void* scratch;  // of the size that the kernel's scratch function gives; aligned to 64
};

using GemmKernel = void (*)(const GemmShape& shape, const GemmPointers& pointers);

// A kernel with the facts that the choice needs. run is null if there is no kernel for the dtype.
struct GemmKernelInfo {
  GemmKernel run = nullptr;
  bool applies_bias_relu = false;                       // else apply_bias_relu must follow
  size_t (*scratch)(const GemmShape& shape) = nullptr;  // null: none
  std::string name = {};                                // "direct avx3 6x4"
};

// Any strides; for the given k. The cheapest to call: a plain triple loop.
GemmKernelInfo tiny_gemm_kernel(DType dtype, int64_t k);
// f32, f64. Reads A and B where they lie (B is packed when its rows are not dense): for operands that fit into cache.
GemmKernelInfo direct_gemm_kernel(DType dtype);
// f32, f64; a_col == 1 and b_row == 1 (see turn_b). Vectors along k: for few columns and long rows.
GemmKernelInfo dot_gemm_kernel(DType dtype);
// f32, f64; b_col == 1. Vectors along n and k outermost, so that a large B is read once, in order: for very few rows.
GemmKernelInfo axpy_gemm_kernel(DType dtype);
// f32, f64; a_row == 1, n ≤ 16. Computes the transpose, whose rows are long, and turns it while storing.
GemmKernelInfo turned_gemm_kernel(DType dtype);
// All dtypes but bool, any strides. Packs blocks that fit into cache.
GemmKernelInfo blocked_gemm_kernel(DType dtype);

// c[i, j] = relu(c[i, j] + bias[j]) on rows × n, either part optional; rounds after each for the 16-bit floats.
void apply_bias_relu(DType dtype, void* c, int64_t rows, int64_t n, int64_t c_row, const void* bias, bool relu);

// out[j * k + p] = b[p * b_row + j * b_col]: B so that the dot kernel can read it, with b_row 1 and b_col k.
void turn_b(DType dtype, const void* b, int64_t b_row, int64_t b_col, int64_t k, int64_t n, void* out);

// The instruction set in use now: its vectors, and the largest tile of its micro-kernel.
struct GemmTargetFacts {
  int64_t vector_bytes;
  const char* name;  // "avx3", "avx2", "sse4", "scalar"
  int rows, vectors;
};
GemmTargetFacts gemm_target_facts();

}  // namespace brio::cpu
