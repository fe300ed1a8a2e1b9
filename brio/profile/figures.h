// Figures in readable form.
#pragma once

#include <string>

namespace brio::profile {

std::string percent(double share);
std::string duration(double seconds);
std::string size_text(double bytes);

}  // namespace brio::profile
