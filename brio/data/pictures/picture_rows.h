// Rows of pictures while they are in the cache: arithmetic on their numbers, and conversion to bytes and back. Each
// number is rounded after each step, as recorded ops round it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brio::data {

void scale_row(float* row, float by, size_t n);                                         // x * by
void multiply_add_row(float* row, const float* factor, const float* offset, size_t n);  // x * factor + offset
void normalize_row(float* row, const float* mean, const float* deviation, size_t n);    // (x - mean) / deviation
void round_row(float* row, size_t n);                        // to whole numbers from 0 to 255, halves upwards
void bytes_of_row(const float* row, uint8_t* to, size_t n);  // of whole numbers from 0 to 255
void floats_of_row(const uint8_t* row, float* to, size_t n);

}  // namespace brio::data
