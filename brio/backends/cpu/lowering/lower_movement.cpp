// transpose, slice, concat, pad, gather, scatter_add, one_hot and resample: the movement kernels.
#include <algorithm>

#include "brio/backends/cpu/kernels/movement.h"
#include "brio/backends/cpu/kernels/resample_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/image/resample.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/sliced_axis.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/complex.h"

namespace brio::cpu {
namespace {

std::vector<int64_t> dims_of(const Shape& shape) { return {shape.begin(), shape.end()}; }
std::vector<int64_t> strides_of(const Shape& shape) {
  const Strides strides = row_major(shape);
  return {strides.s, strides.s + shape.rank()};
}

// Elements of an array at strides, from a first one on.
struct View {
  int64_t start = 0;
  std::vector<int64_t> strides;

  explicit View(const Shape& shape) : strides(strides_of(shape)) {}
  // As a view op shows it.
  void pass(const Node& node, const Shape& in, const Shape& out) {
    const Attrs attrs(node.attrs);
    const std::vector<int64_t> own = std::move(strides);
    strides.clear();
    if (node.op == &op::transpose) {
      for (int64_t axis : attrs.list(0)) strides.push_back(own[static_cast<size_t>(axis)]);
    } else if (node.op == &op::slice) {
      for (size_t i = 0; i < own.size(); ++i) {
        const SlicedAxis axis = sliced_axis(attrs, i);
        start += axis.begin * own[i];
        strides.push_back(axis.stride * own[i]);
      }
    } else {
      BRIO_CHECK(node.op == &op::broadcast_to, "no view: ", node.op->name);
      const int shift = out.rank() - in.rank();
      for (int i = 0; i < out.rank(); ++i)
        strides.push_back(i < shift || in[i - shift] == 1 ? 0 : own[static_cast<size_t>(i - shift)]);
    }
  }
};

// One strided copy from an offset of the input: a transpose, a slice or a broadcast.
class CopyKernel final : public Kernel {
 public:
  explicit CopyKernel(const NodeView& view) : copy_(make(view, start_)) { description = copy_.kernel(); }
  void run(const KernelArgs& args) const override {
    copy_.run(static_cast<const char*>(args.in[0]) + start_, args.out[0]);
  }

 private:
  static StridedCopy make(const NodeView& view, int64_t& start) {
    const Shape &in = view.in(0).shape, &out = view.out(0).shape;
    const size_t size = size_of(view.in(0).dtype);
    View from(in);
    from.pass(view.node, in, out);
    start = from.start * static_cast<int64_t>(size);
    return StridedCopy(size, dims_of(out), from.strides, strides_of(out));
  }

  int64_t start_;
  StridedCopy copy_;
};

// A concat, or a fused one of views.
class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(const NodeView& view) {
    description = "copies";
    if (view.node.op == &op::concat) {
      add_parts(view.graph, view.node, view.node.in, {});
      return;
    }
    const Graph& body = *view.node.graphs[0];
    std::vector<ValueId> inputs;
    for (const Graph::Input& input : body.inputs) inputs.push_back(input.value);
    add_parts(body, body.nodes.back(), inputs, std::span(body.nodes).first(body.nodes.size() - 1));
  }
  void run(const KernelArgs& args) const override {
    for (const Part& part : parts_)
      part.copy.run(static_cast<const char*>(args.in[part.input]) + part.from,
                    static_cast<char*>(args.out[0]) + part.to);
  }

 private:
  struct Part {
    size_t input;
    int64_t from, to;  // in bytes
    StridedCopy copy;
  };

  void add_parts(const Graph& graph, const Node& concat, std::span<const ValueId> inputs,
                 std::span<const Node> views) {
    const Aval& out = graph.values[concat.out[0]];
    const std::vector<int64_t> strides = strides_of(out.shape);
    const auto axis = static_cast<size_t>(concat.attrs[0]);
    const auto size = static_cast<int64_t>(size_of(out.dtype));
    int64_t at = 0;
    for (ValueId v : concat.in) {
      std::vector<const Node*> path;  // from the concat back to an input
      ValueId source = v;
      while (std::ranges::find(inputs, source) == inputs.end()) {
        path.push_back(&*std::ranges::find_if(views, [&](const Node& node) { return node.out[0] == source; }));
        source = path.back()->in[0];
      }
      View from(graph.values[source].shape);
      for (auto node = path.rbegin(); node != path.rend(); ++node)
        from.pass(**node, graph.values[(*node)->in[0]].shape, graph.values[(*node)->out[0]].shape);
      const Shape& part = graph.values[v].shape;
      parts_.push_back({static_cast<size_t>(std::ranges::find(inputs, source) - inputs.begin()), from.start * size,
                        at * strides[axis] * size,
                        StridedCopy(static_cast<size_t>(size), dims_of(part), from.strides, strides)});
      at += part[static_cast<int>(axis)];
    }
  }

  std::vector<Part> parts_;
};

class PadKernel final : public Kernel {
 public:
  explicit PadKernel(const NodeView& view)
      : element_size_(size_of(view.out(0).dtype)),
        dims_(dims_of(view.out(0).shape)),
        strides_(strides_of(view.out(0).shape)),
        middle_(element_size_, dims_of(view.in(0).shape), strides_of(view.in(0).shape), strides_) {
    const auto low = view.attrs().list(0);
    for (size_t i = 0; i < low.size(); ++i) {
      const int64_t inner = view.in(0).shape[static_cast<int>(i)];
      low_.push_back(low[i]);
      high_.push_back(dims_[i] - low[i] - inner);
      start_ += low[i] * strides_[i];
    }
    start_ *= static_cast<int64_t>(element_size_);
    description = "fill and copy";
  }
  void run(const KernelArgs& args) const override {
    char* const out = static_cast<char*>(args.out[0]);
    // The margins before and behind along each axis, within what the axes before it left open.
    int64_t sizes[kMaxRank], at = 0;
    const size_t rank = dims_.size();
    for (size_t i = 0; i < rank; ++i) sizes[i] = dims_[i];
    for (size_t i = 0; i < rank; ++i) {
      const int64_t whole = sizes[i];
      for (const bool behind : {false, true}) {
        sizes[i] = behind ? high_[i] : low_[i];
        const int64_t from = at + (behind ? whole - high_[i] : 0) * strides_[i];
        if (sizes[i] != 0)
          strided_fill(element_size_, {sizes, rank}, strides_, args.in[1],
                       out + from * static_cast<int64_t>(element_size_));
      }
      sizes[i] = whole - low_[i] - high_[i];
      at += low_[i] * strides_[i];
    }
    middle_.run(args.in[0], out + start_);
  }

 private:
  size_t element_size_;
  std::vector<int64_t> dims_, strides_, low_, high_;
  int64_t start_ = 0;
  StridedCopy middle_;
};

// (outer, axis, inner) around the axis that is indexed.
struct Around {
  int64_t outer = 1, axis, inner = 1;
  Around(const Shape& shape, int64_t at) : axis(shape[static_cast<int>(at)]) {
    for (int i = 0; i < shape.rank(); ++i)
      if (i < at) outer *= shape[i];
      else if (i > at) inner *= shape[i];
  }
};

class GatherKernel final : public Kernel {
 public:
  explicit GatherKernel(const NodeView& view)
      : op_(*view.node.op),
        shape_(view.in(0).shape),
        axis_(view.attrs()[0]),
        around_(shape_, axis_),
        dtype_(view.in(0).dtype),
        index_dtype_(view.in(1).dtype),
        count_(view.in(1).shape.elements()),
        adds_(view.node.op == &op::scatter_add) {
    if (is_complex(dtype_) && adds_) {  // their parts are added as numbers
      dtype_ = real_dtype(dtype_);
      around_.inner *= 2;
    }
    description = adds_ ? "adds in index order" : "copies";
  }
  bool allows_in_place(size_t in, size_t) const override { return adds_ && in == 0; }
  void run(const KernelArgs& args) const override {
    const int64_t bad = adds_ ? scatter_add(dtype_, around_.outer, around_.axis, around_.inner, index_dtype_,
                                            args.in[1], count_, args.in[2], args.in[0], args.out[0])
                              : gather(size_of(dtype_), around_.outer, around_.axis, around_.inner, index_dtype_,
                                       args.in[1], count_, args.in[0], args.out[0]);
    if (bad >= 0) check_indices(op_, shape_, axis_, index_dtype_, args.in[1], count_);
  }

 private:
  const OpDef& op_;
  Shape shape_;
  int64_t axis_;
  Around around_;
  DType dtype_, index_dtype_;
  int64_t count_;
  bool adds_;
};

class OneHotKernel final : public Kernel {
 public:
  explicit OneHotKernel(const NodeView& view)
      : dtype_(view.out(0).dtype), index_dtype_(view.in(0).dtype), around_(place(view)) {
    on_ = dtype_ == boolean ? 1 : Scalar(1).bits_as(dtype_);
  }
  void run(const KernelArgs& args) const override {
    one_hot(size_of(dtype_), around_.outer, around_.axis, around_.inner, index_dtype_, args.in[0], &on_, args.out[0]);
  }

 private:
  // The axis that is new in the result.
  static Around place(const NodeView& view) { return Around(view.out(0).shape, one_hot_axis(view.attrs())); }

  DType dtype_, index_dtype_;
  Around around_;
  uint64_t on_ = 0;
};

class ResampleKernel final : public Kernel {
 public:
  explicit ResampleKernel(const NodeView& view)
      : shape_(view.in(0).shape), axis_(view.attrs()[0]), count_(view.in(1).shape.elements()) {
    const Around around(shape_, axis_);
    call_ = {around.outer, around.axis, around.inner, view.in(1).shape[1], view.in(1).shape[0], {}, {}, {}, {}};
    const DType dtype = view.in(0).dtype;
    fn_ = find_resample(dtype, around.inner);
    const int64_t slice_bytes = around.inner * call_.taps * static_cast<int64_t>(size_of(dtype));
    grain_ = std::max<int64_t>(1, kPieceBytes / std::max<int64_t>(slice_bytes, 16));
    description = "weighted slices";
  }
  void run(const KernelArgs& args) const override {
    if (first_bad_index(i32, args.in[1], count_, call_.from) >= 0)
      check_indices(op::resample, shape_, axis_, i32, args.in[1], count_);
    if (call_.inner == 0) return;
    ResampleCall call = call_;
    call.x = args.in[0];
    call.index = static_cast<const int32_t*>(args.in[1]);
    call.weights = args.in[2];
    call.out = args.out[0];
    parallel_for(call.outer * call.to, grain_, [&](int64_t begin, int64_t end) { fn_(call, begin, end); });
  }

 private:
  static constexpr int64_t kPieceBytes = 128 << 10;  // that are read

  Shape shape_;
  int64_t axis_, count_, grain_;
  ResampleCall call_;
  ResampleFn fn_;
};

Support resample_supports(const NodeView& view) {
  const DType dtype = view.in(0).dtype;
  return dtype == f32 || dtype == f64 ? Support::can() : Support::cannot(cat("no loops for ", dtype));
}
Support index_supports(const NodeView& view) {
  const DType dtype = view.in(view.node.op == &op::one_hot ? 0 : 1).dtype;
  return dtype == i32 || dtype == i64 ? Support::can() : Support::cannot(cat("indices are ", dtype));
}
Support join_supports(const NodeView& view) {
  return is_concat(*view.node.graphs[0]) ? Support::can() : Support::cannot("no concat");
}
Support scatter_supports(const NodeView& view) {
  if (view.in(0).dtype == boolean) return Support::cannot("bool has no sum");
  return index_supports(view);
}

}  // namespace

void add_movement_kernels(Registry& registry) {
  for (const OpDef* op : {&op::transpose, &op::slice, &op::broadcast_to})
    registry.add(kDevice, *op, {"strided copy", kPriority + 1, always, prepare<CopyKernel>});
  registry.add(kDevice, op::concat, {"copies", kPriority, always, prepare<ConcatKernel>});
  registry.add(kDevice, op::fused, {"copies", kPriority, join_supports, prepare<ConcatKernel>});
  registry.add(kDevice, op::pad, {"fill and copy", kPriority, always, prepare<PadKernel>});
  registry.add(kDevice, op::gather, {"rows", kPriority, index_supports, prepare<GatherKernel>});
  registry.add(kDevice, op::scatter_add, {"rows", kPriority, scatter_supports, prepare<GatherKernel>});
  registry.add(kDevice, op::resample, {"slices", kPriority, resample_supports, prepare<ResampleKernel>});
  registry.add(kDevice, op::one_hot, {"columns", kPriority, index_supports, prepare<OneHotKernel>});
}

}  // namespace brio::cpu
