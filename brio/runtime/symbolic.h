// Plans for a size that varies. Graphs that differ in nothing but sizes are a family; when three of them were planned
// and every size of theirs, before and after the passes, is a + b·N for one N (the batch, as a rule), the family is
// symbolic: another N takes the optimised graph with its sizes filled in, and skips the passes.
#pragma once

#include <memory>
#include <string>

#include "brio/runtime/plan.h"

namespace brio {

struct MadePlan {
  std::shared_ptr<const Plan> plan;
  std::string note;  // "made from the plan for (N, 100)", or why such a plan cannot be had; empty: nothing to say
};
// As Plan::make, from the family's symbolic plan where there is one. Every plan of the runtime is made here.
MadePlan make_plan(Graph graph, Device& device);

// BRIO_SYMBOLIC=0 does the same from outside.
void set_symbolic_plans(bool on);

struct SymbolicStats {
  size_t families = 0;  // that are symbolic
  uint64_t hits = 0;    // plans that were made from one
};
SymbolicStats symbolic_stats();
void clear_symbolic_plans();

}  // namespace brio
