// Bytes as people read them: "12.3 MB".
#pragma once

#include <string>

namespace brio {

std::string shown_bytes(double bytes);

}  // namespace brio
