// The passes that turn a recorded graph into an efficient one, as one list. Each has a name, an off-switch and a
// timer. The verifier runs after a pass that changed something.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/graph.h"

namespace brio {

struct Pass {
  std::string_view name;
  std::string_view summary;
  bool (*run)(Graph& graph);  // false: the graph did not change
};
std::span<const Pass> pipeline();

// Runs every enabled pass in order.
void optimize(Graph& graph);

// The environment variable BRIO_DISABLE_PASSES=name,name does the same. Throws InvalidArgument for an unknown name.
void set_pass_enabled(std::string_view name, bool enabled);
bool pass_enabled(std::string_view name);

// The verifier runs after each pass that changed something. In a release build it can be switched off for planning
// large graphs (BRIO_VERIFY=0).
void set_verify_passes(bool on);

struct PassTime {
  std::string_view name;
  uint64_t runs, nanoseconds;
};
std::vector<PassTime> pass_times();

// The passes.
bool expand_composites(Graph& graph);
bool simplify(Graph& graph);
bool fold_constants(Graph& graph);
bool merge_equal(Graph& graph);
bool drop_dead(Graph& graph);
bool keep_indexed(Graph& graph);
bool fuse_epilogues(Graph& graph);
bool merge_losses(Graph& graph);
bool share_attention(Graph& graph);
bool merge_moments(Graph& graph);
bool merge_casts(Graph& graph);
bool read_before_reshapes(Graph& graph);
bool add_residuals(Graph& graph);
bool merge_padding(Graph& graph);
bool fuse_pooling(Graph& graph);
bool narrow_rows(Graph& graph);
bool fuse_elementwise(Graph& graph);
bool join_views(Graph& graph);
bool order_checks(Graph& graph);

// Computes a node whose inputs are scalar constants; `runtime` registers it. Returns the bits of the output.
using ConstantEvaluator = uint64_t (*)(const OpDef& op, std::span<const Aval> in, std::span<const uint64_t> bits,
                                       std::span<const int64_t> attrs);
void set_constant_evaluator(ConstantEvaluator evaluator);

// For each value that depends only on constants and holds one number throughout: the bits of that number. `constants`
// are the bits of the constant nodes, in their order.
std::vector<std::optional<uint64_t>> uniform_values(const Graph& graph, std::span<const uint64_t> constants);

}  // namespace brio
