#include "brio/data/engine/options_node.h"

#include "brio/base/error.h"

namespace brio::data {

Options options_of(const Node& node) {
  if (const auto* here = dynamic_cast<const OptionsNode*>(&node)) return here->options();
  const std::vector<const Node*> inputs = node.inputs();
  return inputs.empty() ? Options() : options_of(*inputs[0]);
}

Dataset Dataset::with_options(Options options) const {
  if (options.cpu_budget < 0 || options.cpu_budget > 1024)
    throw InvalidArgument(cat("[with_options] cpu_budget is ", options.cpu_budget, "; it must be from 0 to 1024"));
  if (options.ram_budget < 0)
    throw InvalidArgument(cat("[with_options] ram_budget is ", options.ram_budget, " bytes; it must be 0 or more"));
  if (!(options.restore_seconds > 0))
    throw InvalidArgument(cat("[with_options] restore_seconds is ", options.restore_seconds, "; it must be above 0"));
  return Dataset(std::make_shared<OptionsNode>(node_, options));
}

}  // namespace brio::data
