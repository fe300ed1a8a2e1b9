// A trace of a function for files. Sizes of its arguments may be unknown: a call fills them in and records the ops.
//
//   const SavedTrace trace = SavedTrace::of(f, {{{-1, 3}, f32}});
//   std::vector<Tensor> constants;  // they go to a file of their own
//   const std::string text = trace.write(variables, constants);
//   SavedTrace::read(text, variables, constants).call({x});
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ops/control/body_variables.h"
#include "brio/runtime/traced_graph.h"

namespace brio {

struct SizedAs {
  std::vector<int64_t> dims;  // -1: unknown
  DType dtype;
};

// The memory of a captured tensor. Host numbers have no array.
inline const void* data_of(const Tensor& captured) {
  (void)captured.array();
  return captured.impl()->data();
}

class SavedTrace {
 public:
  // Throws InvalidArgument if the trace cannot be saved, because it calls code of the host, or is not one graph for
  // all unknown sizes.
  static SavedTrace of(const BodyFn& body, std::span<const SizedAs> arguments);
  explicit SavedTrace(TracedGraph trace);

  // Throws InvalidArgument if it calls code of the host. Variables are written as positions in `variables`; large
  // tensors are added to `constants`.
  std::string write(std::span<const VariableRef> variables, std::vector<Tensor>& constants) const;
  // The file is not trusted: throws InvalidArgument, with the line, for text that write() has not written.
  static SavedTrace read(std::string_view text, std::span<const VariableRef> variables,
                         std::span<const Tensor> constants);

  // Records the ops. Throws InvalidArgument for arguments that do not fit arguments().
  std::vector<Tensor> call(std::span<const Tensor> arguments) const;

  std::vector<SizedAs> arguments() const;
  std::vector<SizedAs> results() const;
  std::vector<VariableRef> variables() const;
  const TracedGraph& traced() const { return trace_; }
  // The layer in which each op was recorded, "mlp/dense_1"; empty for a trace that was read.
  const std::vector<std::string>& places() const { return places_; }

 private:
  friend class TraceReader;
  SavedTrace() = default;
  static void refuse_host_code(const Graph& graph);

  TracedGraph trace_;
  std::vector<std::string> places_;
};

}  // namespace brio
