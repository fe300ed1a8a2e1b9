#include "brio/nn/random_streams.h"

#include <set>

namespace brio::nn {

std::vector<Generator*> generators_of(Module& module) {
  std::vector<Generator*> found;
  std::set<const Module*> seen;
  auto visit = [&](auto& self, Module& each) -> void {
    if (!seen.insert(&each).second) return;
    if (Generator* generator = each.own_generator()) found.push_back(generator);
    for (const Layer& inner : each.modules()) self(self, inner.module());
  };
  visit(visit, module);
  return found;
}

}  // namespace brio::nn
