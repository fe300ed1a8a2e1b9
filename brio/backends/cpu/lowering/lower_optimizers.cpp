// Optimizer updates: one pass over all tensors.
#include <cstring>
#include <new>

#include "brio/backends/cpu/kernels/optimizer_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/optimizer_ops.h"

namespace brio::cpu {
namespace {

Support floats_only(const NodeView& view) {
  const DType dtype = view.out(0).dtype;
  if (dtype != f32 && dtype != f64) return Support::cannot(cat("no update kernel for ", dtype));
  const UpdateLayout layout = UpdateLayout::of(*view.node.op, view.attrs(), view.node.in.size());
  for (size_t i = 0; i < layout.n; ++i)
    if (const DType given = view.in(layout.in(1, i)).dtype; given != dtype)
      return Support::cannot(cat("no update kernel for gradients of ", given));
  return Support::can();
}

class UpdateKernel final : public Kernel {
 public:
  explicit UpdateKernel(const NodeView& view)
      : op_(view.node.op),
        layout_(UpdateLayout::of(*view.node.op, view.attrs(), view.node.in.size())),
        dtype_(view.in(layout_.in(0, 0)).dtype),
        attrs_(view.node.attrs) {
    for (size_t i = 0; i < layout_.n; ++i) {
      const Shape& shape = view.in(layout_.in(0, i)).shape;
      sizes_.push_back(shape.elements());
      if (!layout_.is_spread(i)) continue;
      widths_.push_back(shape[0] == 0 ? Size(0) : shape.elements() / shape[0]);
      lasts_.push_back(static_cast<uint32_t>(view.in(layout_.in(1, i)).shape[0] - 1));
    }
    description = cat("one pass over ", layout_.n, " tensors");
  }
  size_t scratch_bytes() const override { return layout_.n * sizeof(UpdateTensor); }
  // A parameter or slot over itself; gradients and the others' memory are read at other times.
  bool allows_in_place(size_t in, size_t out) const override {
    for (size_t kind = 0; kind < layout_.slots + 2; ++kind) {
      if (kind == 1) continue;
      for (size_t i = 0; i < layout_.n; ++i)
        if (layout_.in(kind, i) == in) return layout_.out(kind, i) == out;
    }
    return false;
  }
  void run(const KernelArgs& args) const override {
    auto* tensors = static_cast<UpdateTensor*>(args.scratch);
    for (size_t i = 0; i < layout_.n; ++i) {
      auto* t = new (tensors + i) UpdateTensor{};
      t->param_in = args.in[layout_.in(0, i)];
      t->param_out = args.out[layout_.out(0, i)];
      t->grad = args.in[layout_.in(1, i)];
      for (size_t slot = 0; slot < layout_.slots; ++slot) {
        t->slot_in[slot] = args.in[layout_.in(2 + slot, i)];
        t->slot_out[slot] = args.out[layout_.out(2 + slot, i)];
      }
      t->n = sizes_[i];
      if (!layout_.is_spread(i)) continue;
      const size_t spread = i + layout_.spread - layout_.n;
      t->places = static_cast<const int32_t*>(args.in[layout_.places(i)]);
      t->width = widths_[spread];
      t->last = lasts_[spread];
    }
    if (layout_.gated && !*static_cast<const bool*>(args.in[layout_.gate()])) return keep(tensors);
    const std::span<const UpdateTensor> list(tensors, layout_.n);
    auto number = [&](size_t i) { return *static_cast<const double*>(args.in[i]); };
    WeightDecay decay;
    if (layout_.decays) decay = {true, number(layout_.decay())};
    if (op_ == &op::sgd_update) {
      update_sgd(dtype_, list, {number(0), number(1), has_momentum(), attrs_[0] != 0, decay});
    } else if (op_ == &op::rmsprop_update) {
      update_rmsprop(dtype_, list,
                     {number(0), number(1), number(2), number(3), has_momentum(), attrs_[0] != 0, decay});
    } else {
      update_adam(dtype_, list,
                  {number(0), *static_cast<const int64_t*>(args.in[1]), number(2), number(3), number(4),
                   attrs_[0] != 0, decay});
    }
  }

 private:
  bool has_momentum() const { return attrs_[1] != 0; }
  // The gate is shut: what is written elsewhere is copied there.
  void keep(const UpdateTensor* tensors) const {
    for (size_t i = 0; i < layout_.n; ++i) {
      const UpdateTensor& t = tensors[i];
      const size_t bytes = static_cast<size_t>(t.n) * size_of(dtype_);
      auto copy = [&](void* to, const void* from) {
        if (to != from && bytes != 0) std::memcpy(to, from, bytes);
      };
      copy(t.param_out, t.param_in);
      for (size_t slot = 0; slot < layout_.slots; ++slot) copy(t.slot_out[slot], t.slot_in[slot]);
    }
  }

  const OpDef* op_;
  UpdateLayout layout_;
  DType dtype_;
  std::vector<int64_t> attrs_, sizes_, widths_;  // widths and lasts: of what is spread
  std::vector<uint32_t> lasts_;
};

}  // namespace

void add_optimizer_kernels(Registry& registry) {
  for (const OpDef* op : {&op::sgd_update, &op::rmsprop_update, &op::adam_update})
    registry.add(kDevice, *op, {"one pass", kPriority, floats_only, prepare<UpdateKernel>});
}

}  // namespace brio::cpu
