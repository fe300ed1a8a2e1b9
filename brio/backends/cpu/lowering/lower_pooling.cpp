// max_pool, avg_pool and their gradients: the pooling kernels, split over rows of windows or, where windows add to
// what others have added to, over pictures.
#include "brio/backends/cpu/convolution/pool_kernels.h"
#include "brio/backends/cpu/kernels/widened.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

class PoolKernel final : public Kernel {
 public:
  explicit PoolKernel(const NodeView& view)
      : op_(*view.node.op),
        g_(PoolGeometry::of(op_is_avg_grad() ? view.out(0).shape : view.in(0).shape, view.attrs())),
        fns_(find_pool_fns(view.in(0).dtype)) {
    constexpr double rate = 4;  // elements of windows per nanosecond, roughly
    const double nanoseconds =
        static_cast<double>(g_.batch * g_.counts() * g_.channels) * static_cast<double>(g_.taps()) / rate;
    total_ = is_gradient() ? g_.batch : g_.batch * g_.axis[0].count() * g_.axis[1].count();
    if (total_ > 0)
      grain_ = std::max<int64_t>(1, static_cast<int64_t>(25e3 / (nanoseconds / static_cast<double>(total_) + 1)));
    description = "pool";
  }
  void run(const KernelArgs& args) const override {
    parallel_for(total_, grain_, [&](int64_t begin, int64_t end) {
      if (&op_ == &op::max_pool) fns_.max(g_, args.in[0], args.out[0], begin, end);
      else if (&op_ == &op::max_pool_pick) fns_.pick(g_, args.in[0], args.in[1], args.out[0], begin, end);
      else if (&op_ == &op::max_pool_grad) fns_.max_grad(g_, args.in[0], args.in[1], args.out[0], begin, end);
      else if (&op_ == &op::avg_pool) fns_.avg(g_, args.in[0], args.out[0], begin, end);
      else fns_.avg_grad(g_, args.in[0], args.out[0], begin, end);
    });
  }

 private:
  bool op_is_avg_grad() const { return &op_ == &op::avg_pool_grad; }
  bool is_gradient() const { return op_is_avg_grad() || &op_ == &op::max_pool_grad; }

  const OpDef& op_;
  PoolGeometry g_;
  PoolFns fns_;
  int64_t total_, grain_ = 1;
};

Support supports_pool(const NodeView& view) {
  if (!is_floating(view.in(0).dtype)) return Support::cannot(cat("no kernel for ", view.in(0).dtype));
  constexpr int64_t most = 1 << 24;  // a float counts that far
  int64_t taps = 1;
  for (int64_t size : view.attrs().list(0)) taps = std::min(taps, most) * size;
  if (taps > most) return Support::cannot(cat("windows of ", taps, " elements and more"));
  return Support::can();
}

}  // namespace

void add_pooling_kernels(Registry& registry) {
  for (const OpDef* op : {&op::max_pool, &op::max_pool_grad, &op::max_pool_pick, &op::avg_pool, &op::avg_pool_grad})
    registry.add(kDevice, *op, {"pool", kPriority, supports_pool, prepare_widened<PoolKernel>});
}

}  // namespace brio::cpu
