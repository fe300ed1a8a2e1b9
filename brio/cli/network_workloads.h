// Training steps of whole networks as workloads; bench/README.md defines each.
#pragma once

#include "brio/cli/workloads.h"

namespace brio::cli {

// A network of `make bench` by its name: "cnn", "separable_bf16", … The first iteration plans the step.
Work make_network(std::string_view name);

}  // namespace brio::cli
