// Random graphs of all ops go to text as saved traces and come back with the same bits. An op that cannot be saved is
// named here.
#include <gtest/gtest.h>

#include <random>

#include "brio/runtime/saved_trace.h"
#include "tests/ops/random_graphs.h"
#include "tests/share.h"

namespace brio::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kChanges = 6;
#else
constexpr uint64_t kChanges = 40;
#endif

bool has_host_code(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return std::ranges::any_of(node.graphs, [](const auto& body) { return body->host || has_host_code(*body); });
  });
}

// The outputs of a trace, byte for byte.
std::string bits_of(const SavedTrace& trace, const std::vector<Tensor>& arguments) {
  std::string bits;
  for (const Tensor& result : trace.call(arguments)) {
    const Array& array = result.array();
    bits += format_aval(array.aval);
    if (array.aval.bytes() != 0) bits.append(static_cast<const char*>(data_of(result)), array.aval.bytes());
  }
  return bits;
}

struct Saved {
  TracedGraph traced;
  std::vector<Tensor> arguments;
};

// A graph that ends with a node of this test's op.
Saved random_trace(uint64_t seed) {
  random_graphs::Generator generator(seed);
  generator.make({&op_tests()[seed % op_tests().size()]});
  Saved made;
  made.traced.graph = generator.sample.graph;
  Graph& graph = made.traced.graph;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    graph.inputs[i].donated = false;
    made.traced.arguments.push_back(graph.values[graph.inputs[i].value]);
    made.arguments.push_back(Tensor(generator.sample.inputs[i]));
  }
  made.traced.results = graph.outputs.size();
  return made;
}

TEST(SavedGraphsOfAllOps, ComeBackWithTheSameBits) {
  std::set<const OpDef*> saved, refused;
  for (uint64_t seed = 1; seed <= 2 * op_tests().size(); ++seed) {
    const auto [traced, arguments] = random_trace(seed);
    std::vector<Tensor> constants;
    if (has_host_code(traced.graph)) {
      EXPECT_THROW(SavedTrace(traced).write({}, constants), InvalidArgument);
      for (const Node& node : traced.graph.nodes)
        if (!node.graphs.empty() && node.graphs[0]->host) refused.insert(node.op);
      continue;
    }
    const SavedTrace trace(traced);
    const std::string text = trace.write({}, constants);
    const SavedTrace again = SavedTrace::read(text, {}, constants);
    ASSERT_EQ(again.write({}, constants), text);
    ASSERT_EQ(bits_of(again, arguments), bits_of(trace, arguments)) << "seed " << seed << "\n" << text;
    for (const Node& node : traced.graph.nodes) saved.insert(node.op);
  }
  for (const OpDef* op : op_table()) {
    // Effects: SavedTrace.KeepsEffects. Code of the host is not part of a graph.
    EXPECT_TRUE(saved.contains(op) || refused.contains(op) || op->kind == OpKind::effect)
        << op->name << " is in no graph that was saved";
  }
  EXPECT_EQ(refused.size(), 1u) << "ops with code of the host that is computed with: pure_host_call alone";
}

bool quickly_run(const Graph& graph) {
  constexpr size_t kMostBytes = 1 << 20;
  size_t bytes = 0;
  for (const Aval& aval : graph.values) {
    if (aval.shape.elements() > static_cast<int64_t>(kMostBytes)) return false;
    bytes += aval.bytes();
  }
  // A loop may go on for ever.
  return bytes < kMostBytes &&
         std::ranges::none_of(graph.nodes, [](const Node& node) { return !node.graphs.empty(); });
}

// A file may hold any attributes: they are refused, or can be run.
TEST(SavedGraphsOfAllOps, NoAttributesOfAFileCrash) {
  constexpr std::string_view kNumbers[] = {
      "-1", "0", "1", "2", "7", "-9223372036854775808", "9223372036854775807", "4294967296"};
  std::mt19937_64 random(5);
  size_t tried = 0, accepted = 0, refused = 0;
  for (uint64_t seed = 1; seed <= op_tests().size(); ++seed) {
    const auto [traced, arguments] = random_trace(seed);
    if (has_host_code(traced.graph)) continue;
    std::vector<Tensor> constants;
    const std::string text = SavedTrace(traced).write({}, constants);
    std::vector<std::pair<size_t, size_t>> numbers;  // in attributes
    const size_t graph = text.find("\ngraph\n");
    for (size_t i = graph; i < text.size(); ++i) {
      if ((text[i - 1] != '=' && text[i - 1] != '[' && text[i - 1] != ',') || !std::isdigit(text[i])) continue;
      const size_t end = text.find_first_not_of("0123456789", i);
      numbers.emplace_back(i, end - i);
      i = end;
    }
    for (uint64_t n = 0; n < test::share_of(kChanges) && !numbers.empty(); ++n) {
      const auto [at, size] = numbers[random() % numbers.size()];
      std::string changed = text;
      changed.replace(at, size, kNumbers[random() % std::size(kNumbers)]);
      ++tried;
      try {
        const SavedTrace read = SavedTrace::read(changed, {}, constants);
        ++accepted;
        if (!quickly_run(Graph::parse(std::string_view(changed).substr(changed.find("\ngraph\n") + 7)))) continue;
        (void)bits_of(read, arguments);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, tried / 20);
  EXPECT_GT(refused, tried / 2);
}

}  // namespace
}  // namespace brio::testing
