// For whom passes work: what a device runs and fuses. Without a word that is the CPU, which does all of it.
#pragma once

#include "brio/ir/graph.h"

namespace brio {

class Target {
 public:
  virtual ~Target() = default;
  virtual bool runs(const Graph&, const Node&) const { return true; }   // it has a kernel for the node
  virtual bool fuses(const Graph&, const Node&) const { return true; }  // as a part of a `fused` body
  virtual bool has_narrow_rows() const { return false; }                // kernels for rows of f16 and bf16
  // It has a kernel for this fused node that is faster than the plain ops.
  virtual bool prefers(const Graph&, const Node&) const { return false; }
  // Kernels of its own for a fused op that the CPU runs as plain ops?
  virtual bool has_own(const OpDef&) const { return false; }
};

const Target& target();  // of the passes that run on this thread

class TargetScope {
 public:
  explicit TargetScope(const Target& target);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;

 private:
  const Target* before_;
};

}  // namespace brio
