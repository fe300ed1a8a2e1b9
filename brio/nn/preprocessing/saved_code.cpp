#include "brio/nn/preprocessing/saved_code.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/control/effects.h"

namespace brio::nn {
namespace {

// A file is not trusted: it names no other layers than those that have such code.
Tensor call_layer_again(std::string_view config, std::span<const Tensor> inputs) {
  const Layer layer = layer_from_json(config);
  const std::string_view kind = layer.module().kind();
  constexpr std::string_view kKinds[] = {"Hashing", "IntegerLookup", "StringLookup", "TextVectorization"};
  if (std::ranges::find(kKinds, kind) == std::end(kKinds))
    throw InvalidArgument(cat("[saved function] a ", kind, " has no code of the host"));
  if (inputs.size() != 1)
    throw InvalidArgument(cat("[saved function] a ", kind, " takes one input, but got ", inputs.size()));
  return layer(inputs[0]);
}

[[maybe_unused]] const bool layers_registered = (register_host_call("layer", call_layer_again), true);

}  // namespace
}  // namespace brio::nn
