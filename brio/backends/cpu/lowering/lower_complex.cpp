// Complex numbers. What works part by part (add, sub, neg, select, sum) runs as the op on real numbers, with a last
// axis of two; the rest by loops of their own over rows.
#include <algorithm>

#include "brio/backends/cpu/loops/complex_loops.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/tensor/complex.h"

namespace brio::cpu {
namespace {

DType complex_of(const NodeView& view) {
  const DType out = view.out(0).dtype;
  return is_complex(out) ? out : view.in(0).dtype;
}

// ---- part by part

Aval in_parts(const Aval& aval) {
  Aval parts{aval.shape, real_dtype(aval.dtype)};
  parts.shape.push_back(is_complex(aval.dtype) ? 2 : 1);  // a condition holds for both parts
  return parts;
}

class InParts final : public Kernel {
 public:
  explicit InParts(const NodeView& view) {
    Graph graph;
    std::vector<ValueId> in;
    for (size_t i = 0; i < view.node.in.size(); ++i) in.push_back(graph.add_input(in_parts(view.in(i))));
    const Node& node = graph.add(*view.node.op, in, view.node.attrs, {});
    graph.outputs = node.out;
    kernel_ = choose(registry(), registry().device(kDevice), {graph, node}).kernel;
    description = cat("part by part: ", kernel_->description);
  }
  size_t scratch_bytes() const override { return kernel_->scratch_bytes(); }
  bool allows_in_place(size_t in, size_t out) const override { return kernel_->allows_in_place(in, out); }
  void run(const KernelArgs& args) const override { kernel_->run(args); }

 private:
  std::unique_ptr<Kernel> kernel_;
};

Support parts_support(const NodeView& view) {
  if (!is_complex(complex_of(view))) return Support::cannot("for complex numbers");
  for (size_t i = 0; i < view.node.in.size(); ++i)
    if (view.in(i).shape.rank() == kMaxRank) return Support::cannot("no axis is left for the parts");
  return Support::can();
}

// ---- loops

class LoopKernel final : public Kernel {
 public:
  explicit LoopKernel(const NodeView& view)
      : loop_(find_complex_loop(view.node.op, complex_of(view))),
        out_size_(static_cast<int64_t>(size_of(view.out(0).dtype))) {
    const Shape& shape = view.out(0).shape;
    // Axes from the last on are one row as long as each operand is dense along them, or stays.
    count_ = view.node.in.size();
    for (size_t k = 0; k < count_; ++k) {
      sizes_[k] = static_cast<int64_t>(size_of(view.in(k).dtype));
      in_place_[k] = view.in(k).shape == shape && sizes_[k] == out_size_;
      const Strides own = row_major(view.in(k).shape);
      const int shift = shape.rank() - view.in(k).shape.rank();
      for (int i = 0; i < view.in(k).shape.rank(); ++i)
        strides_[k][i + shift] = view.in(k).shape[i] == 1 ? 0 : own[i];
    }
    outer_ = shape.rank();
    while (outer_ > 0) {
      const int64_t size = shape[outer_ - 1];
      bool joins = true;
      for (size_t k = 0; k < count_; ++k) {
        const int64_t stride = strides_[k][outer_ - 1];
        if (size != 1) joins &= row_ == 1 || stride == row_ * step_[k];
      }
      if (!joins) break;
      for (size_t k = 0; k < count_; ++k)
        if (row_ == 1 && size != 1) step_[k] = strides_[k][outer_ - 1];
      row_ *= size;
      --outer_;
    }
    for (int i = 0; i < outer_; ++i) {
      dims_[i] = shape[i];
      rows_ *= shape[i];
    }
    description = "complex loop";
  }
  bool allows_in_place(size_t in, size_t) const override { return in_place_[in]; }

  void run(const KernelArgs& args) const override {
    if (row_ == 0 || rows_ == 0) return;
    if (rows_ == 1) {
      parallel_for(row_, kGrain, [&](int64_t begin, int64_t end) { run_row(args, 0, begin, end); });
      return;
    }
    parallel_for(rows_, std::max<int64_t>(1, kGrain / row_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) run_row(args, row, 0, row_);
    });
  }

 private:
  static constexpr int64_t kGrain = 1 << 14;

  void run_row(const KernelArgs& args, int64_t row, int64_t begin, int64_t end) const {
    int64_t at[2] = {};
    for (int64_t rest = row, i = outer_ - 1; i >= 0; rest /= dims_[i], --i)
      for (size_t k = 0; k < count_; ++k) at[k] += rest % dims_[i] * strides_[k][i];
    const auto operand = [&](size_t k) {
      return static_cast<const char*>(args.in[k]) + (at[k] + begin * step_[k]) * sizes_[k];
    };
    loop_(operand(0), step_[0], count_ > 1 ? operand(1) : nullptr, step_[1],
          static_cast<char*>(args.out[0]) + (row * row_ + begin) * out_size_, end - begin);
  }

  ComplexLoop loop_;
  size_t count_;
  int64_t out_size_, sizes_[2] = {}, strides_[2][kMaxRank] = {}, dims_[kMaxRank] = {};
  int64_t step_[2] = {1, 1};  // along a row: 1, or 0 for an operand that stays
  int64_t row_ = 1, rows_ = 1;
  int outer_;  // axes that are not part of a row
  bool in_place_[2] = {};
};

Support loop_support(const NodeView& view) {
  if (is_complex(complex_of(view)) && find_complex_loop(view.node.op, complex_of(view))) return Support::can();
  return Support::cannot(cat("no complex loop for ", view.node.op->name, " on ", view.in(0).dtype));
}

}  // namespace

void add_complex_kernels(Registry& registry) {
  for (const OpDef* op : {&op::add, &op::sub, &op::neg, &op::select, &op::reduce_sum})
    registry.add(kDevice, *op, {"parts", kPriority - 1, parts_support, prepare<InParts>});
  for (const OpDef* op : {&op::mul, &op::div, &op::square, &op::abs, &op::complex, &op::real, &op::imag, &op::conj})
    registry.add(kDevice, *op, {"complex loop", kPriority - 1, loop_support, prepare<LoopKernel>});
}

}  // namespace brio::cpu
