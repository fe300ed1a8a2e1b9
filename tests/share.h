// How many of so many random cases to draw. A program that runs again under other settings draws a share of them
// (BRIO_TEST_SHARE, see cmake/BrioTests.cmake): the first run has drawn them all.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace brio::test {

inline uint64_t share_of(uint64_t cases) {
  const char* share = std::getenv("BRIO_TEST_SHARE");
  return share ? static_cast<uint64_t>(std::ceil(static_cast<double>(cases) * std::atof(share))) : cases;
}

}  // namespace brio::test
