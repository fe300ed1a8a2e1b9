// Elementwise kernels over dense arrays, chosen by the op table's name and the dtypes. One kernel does one
// operation and rounds its result; chains of them are run tile by tile by TileKernel (tile_program.h).
//
//   TileFn add = find_tile_fn("add", f32, f32);
//   add(out, a, b, nullptr, n);
//
// What the names mean where languages differ:
//   max, min        NaN when either operand is; relu(NaN) is NaN, sign(NaN) is NaN
//   floor_div, mod  Python's: the remainder has the divisor's sign; an integer division by zero yields 0
//   div             floats only
//   pow             of integers wraps; a negative exponent yields the power truncated toward 0 (0 to it is 0)
//   round           half to even
//   cast            float to integer truncates; out of range it gives the nearest end, NaN gives 0; to bool
//                   is x != 0;
//                   integer to integer wraps
//   integers wrap; f16 and bf16 compute in f32 and round after every operation; bool is a byte that is 0 or 1
#pragma once

#include <cstddef>
#include <string_view>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// out[i] = f(a[i], b[i], c[i]) over n dense elements; unused sources are null. out may equal a source
// exactly.
using TileFn = void (*)(void* out, const void* a, const void* b, const void* c, size_t n);

// The kernel for an operation, for the instruction set in use now, or nullptr when there is none. `in` is the
// dtype of the operands that carry values (for select, of its branches b and c: its condition, source a, is
// bool), `out` that of the result.
TileFn find_tile_fn(std::string_view op, DType in, DType out);

// Rough nanoseconds per element of a kernel that find_tile_fn returned, to decide whether threads are worth
// it.
double tile_fn_cost(TileFn fn);

}  // namespace brio::cpu
