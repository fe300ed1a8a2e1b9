// The layers that a config can name.
#pragma once

#include <span>
#include <string_view>

#include "brio/nn/module.h"

namespace brio::nn {

struct LayerKind {
  std::string_view kind;  // Keras' class name
  Layer (*make)(Fields&);
};
std::span<const LayerKind> layer_kinds();

}  // namespace brio::nn
