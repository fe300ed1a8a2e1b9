// Ops that move strings (reshape, gather, concat, select, …). They are not recorded: an op whose result is strings is
// computed when it is called (docs/decisions/strings.md). It runs on the numbers of the elements instead of the
// elements, and says which string goes where.
#pragma once

#include "brio/ir/recording.h"

namespace brio {

// Is the tensor's value there, or will it be without a function being called? While one is traced it may not.
bool is_known_now(const Tensor& tensor);

// For what gives strings: throws InvalidArgument in the name of `what` unless the tensor's value is there.
void check_known_now(std::string_view what, const Tensor& tensor);

Tensor move_strings(const OpDef& op, std::span<TensorImpl* const> in, std::span<const int64_t> attrs);

}  // namespace brio
