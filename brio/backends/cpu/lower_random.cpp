#include "brio/backends/cpu/lower.h"
#include "brio/backends/cpu/random_fill.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/distribution_kernels.h"
#include "brio/ops/distributions.h"
#include "brio/ops/random.h"

namespace brio::cpu {
namespace {

Support supports_fill(const NodeView& view) {
  const DType dtype = view.out(0).dtype;
  if (dtype == f32 || dtype == f64 || dtype == u32 || dtype == u64) return Support::can();
  return Support::cannot(cat("no vector fill for ", dtype));
}

class RandomKernel final : public Kernel {
 public:
  explicit RandomKernel(const NodeView& view)
      : op_(view.node.op),
        dtype_(view.out(0).dtype),
        n_(static_cast<size_t>(view.out(0).shape.elements())),
        offset_(static_cast<uint64_t>(view.attrs()[1])) {
    description = "philox fill";
  }
  void run(const KernelArgs& args) const override {
    const RandomStream stream{*static_cast<const uint64_t*>(args.in[0]),
                              *static_cast<const uint64_t*>(args.in[1]) + offset_};
    void* out = args.out[0];
    if (op_ == &op::random_bits) {
      if (dtype_ == u32) fill_random_u32(static_cast<uint32_t*>(out), n_, stream);
      else fill_random_u64(static_cast<uint64_t*>(out), n_, stream);
    } else if (op_ == &op::random_uniform) {
      if (dtype_ == f32) fill_uniform_f32(static_cast<float*>(out), n_, stream);
      else fill_uniform_f64(static_cast<double*>(out), n_, stream);
    } else {
      if (dtype_ == f32) fill_normal_f32(static_cast<float*>(out), n_, stream);
      else fill_normal_f64(static_cast<double*>(out), n_, stream);
    }
  }

 private:
  const OpDef* op_;
  DType dtype_;
  size_t n_;
  uint64_t offset_;
};

// Pieces of a tensor on several threads: each element has numbers of its own.
class DistributionKernel final : public Kernel {
 public:
  explicit DistributionKernel(const NodeView& view) : op_(*view.node.op), out_(view.out(0)), attrs_(view.node.attrs) {
    for (size_t i = 0; i < view.node.in.size(); ++i) in_.push_back(view.in(i));
    description = "pieces";
  }
  void run(const KernelArgs& args) const override {
    const DistributionDraw draw{op_, in_, out_, Attrs(attrs_)};
    draw.check(args.in);
    constexpr int64_t grain = 1 << 11;  // some tens of microseconds
    parallel_for(out_.shape.elements(), grain,
                 [&](int64_t begin, int64_t end) { draw.fill(args.in, args.out[0], begin, end); });
  }

 private:
  const OpDef& op_;
  Aval out_;
  std::vector<int64_t> attrs_;
  std::vector<Aval> in_;
};

}  // namespace

void add_random_kernels(Registry& registry) {
  for (const OpDef* op : {&op::random_integers, &op::random_gamma, &op::random_poisson})
    registry.add(kDevice, *op, {"pieces", kPriority, always, prepare<DistributionKernel>});
  for (const OpDef* op : {&op::random_uniform, &op::random_normal, &op::random_bits})
    registry.add(kDevice, *op, {"philox", kPriority, supports_fill, prepare<RandomKernel>});
}

}  // namespace brio::cpu
