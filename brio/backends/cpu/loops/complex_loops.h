// Loops over complex numbers, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "brio/ir/op.h"

namespace brio::cpu {

// out[i] = f(a[i·a_step], b[i·b_step]) for i < n, steps 0 or 1; `b` only where the op has two operands. `out` may be
// an operand of equal element size and step 1.
using ComplexLoop = void (*)(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n);

// `dtype` is the complex one of operands and result. Null: there is no loop for the op.
ComplexLoop find_complex_loop(const OpDef* op, DType dtype);

}  // namespace brio::cpu
