// Where the limits of this process stand: its control group in the unified hierarchy.
#pragma once

#include <string>
#include <vector>

namespace brio {

// Inside a container the own group is often mounted as the root, so there are two places to look, the own one first.
std::vector<std::string> control_group_directories();

}  // namespace brio
