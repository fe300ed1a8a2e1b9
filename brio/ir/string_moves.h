// Ops that move strings (reshape, gather, concat, select, …). They are not recorded: an op whose result is strings is
// computed when it is called (docs/decisions/strings.md). It runs on the numbers of the elements instead of the
// elements. The result says which string goes where.
#pragma once

#include "brio/ir/recording.h"

namespace brio {

// Whether the value is there, or can be had without calling a function. While a function is traced it may not be.
bool is_known_now(const Tensor& tensor);

// For functions that return strings: throws InvalidArgument in the name of `what` unless the value is there.
void check_known_now(std::string_view what, const Tensor& tensor);

Tensor move_strings(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs);

}  // namespace brio
