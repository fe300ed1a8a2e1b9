// Einstein's summation, composed of diagonals, sums and at most one product per pair of operands.
//
//   einsum("bij,bjk->bik", {a, b})     // a batched product: one matmul, nothing is moved
//   einsum("...ij->...ji", {a})        // ellipsis: any axes, which broadcast among operands
//   einsum("ii", {a})                  // trace
//   einsum("ba", {a})                  // without "->" the labels that occur once remain, in alphabetical order
#pragma once

#include <span>
#include <string_view>

#include "brio/ir/tensor.h"

namespace brio {

// Labels are letters; spaces are ignored. A label has one size everywhere (only the axes of an ellipsis broadcast, as
// in TensorFlow). With three operands or more, the cheapest pair is contracted first, repeatedly.
Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands);

}  // namespace brio
