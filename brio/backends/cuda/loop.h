// A loop over elements: elementwise ops and reductions over one space, as one kernel whose text is made from the body
// of a `fused` node, or from a single op. The text depends on the ops, the dtypes and on how operands lie, not on
// sizes: those are parameters, so that another size is no other kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "brio/ir/graph.h"

namespace brio::cuda {

// The dims of a space, merged as far as all operands allow, and every operand's strides in them.
struct LoopDims {
  std::vector<int64_t> sizes;                 // outermost first; none is 1
  std::vector<std::vector<int64_t>> strides;  // per operand
  int64_t elements() const;
};

struct LoopReduction {
  ValueId value;          // that is reduced
  size_t output;          // of the kernel
  std::string_view fold;  // "Sum"
  DType dtype;
};

// A table that is read as rows and their places (ops/indexing/indexed_rows.h): two inputs, and the last row.
struct LoopSpread {
  size_t rows, places;
  int64_t last;
};

// What is settled before any text is written.
struct Loop {
  std::shared_ptr<const Graph> body;
  Shape space;
  uint32_t reduced = 0;                     // mask of axes
  std::vector<size_t> elementwise_outputs;  // of the kernel
  std::vector<LoopReduction> reductions;
  std::vector<LoopSpread> spreads;
  // Operands: the inputs, then the elementwise outputs. Without reductions all dims are kept.
  LoopDims kept, folded;
  bool by_rows = false;  // the innermost elements are folded
  bool wide = false;     // indices of 64 bits
  int vector = 1;        // elements that a thread moves at once

  static Loop of(std::shared_ptr<const Graph> body);
  size_t operand_count() const { return body->inputs.size() + elementwise_outputs.size(); }
  DType operand_dtype(size_t i) const;
  bool is_spread(size_t operand) const;  // rows or places of one
  // The dims whose innermost one neighbouring threads, and the elements of a vector, walk along.
  const LoopDims& inner() const { return reductions.empty() || !by_rows ? kept : folded; }
  // Read or written `vector` elements at a time: their addresses have to be multiples of that.
  bool moves_vectors(size_t operand, int of) const;
};

// Why these nodes are no loop for this backend; empty when they are.
std::string loop_obstacle(const Graph& body);
std::string node_obstacle(const Graph& graph, const Node& node);  // of one of them

// The kernels' texts; see lower_loops.cpp for their parameters.
std::string elementwise_text(const Loop& loop, int vector);
// `group` threads fold one result; they are neighbours within the folded elements.
std::string row_fold_text(const Loop& loop, int vector, int group);
// `width` neighbouring threads have `vector` results each, 256 / width fold one result.
std::string column_fold_text(const Loop& loop, int vector, int width);
// Joins the partial results of several blocks: blocks of 32 × 8 threads.
std::string join_text(const Loop& loop);

}  // namespace brio::cuda
