// Seeds and random numbers of steps: pure functions of a step's seed, the epoch and the element.
#pragma once

#include <optional>

#include "brio/data/engine/stage.h"

namespace brio::data {

// The given seed, or one drawn from the program's generator.
uint64_t seed_or_new(const std::optional<uint64_t>& seed);

// The numbers of one element: a stream that no other element, epoch or step shares.
inline RandomStream stream_of(uint64_t seed, uint64_t epoch, uint64_t index) {
  return {seed + epoch * 0x9E3779B97F4A7C15ull, index};
}
inline RandomStream stream_of(uint64_t seed, const Ticket& ticket) {
  return stream_of(seed, ticket.epoch, static_cast<uint64_t>(ticket.index));
}

}  // namespace brio::data
