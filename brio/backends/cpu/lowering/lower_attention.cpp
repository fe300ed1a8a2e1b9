// scaled_dot_product_attention and its gradient: units of work over the threads.
#include "brio/backends/cpu/kernels/attention_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

// Units that many threads can share evenly, cut by the shape alone.
constexpr int64_t kUnits = 32;
constexpr int64_t kMostPartialSums = int64_t{64} << 20;  // bytes

void broadcast_strides(const Shape& shape, int64_t (&strides)[4]) {
  const Strides own = row_major(shape);
  for (int i = 0; i < shape.rank(); ++i) strides[4 - shape.rank() + i] = shape[i] == 1 ? 0 : own[i];
}

class AttentionKernel final : public Kernel {
 public:
  explicit AttentionKernel(const NodeView& view)
      : gradient_(view.node.op == &op::scaled_dot_product_attention_grad),
        task_{.form = {view.attrs(), view.in(0).shape, view.in(1).shape, view.in(2).shape},
              .dtype = view.in(0).dtype},
        fns_(find_attention_fns(task_.dtype)) {
    const AttentionForm& form = task_.form;
    if (form.has_mask) broadcast_strides(view.in(form.mask).shape, task_.mask_strides);
    if (form.has_bias) broadcast_strides(view.in(form.bias).shape, task_.bias_strides);
    if (task_.dtype == f16 || task_.dtype == bf16) {
      task_.widen = find_tile_fn("cast", task_.dtype, f32);
      task_.narrow = find_tile_fn("cast", f32, task_.dtype);
    }
    const size_t element = task_.dtype == f64 ? sizeof(double) : sizeof(float);
    const auto bytes = [&](int64_t elements) { return round_to_line(static_cast<size_t>(elements) * element); };
    heads_ = form.batch * form.key_heads;
    if (heads_ == 0) return;
    task_.parts = std::clamp<int64_t>((kUnits + heads_ - 1) / heads_, 1, std::max<int64_t>(1, fns_.blocks(form)));
    if (gradient_) {
      sums_ = bytes(fns_.sums(form));
      const int64_t all = heads_ * static_cast<int64_t>(sums_);
      task_.parts = std::clamp<int64_t>(kMostPartialSums / std::max<int64_t>(1, all), 1, task_.parts);
    }
    constexpr double flops_per_nanosecond = 80;
    const double products = static_cast<double>(form.weights().elements()) *
                            static_cast<double>(form.depth + form.value_depth) * (gradient_ ? 5 : 2);
    slots_ = slots_for(heads_ * task_.parts, products / flops_per_nanosecond);
    unit_scratch_ = bytes(gradient_ ? fns_.gradient_scratch(form) : fns_.forward_scratch(form));
    // The sums of a head whose parts are one are stored at once: they are part of the unit's scratch.
    all_sums_ = !gradient_ ? 0 : static_cast<size_t>(task_.parts == 1 ? slots_ : heads_ * task_.parts) * sums_;
    description = cat("blocks of queries, ", heads_ * task_.parts, " units");
  }

  size_t scratch_bytes() const override { return all_sums_ + static_cast<size_t>(slots_) * unit_scratch_; }

  void run(const KernelArgs& args) const override {
    const AttentionForm& form = task_.form;
    AttentionPointers p{};
    p.query = args.in[0];
    p.key = args.in[1];
    p.value = args.in[2];
    if (form.has_mask) p.mask = static_cast<const bool*>(args.in[form.mask]);
    if (form.has_bias) p.bias = args.in[form.bias];
    if (form.dropout > 0)
      p.stream = {*static_cast<const uint64_t*>(args.in[form.random]),
                  *static_cast<const uint64_t*>(args.in[form.random + 1]) + static_cast<uint64_t>(form.offset)};
    p.out = args.out[0];
    char* const sums = static_cast<char*>(args.scratch);
    char* const scratch = sums + all_sums_;
    if (gradient_) {
      p.cotangent = args.in[form.inputs];
      p.key_gradient = args.out[1];
      p.value_gradient = args.out[2];
    }
    run_pieces(heads_ * task_.parts, slots_, [&](int64_t unit, int64_t slot) {
      void* const own = scratch + static_cast<size_t>(slot) * unit_scratch_;
      if (!gradient_) return fns_.forward(task_, p, unit, own);
      char* const left = sums + static_cast<size_t>(task_.parts == 1 ? slot : unit) * sums_;
      fns_.gradient(task_, p, unit, left, own);
      if (task_.parts == 1) fns_.finish(task_, p, unit, left);
    });
    if (gradient_ && task_.parts > 1)
      run_pieces(heads_, std::min(slots_, heads_), [&](int64_t head, int64_t) {
        fns_.finish(task_, p, head, sums + static_cast<size_t>(head * task_.parts) * sums_);
      });
  }

 private:
  bool gradient_;
  AttentionTask task_;
  AttentionFns fns_;
  int64_t heads_ = 0, slots_ = 1;  // heads: of keys, over the batch
  size_t unit_scratch_ = 0, sums_ = 0, all_sums_ = 0;
};

}  // namespace

void add_attention_kernels(Registry& registry) {
  for (const OpDef* op : {&op::scaled_dot_product_attention, &op::scaled_dot_product_attention_grad})
    registry.add(kDevice, *op, {"attention", kPriority, always, prepare<AttentionKernel>});
}

}  // namespace brio::cpu
