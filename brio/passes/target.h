// The device that passes work for: what it runs and fuses. The default is a device that runs and fuses all of it.
#pragma once

#include "brio/ir/graph.h"

namespace brio {

class Target {
 public:
  virtual ~Target() = default;
  virtual bool runs(const Graph&, const Node&) const { return true; }   // it has a kernel for the node
  virtual bool fuses(const Graph&, const Node&) const { return true; }  // it can be a part of a `fused` body
  virtual bool has_narrow_rows() const { return false; }                // kernels for rows of f16 and bf16
  // It has a kernel for this fused node that is faster than the plain ops.
  virtual bool prefers(const Graph&, const Node&) const { return false; }
  // What an addition takes in a fused loop, for one element: the bytes that memory moves in the same time. Passes
  // weigh with it whether to compute a value again or to write it and read it.
  virtual double loop_op_bytes() const { return kHostLoopOpBytes; }
  // The chain of six ops on 64 MB (README) against a copy of as many bytes: 3.5 and 1.6 ms.
  static constexpr double kHostLoopOpBytes = 1.5;
  // Whether it has kernels for a fused op that the CPU runs as plain ops.
  virtual bool has_own(const OpDef&) const { return false; }
};

const Target& target();  // for the passes that run on this thread

class TargetScope {
 public:
  explicit TargetScope(const Target& target);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;

 private:
  const Target* before_;
};

}  // namespace brio
