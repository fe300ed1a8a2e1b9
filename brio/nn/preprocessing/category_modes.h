// The forms in which layers return categories: numbers, or rows that show which numbers occur.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "brio/nn/module.h"

namespace brio::nn {

// Throws InvalidArgument unless `mode` is one of these modes.
void check_category_mode(const Module& module, std::string_view mode, std::initializer_list<std::string_view> modes);

// Numbers as rows of `depth`: one_hot, multi_hot or count. Numbers outside are ignored.
Tensor encoded_categories(const Tensor& numbers, std::string_view mode, int64_t depth, DType dtype,
                          const Tensor& weights = {});

}  // namespace brio::nn
