// What the recorder costs.
#pragma once

#include <span>
#include <string_view>

namespace brio::cli {

int bench_recorder(std::span<const std::string_view> names, bool json);  // none: mlp, fit, cnn and jpeg_train

}  // namespace brio::cli
