// The host code of layers in files: it is made again from the config of a layer that has it.
#pragma once

#include <functional>
#include <string>

#include "brio/nn/config.h"

namespace brio::nn {

// HostCode::recipe for code of the layer that `make` makes.
template <typename Make>
std::function<std::string()> recipe_of(Make make) {
  return [make = std::move(make)] { return "layer " + to_json(make()); };
}

}  // namespace brio::nn
