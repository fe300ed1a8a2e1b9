// The layers of a model and their connections, for drawing.
#pragma once

#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

struct LayerCall {
  std::string name, kind;
  std::vector<std::string> inputs = {};  // names of calls
};
// In the order of the calls. A functional model gives its connections; any other module gives its layers, each after
// the one before.
std::vector<LayerCall> layer_graph(const Module& module);

}  // namespace brio::nn
