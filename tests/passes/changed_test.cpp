// A pass says whether it changed the graph: the verifier looks only at what changed.
#include <gtest/gtest.h>

#include "brio/passes/pipeline.h"
#include "tests/fuzz/random_graph.h"
#include "tests/passes/pass_text.h"

namespace brio {
namespace {

// The names of passes that changed what they said they had left alone; counts those that said so.
std::string untrue(Graph graph, size_t& unchanged) {
  std::string names;
  for (const Pass& pass : pipeline()) {
    const std::string before = graph.str();
    if (pass.run(graph)) continue;
    ++unchanged;
    if (graph.str() != before) names += cat(pass.name, "\n", before, graph.str());
  }
  return names;
}

TEST(Changed, IsWhatPassesSay) {
  register_runtime();
  const OwnKernels all;
  size_t unchanged = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Graph graph = fuzz::Generator(seed).make().graph;
    EXPECT_EQ(untrue(graph, unchanged), "") << "seed " << seed;
    const TargetScope scope(all);
    EXPECT_EQ(untrue(graph, unchanged), "") << "seed " << seed << ", with kernels for all fused ops";
  }
  EXPECT_GT(unchanged, 300 * pipeline().size() / 2);
}

}  // namespace
}  // namespace brio
