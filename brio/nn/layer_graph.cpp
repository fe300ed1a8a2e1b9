#include "brio/nn/layer_graph.h"

#include <map>

#include "brio/base/error.h"
#include "brio/nn/functional.h"

namespace brio::nn {

std::vector<LayerCall> layer_graph(const Module& module) {
  std::vector<LayerCall> graph;
  if (const auto* functional = dynamic_cast<const FunctionalModule*>(&module)) {
    std::map<const CallNode*, std::string> names;
    std::map<std::string, int> calls;
    for (const auto& node : functional->nodes()) {
      const Layer& layer = called_layer(*node);
      LayerCall call{layer.name(), std::string(layer.module().kind())};
      if (const int before = calls[call.name]++; before > 0) call.name += cat("_call", before);
      for (const Symbol& input : node->inputs)
        if (const auto found = names.find(input.node().get()); found != names.end())
          call.inputs.push_back(found->second);
      names[node.get()] = call.name;
      graph.push_back(std::move(call));
    }
    return graph;
  }
  for (const Layer& layer : module.modules()) {
    LayerCall call{layer.name(), std::string(layer.module().kind())};
    if (!graph.empty()) call.inputs.push_back(graph.back().name);
    graph.push_back(std::move(call));
  }
  return graph;
}

}  // namespace brio::nn
