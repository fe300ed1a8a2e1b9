// slice, transpose, pad and concat: elements from one set of strides to another.
#include "brio/backends/cuda/box_copy.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/indexing/sliced_axis.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::cuda {
namespace {

class MoveKernel final : public CudaKernel {
 public:
  explicit MoveKernel(const NodeView& node) {
    const Shape& out = node.out(0).shape;
    const std::vector<int64_t> out_strides = strides_of(out);
    if (node.node.op == &op::concat) {
      const auto axis = static_cast<size_t>(node.attrs()[0]);
      int64_t start = 0;
      for (size_t i = 0; i < node.node.in.size(); ++i) {
        Box box = Box::of(node.in(i).shape);
        box.from = strides_of(node.in(i).shape);
        box.to = out_strides;
        box.to_start = start * out_strides[axis];
        box.input = i;
        start += box.size[axis];
        add(node, std::move(box));
      }
    } else if (node.node.op == &op::pad) {
      Box fill = Box::of(out);
      fill.to = out_strides;
      fill.from.assign(out_strides.size(), 0);
      fill.input = 1;
      add(node, std::move(fill));
      Box box = Box::of(node.in(0).shape);
      box.from = strides_of(node.in(0).shape);
      box.to = out_strides;
      const auto low = node.attrs().list(0);
      for (size_t d = 0; d < low.size(); ++d) box.to_start += low[d] * out_strides[d];
      add(node, std::move(box));
    } else {
      Box box = Box::of(out);
      box.to = out_strides;
      const std::vector<int64_t> in_strides = strides_of(node.in(0).shape);
      if (node.node.op == &op::transpose) {
        for (int64_t axis : node.attrs().list(0)) box.from.push_back(in_strides[static_cast<size_t>(axis)]);
      } else {
        for (size_t d = 0; d < in_strides.size(); ++d) {
          const SlicedAxis axis = sliced_axis(node.attrs(), d);
          box.from_start += axis.begin * in_strides[d];
          box.from.push_back(axis.stride * in_strides[d]);
        }
      }
      add(node, std::move(box));
    }
    description = cat(copies_.size(), copies_.size() == 1 ? " copy" : " copies");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    for (const auto& [input, copy] : copies_) copy.enqueue(args.out[0], args.in[input], stream);
  }

 private:
  void add(const NodeView& node, Box box) {
    const size_t input = box.input;
    copies_.emplace_back(input, BoxCopy(device_of(node), std::move(box), size_of(node.out(0).dtype)));
  }
  std::vector<std::pair<size_t, BoxCopy>> copies_;
};

Support supports_move(const NodeView& node) {
  return node.out(0).dtype == DType::string ? Support::cannot("strings stay on the host") : Support::can();
}

}  // namespace

void add_movement(Kernels& kernels) {
  for (const OpDef* op : {&op::slice, &op::transpose, &op::pad, &op::concat})
    kernels.add<MoveKernel>(*op, "copy", supports_move);
}

}  // namespace brio::cuda
