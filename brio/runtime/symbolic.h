// Plans for sizes that vary. Graphs that differ only in sizes and numbers are a family. The second member of a family
// shows which of these vary. Sizes that vary alike become a symbol, or follow from others by the rules of the ops,
// and the passes run on the graph with these sizes left open. Further members fill in their sizes and skip the
// passes. If more sizes vary in a member, these are left open, too.
//
// This is how it works for the host's kernels. On another device the set of kernels may depend on sizes, so its
// passes see numbers: the plan for a size is the same, to the bit, whatever sizes came before. Members of a family
// share only an arena there.
#pragma once

#include <memory>
#include <string>

#include "brio/runtime/plan.h"
#include "brio/runtime/plan_cache.h"

namespace brio {

struct MadePlan {
  std::shared_ptr<const Plan> plan;
  std::string note;  // "made from the plan for (n0, 100)", or why there is no such plan; empty: no note
  std::shared_ptr<SharedArena> arena;  // the arena of its family, if the family shares one
};
// As Plan::make, but from the family's symbolic plan if there is one. Every plan of the runtime is made here.
MadePlan make_plan(Graph graph, Device& device, PlanOptions options = {});

// The plan of an optimised graph for given sizes of its symbols, without running the passes again: for traces whose
// sizes were open from the start.
std::shared_ptr<const Plan> make_sized_plan(const Graph& optimized, std::span<const Size> sizes, Device& device,
                                            PlanOptions options = {});

// If off, each size is planned, and each function traced, separately. BRIO_SYMBOLIC=0 switches it off from outside.
void set_symbolic_plans(bool on);
bool symbolic_plans();

struct SymbolicStats {
  size_t families = 0;  // symbolic ones
  uint64_t hits = 0;    // plans that were made from a symbolic one, or for sizes of a trace
  double seconds = 0;   // the time for making these
};
SymbolicStats symbolic_stats();
void clear_symbolic_plans();

}  // namespace brio
