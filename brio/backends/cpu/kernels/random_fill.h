// Fills arrays from a RandomStream: out[i] = number first + i of the stream, by vector instructions and, when long,
// by all threads. Words and uniforms have the bits that base/philox.h defines on every CPU; normals differ from it
// (and between instruction sets) in the last bits, but never with how the array is cut.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brio/base/philox.h"

namespace brio::cpu {

void fill_random_u32(uint32_t* out, size_t n, RandomStream stream, uint64_t first = 0);
void fill_random_u64(uint64_t* out, size_t n, RandomStream stream, uint64_t first = 0);
void fill_uniform_f32(float* out, size_t n, RandomStream stream, uint64_t first = 0);   // [0, 1)
void fill_uniform_f64(double* out, size_t n, RandomStream stream, uint64_t first = 0);  // [0, 1)
void fill_normal_f32(float* out, size_t n, RandomStream stream, uint64_t first = 0);    // mean 0, variance 1
void fill_normal_f64(double* out, size_t n, RandomStream stream, uint64_t first = 0);

}  // namespace brio::cpu
