#include "tests/ops/random_graphs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/share.h"

namespace brio::testing {
namespace {

TEST(RandomGraphsOfAllOps, PlannedUnplannedAndReferenceAgree) {
  constexpr uint64_t kFewest = 150;  // each of the table's ops ends one
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const uint64_t wanted = kFewest;
#else
  const uint64_t wanted = std::max(kFewest, test::share_of(500));
#endif
  // For so long instead, from seeds of the clock; to see a failure again, the seed that it printed.
  const char *seconds = std::getenv("BRIO_FUZZ_SECONDS"), *seed_given = std::getenv("BRIO_FUZZ_SEED");
  const auto start = std::chrono::system_clock::now();
  const uint64_t first = seed_given ? std::strtoull(seed_given, nullptr, 10)
                         : seconds  ? static_cast<uint64_t>(start.time_since_epoch().count())
                                    : 1;
  const auto over = [&](uint64_t graphs) {
    if (!seconds) return graphs == wanted;
    return std::chrono::duration<double>(std::chrono::system_clock::now() - start).count() > std::atof(seconds);
  };
  std::set<const OpDef*> drawn, fed;
  uint64_t graphs = 0;
  for (; !over(graphs); ++graphs) {
    const uint64_t seed = first + graphs;
    const size_t n = op_tests().size();
    random_graphs::Generator generator(seed);
    generator.make({&op_tests()[2 * seed % n], &op_tests()[(2 * seed + 1) % n]});
    const std::string problem = fuzz::check(generator.sample, seed, [&](const auto& actual, const auto& reference) {
      return generator.difference(actual, reference);
    });
    ASSERT_TRUE(problem.empty()) << problem;
    drawn.merge(generator.drawn);
    fed.merge(generator.fed);
  }
  std::printf("%llu graphs agree: %zu ops, %zu of them fed by others\n", static_cast<unsigned long long>(graphs),
              drawn.size(), fed.size());
  if (seconds || seed_given) return;
  for (const OpDef* op : op_table()) {
    // An effect has no result to compare and so no cases: effects_test.cpp.
    EXPECT_TRUE(drawn.contains(op) || op->kind == OpKind::effect) << op->name << " was never drawn";
  }
}

// Found by them: twelve bytes of 24 became twelve numbers of two bytes each, written over what was still to be read.
TEST(RandomGraphsOfAllOps, APartIsNotWidenedInPlace) {
  fuzz::Sample sample{Graph::parse(R"((%0: i32[24], %1: i32[12]) {
  %2 = cast %0 {dtype=u8} : u8[24]
  %3 = slice %2 {begin=[0], size=[12], stride=[1]} : u8[12]
  %4 = cast %3 {dtype=f16} : f16[12]
  %5 = gather %4, %1 {axis=0} : f16[12]
  return %5
}
)"),
                      {}};
  for (const Graph::Input& input : sample.graph.inputs) {
    Array array = Array::allocate(sample.graph.values[input.value]);
    for (int64_t i = 0; i < array.aval.shape.elements(); ++i) array.as<int32_t>()[i] = static_cast<int32_t>(i);
    sample.inputs.push_back(array);
  }
  EXPECT_EQ(
      fuzz::check(sample, 0,
                  [](const auto& actual, const auto& reference) { return fuzz::difference(actual, reference, -1); }),
      "");
}

}  // namespace
}  // namespace brio::testing
