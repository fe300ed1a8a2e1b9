#include "brio/data/engine/seeds.h"

#include "brio/ops/random/random.h"

namespace brio::data {

uint64_t seed_or_new(const std::optional<uint64_t>& seed) {
  if (seed) return *seed;
  const Generator::State state = random::generator().advance(1);
  return RandomStream{state.seed, state.counter}.u64(0);
}

}  // namespace brio::data
