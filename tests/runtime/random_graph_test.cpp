#include "tests/fuzz/random_graph.h"

#include <gtest/gtest.h>

#include "tests/share.h"

namespace brio {
namespace {

TEST(RandomGraphs, PlannedUnplannedAndReferenceAgree) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr uint64_t kGraphs = 1000;  // an instrumented build is some twenty times slower; `make fuzz` has no bound
#else
  constexpr uint64_t kGraphs = 10000;
#endif
  const uint64_t graphs = test::share_of(kGraphs);
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    const std::string problem = fuzz::check(seed);
    ASSERT_TRUE(problem.empty()) << problem;
  }
}

}  // namespace
}  // namespace brio
