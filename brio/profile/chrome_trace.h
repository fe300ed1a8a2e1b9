// The newest steps as a trace that chrome://tracing and Perfetto show.
#pragma once

#include <cstdint>
#include <string>

namespace brio::profile {

// The steps that ended since then (ticks); 0: all that are kept.
std::string chrome_trace(uint64_t since);
// Only the events, separated by commas.
std::string trace_events(uint64_t since);

}  // namespace brio::profile
