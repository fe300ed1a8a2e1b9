// The forward pass of conv_pool_kernels.h for bf16 on processors that multiply it (AVX512-BF16): two products an
// instruction, sums in f32, half the bytes. Rounded as the kernels of f32 that stand in for it elsewhere.
#pragma once

#include <cstdint>

#include "brio/backends/cpu/convolution/conv_pool_kernels.h"

namespace brio::cpu {

// Whether the processor has these instructions and AVX-512 may be used.
bool has_bf16_products();

// Words of two neighbouring elements of a line of the filter, for each channel; behind the last of an odd number 0.
inline int64_t bf16_pairs(const ConvPoolRow& row) { return row.kernel_h * ((row.run() + 1) / 2); }
void pack_bf16_filter(const ConvPoolRow& row, const uint16_t* filter, uint32_t* packed);  // [pairs][padded_out]

// As ConvPoolFns::forward, with lines of bf16, as far apart, and a filter that is packed.
void conv_pool_bf16(const ConvPoolRow& row, const uint16_t* lines, const uint32_t* filter, const float* bias,
                    uint16_t* pooled, uint8_t* which);

}  // namespace brio::cpu
