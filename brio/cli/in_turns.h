// What a switch costs: the same work with it off and on, in turns.
#pragma once

#include <functional>
#include <string_view>

namespace brio::cli {

// Calls `set(false)` or `set(true)` before each block of calls of `iterate`, which says how many units of work it
// did; prints the medians of both, and of what the switch costs in neighbouring blocks.
void compare_in_turns(std::string_view name, const std::function<void(bool on)>& set,
                      const std::function<double()>& iterate, bool json);
void print_turns_header(std::string_view what);

}  // namespace brio::cli
