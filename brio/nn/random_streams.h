// What the layers of a model draw from, to be kept with a run.
#pragma once

#include <vector>

#include "brio/nn/module.h"
#include "brio/ops/random/random.h"

namespace brio::nn {

// The generators that modules have of their own, of those inside too, each once, in a fixed order.
std::vector<Generator*> generators_of(Module& module);

}  // namespace brio::nn
