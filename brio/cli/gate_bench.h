// What the gate of fit(on_bad_number) costs.
#pragma once

#include <span>
#include <string_view>

namespace brio::cli {

int bench_gate(std::span<const std::string_view> names, bool json);  // none: all
}
