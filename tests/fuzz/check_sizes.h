// Random graphs with unknown sizes. Traced with these left open and filled in afterwards, and planned as members of
// one family, a graph must give for ten sets of sizes the bits that it gives when it is built and planned for these
// alone.
#pragma once

#include "brio/ir/outline.h"
#include "brio/ir/sizes.h"
#include "brio/runtime/symbolic.h"
#include "brio/runtime/traced_graph.h"
#include "tests/fuzz/random_graph.h"

namespace brio::fuzz {

// The graph built with numbers, node by node, and inputs of these sizes; none where that is no graph, or a large one.
inline std::optional<Sample> built(const Graph& open, std::span<const Size> sizes, std::mt19937_64& random) {
  constexpr int64_t kMostElements = 1 << 14;
  Sample result;
  try {
    for (const Graph::Input& input : open.inputs)
      result.graph.add_input(sized(open.values[input.value], sizes), input.donated);
    for (const Node& node : open.nodes) {
      std::vector<int64_t> attrs = node.attrs;
      for_each_word(
          node, std::span(attrs), [](int64_t) {}, [&](int64_t& word) { word = Size::of_word(word).at(sizes).word(); },
          [](int64_t) {});
      std::vector<std::shared_ptr<const Graph>> bodies;
      for (const auto& body : node.graphs) bodies.push_back(intern(with_sizes(*body, sizes)));
      result.graph.add(*node.op, node.in, std::move(attrs), std::move(bodies));
    }
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
  for (const Aval& aval : result.graph.values)
    if (aval.shape.elements() > kMostElements) return std::nullopt;
  for (const Graph::Input& input : result.graph.inputs)
    result.inputs.push_back(random_array(result.graph.values[input.value], random));
  result.graph.outputs = open.outputs;
  return result;
}

// Sizes of every kind: none, one, equal ones, primes, and now and then a large one.
inline std::vector<Size> random_sizes(size_t count, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 4, 5, 6, 7, 11, 13, 16, 17, 23, 32, 33};
  std::vector<Size> sizes(count);
  for (Size& size : sizes) size = kSizes[below(std::size(kSizes))];
  if (below(3) == 0) std::ranges::fill(sizes, sizes[0]);
  if (below(12) == 0) sizes[below(count)] = static_cast<int64_t>(100 + below(901));
  return sizes;
}

struct SizesChecked {
  std::string problem;  // empty: none
  size_t open = 0;      // sets of sizes for which the one trace was run
};

inline SizesChecked check_sizes(uint64_t seed) {
  constexpr size_t kSets = 10, kMostTries = 40;
  const Sample sample = Generator::open(seed, static_cast<int>(1 + seed % 3));
  const Graph& graph = sample.graph;
  std::mt19937_64 random(seed);
  Device& device = registry().host();
  clear_symbolic_plans();
  SizesChecked checked;
  std::vector<Size> sizes;
  try {
    std::vector<Aval> arguments;
    for (const Graph::Input& input : graph.inputs) arguments.push_back(graph.values[input.value]);
    TracedGraph trace = trace_graph([&](const std::vector<Tensor>& in) { return replay(graph, in); }, arguments);
    for (size_t i = 0; i < graph.inputs.size(); ++i) trace.graph.inputs[i].donated = graph.inputs[i].donated;
    if (Graph::parse(trace.graph.str()).str() != trace.graph.str()) throw InternalError("text is read differently");
    Graph optimized = trace.graph;
    optimize(optimized);
    std::vector<std::vector<Size>> seen;
    const uint32_t symbols = count_symbols(graph);
    for (size_t tries = 0; symbols && checked.open < kSets && tries < kMostTries; ++tries) {
      sizes = random_sizes(symbols, random);
      if (std::ranges::find(seen, sizes) != seen.end()) continue;
      seen.push_back(sizes);
      const auto concrete = built(graph, sizes, random);
      if (!concrete) continue;
      const std::vector<Array> expected = run(Plan::make(concrete->graph, device), *concrete);
      const MadePlan made = make_plan(concrete->graph, device);
      if (auto p = difference(run(made.plan, *concrete), expected, -1); !p.empty())
        throw InternalError(cat("in its family: ", made.note, ": ", p, concrete->graph.str()));
      std::vector<Tensor> given(concrete->inputs.begin(), concrete->inputs.end());
      const auto bound = bind_symbols(trace.arguments, given);
      if (!bound) continue;  // sizes that the trace takes for equal are not: such arguments get a trace of their own
      if (auto p = difference(run(make_sized_plan(optimized, *bound, device), *concrete), expected, -1); !p.empty())
        throw InternalError(cat("traced with open sizes: ", p));
      ++checked.open;
    }
  } catch (const std::exception& error) {
    std::string text;
    for (const Size size : sizes) text += cat(" ", size);
    checked.problem = cat("seed ", seed, ": sizes", text, ": ", error.what(), "\n", graph.str());
  }
  return checked;
}

}  // namespace brio::fuzz
