// Elementwise ops, broadcasts, reductions and fused loops: all are one kernel made of text (loop.h).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/loop.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::cuda {
namespace {

std::vector<std::string> parts_of_loops() { return {"elementwise", "short_functions"}; }

// The body of a fused node, or a graph of one op.
std::shared_ptr<const Graph> body_of(const NodeView& node) {
  if (node.node.op == &op::fused) return node.node.graphs[0];
  Graph graph;
  Node inner{node.node.op, {}, {}, node.node.attrs, {}};
  for (size_t i = 0; i < node.node.in.size(); ++i) inner.in.push_back(graph.add_input(node.in(i)));
  for (size_t i = 0; i < node.node.out.size(); ++i) inner.out.push_back(graph.add_value(node.out(i)));
  graph.outputs = inner.out;
  graph.nodes.push_back(std::move(inner));
  return std::make_shared<const Graph>(std::move(graph));
}

Support supports_loop(const NodeView& node) {
  const std::string why = loop_obstacle(*body_of(node));
  return why.empty() ? Support::can() : Support::cannot(why);
}

class LoopKernel final : public CudaKernel {
 public:
  explicit LoopKernel(const NodeView& node) : device_(device_of(node)), loop_(Loop::of(body_of(node))) {
    kept_ = loop_.kept.elements();
    folded_ = loop_.folded.elements();
    if (!loop_.reductions.empty()) choose_blocks();
    code_ = code_of(loop_.vector);
    if (parts_ > 1) join_ = device_.compiler().code("join", join_text(loop_), parts_of_loops(), Effort::loop);
    for (const LoopReduction& reduction : loop_.reductions) {
      partials_.push_back(scratch_);
      if (parts_ > 1)
        scratch_ += rounded_scratch(static_cast<size_t>(parts_ * kept_) * size_of(wide_dtype(reduction.dtype)));
    }
    description = cat(loop_.reductions.empty() ? "loop"
                      : loop_.by_rows          ? "fold of rows"
                                               : "fold of columns",
                      " of ", loop_.body->nodes.size(), " ops, ", loop_.vector, " at once");
  }
  size_t scratch_needed() const override { return scratch_; }

  // Each thread reads its elements before it writes them, and nobody else reads these.
  bool allows_in_place(size_t in, size_t out) const override {
    if (!loop_.reductions.empty() || loop_.is_spread(in)) return false;
    const size_t operand = loop_.body->inputs.size() + out;  // outputs are in the node's order
    return loop_.kept.strides[in] == loop_.kept.strides[operand] &&
           size_of(loop_.operand_dtype(in)) == size_of(loop_.operand_dtype(operand));
  }

  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (kept_ == 0) return;
    const int vector = aligned(args) ? loop_.vector : 1;
    const std::shared_ptr<const Code> code = vector == loop_.vector ? code_ : code_of(1);
    Parameters p(loop_.wide);
    const size_t inputs = loop_.body->inputs.size();
    for (size_t i = 0; i < std::max<size_t>(1, inputs); ++i) p.pointer(inputs ? args.in[i] : nullptr);
    for (size_t k : loop_.elementwise_outputs) p.pointer(args.out[k]);
    if (loop_.elementwise_outputs.empty()) p.pointer(nullptr);
    if (!loop_.reductions.empty()) {
      for (const LoopReduction& reduction : loop_.reductions) p.pointer(args.out[reduction.output]);
      for (size_t offset : partials_) p.pointer(static_cast<char*>(args.scratch) + offset);
    }
    p.number(kept_);
    p.number(folded_);
    p.number(per_block_);
    for (const LoopSpread& spread : loop_.spreads) p.number(spread.last);
    for (const LoopDims* dims : {&loop_.kept, &loop_.folded}) {
      for (size_t d = 1; d < dims->sizes.size(); ++d) p.divider(dims->sizes[d]);
      if (dims->sizes.empty()) continue;
      for (size_t o = 0; o < std::max<size_t>(1, loop_.operand_count()); ++o)
        for (int64_t stride : dims->strides[o]) p.number(stride);
    }
    if (loop_.reductions.empty()) {
      const int64_t most = int64_t{16} * device_.multiprocessors();
      const Grid grid{static_cast<unsigned>(std::min<int64_t>(blocks_for(kept_, 256 * vector).x, most))};
      stream.start_packed(*code, grid, {256}, p.bytes());
      return;
    }
    const int64_t per_block = width_ * vector;
    const int64_t blocks = loop_.by_rows ? blocks_ : (kept_ + per_block - 1) / per_block;
    stream.start_packed(*code, {static_cast<unsigned>(blocks), static_cast<unsigned>(parts_)}, block_, p.bytes());
    if (!join_) return;
    Parameters j(loop_.wide);
    for (const LoopReduction& reduction : loop_.reductions) j.pointer(args.out[reduction.output]);
    for (size_t offset : partials_) j.pointer(static_cast<char*>(args.scratch) + offset);
    j.number(kept_);
    j.number(parts_);
    stream.start_packed(*join_, blocks_for(kept_, 32), {32, 32}, j.bytes());
  }

 private:
  // How results and the elements that fold into them are shared out: by the sizes alone, so that bits repeat.
  void choose_blocks() {
    constexpr int64_t kEnough = 528;  // blocks: four for each multiprocessor of a large GPU
    int64_t least = 0;                // elements that are worth a block
    if (loop_.by_rows) {
      group_ = 256;
      if (folded_ <= 1024)
        for (group_ = 1; group_ < 32 && group_ * loop_.vector < folded_; group_ *= 2) {
        }
      blocks_ = (kept_ + 256 / group_ - 1) / (256 / group_);
      block_ = {256};
      least = 4096;
    } else {
      const int64_t columns = (kept_ + loop_.vector - 1) / loop_.vector;  // of vectors
      width_ = 8;
      while (width_ < 64 && width_ < columns) width_ *= 2;
      blocks_ = (columns + width_ - 1) / width_;
      block_ = {static_cast<unsigned>(width_), static_cast<unsigned>(256 / width_)};
      least = 12 * (256 / width_);
    }
    parts_ = std::clamp<int64_t>(folded_ / least, 1, std::max<int64_t>(1, kEnough / std::max<int64_t>(1, blocks_)));
    per_block_ = (folded_ + parts_ - 1) / parts_;
    per_block_ = std::max<int64_t>(8, (per_block_ + 7) & ~int64_t{7});  // whole vectors
    parts_ = std::max<int64_t>(1, (folded_ + per_block_ - 1) / per_block_);
  }
  std::shared_ptr<const Code> code_of(int vector) const {
    std::string text = loop_.reductions.empty() ? elementwise_text(loop_, vector)
                       : loop_.by_rows          ? row_fold_text(loop_, vector, group_)
                                                : column_fold_text(loop_, vector, static_cast<int>(width_));
    const bool folds = !loop_.reductions.empty();
    return device_.compiler().code(folds ? "fold" : "loop", std::move(text), parts_of_loops(),
                                   folds ? Effort::fold : Effort::loop);
  }
  bool aligned(const KernelArgs& args) const {
    const auto fits = [&](size_t operand, const void* p) {
      if (!loop_.moves_vectors(operand, loop_.vector)) return true;
      const size_t bytes =
          std::min<size_t>(16, static_cast<size_t>(loop_.vector) * size_of(loop_.operand_dtype(operand)));
      return reinterpret_cast<uintptr_t>(p) % bytes == 0;
    };
    const size_t inputs = loop_.body->inputs.size();
    for (size_t i = 0; i < inputs; ++i)
      if (!fits(i, args.in[i])) return false;
    for (size_t k = 0; k < loop_.elementwise_outputs.size(); ++k)
      if (!fits(inputs + k, args.out[loop_.elementwise_outputs[k]])) return false;
    return true;
  }

  CudaDevice& device_;
  Loop loop_;
  int64_t kept_ = 0, folded_ = 0;
  int group_ = 1;
  int64_t width_ = 32, blocks_ = 1, parts_ = 1, per_block_ = 0;
  Grid block_;
  std::vector<size_t> partials_;
  size_t scratch_ = 0;
  std::shared_ptr<const Code> code_, join_;
};

}  // namespace

void add_loops(Kernels& kernels) {
  for (const OpDef* op : op_table())
    if (op->kind == OpKind::elementwise || op->kind == OpKind::reduction)
      kernels.add<LoopKernel>(*op, "loop", supports_loop);
  kernels.add<LoopKernel>(op::broadcast_to, "loop", supports_loop);
  kernels.add<LoopKernel>(op::fused, "loop", supports_loop);
}

}  // namespace brio::cuda
