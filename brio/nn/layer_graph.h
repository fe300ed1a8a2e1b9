// The layers of a model and how they are connected, for those who draw it.
#pragma once

#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

struct LayerCall {
  std::string name, kind;
  std::vector<std::string> inputs = {};  // names of calls
};
// In the order of calling. Of a functional model as it is connected; of any other module its layers, each after the
// one before.
std::vector<LayerCall> layer_graph(const Module& module);

}  // namespace brio::nn
