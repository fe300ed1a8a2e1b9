// The random generators of a model's layers, which are kept with a run.
#pragma once

#include <vector>

#include "brio/nn/module.h"
#include "brio/ops/random/random.h"

namespace brio::nn {

// The generators that modules own, including inner modules, each once, in a fixed order.
std::vector<Generator*> generators_of(Module& module);

}  // namespace brio::nn
