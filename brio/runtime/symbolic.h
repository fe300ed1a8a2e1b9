// Plans for sizes that vary. Graphs that differ in nothing but sizes and numbers are a family. Its second member
// shows which of these vary: what varies alike becomes a symbol, or follows from others by the rules of the ops, and
// the passes run on the graph with that left open. Other members fill theirs in and skip the passes; one in which
// more varies has that opened, too.
//
// So it is with the host's kernels. Which kernels another device has may depend on sizes, so its passes see numbers:
// the plan for a size is the same, to the bit, whatever sizes came before. Members of a family share an arena, no
// more.
#pragma once

#include <memory>
#include <string>

#include "brio/runtime/plan.h"
#include "brio/runtime/plan_cache.h"

namespace brio {

struct MadePlan {
  std::shared_ptr<const Plan> plan;
  std::string note;  // "made from the plan for (n0, 100)", or why such a plan cannot be had; empty: nothing to say
  std::shared_ptr<SharedArena> arena;  // that of its family, if they share one
};
// As Plan::make, from the family's symbolic plan where there is one. Every plan of the runtime is made here.
MadePlan make_plan(Graph graph, Device& device, PlanOptions options = {});

// The plan of an optimised graph for sizes of its symbols: another way to a plan without the passes, for traces whose
// sizes were open from the start.
std::shared_ptr<const Plan> make_sized_plan(const Graph& optimized, std::span<const Size> sizes, Device& device,
                                            PlanOptions options = {});

// Off: every size is planned, and every function traced, by itself. BRIO_SYMBOLIC=0 does the same from outside.
void set_symbolic_plans(bool on);
bool symbolic_plans();

struct SymbolicStats {
  size_t families = 0;  // that are symbolic
  uint64_t hits = 0;    // plans that were made from one, or for sizes of a trace
  double seconds = 0;   // that these took
};
SymbolicStats symbolic_stats();
void clear_symbolic_plans();

}  // namespace brio
