#include <algorithm>

#include "brio/backends/cpu/kernels/random_fill.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/element_stream.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/random/distribution_kernels.h"
#include "brio/ops/random/distributions.h"
#include "brio/ops/random/random.h"

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

// Ranges below 2³²: a vector's words at a time. Longer ones as all distributions.
class IntegersKernel final : public Kernel {
 public:
  explicit IntegersKernel(const NodeView& view) : general_(view), dtype_(view.out(0).dtype) {
    n_ = view.out(0).shape.elements();
    offset_ = static_cast<uint64_t>(view.attrs()[1]);
    description = "words";
  }
  void run(const KernelArgs& args) const override {
    const auto low = static_cast<uint64_t>(*static_cast<const int64_t*>(args.in[2]));
    const uint64_t range = static_cast<uint64_t>(*static_cast<const int64_t*>(args.in[3])) - low;
    const bool sensible = *static_cast<const int64_t*>(args.in[2]) < *static_cast<const int64_t*>(args.in[3]);
    if (!sensible || range >> 32) return general_.run(args);
    const RandomStream stream{*static_cast<const uint64_t*>(args.in[0]),
                              *static_cast<const uint64_t*>(args.in[1]) + offset_};
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      if constexpr (std::is_integral_v<T>)
        parallel_for(n_, 1 << 14, [&](int64_t begin, int64_t end) {
          fill(stream, static_cast<T>(low), static_cast<uint32_t>(range), static_cast<T*>(args.out[0]), begin, end);
        });
    });
  }

 private:
  template <typename T>
  static void fill(const RandomStream& stream, T low, uint32_t range, T* out, int64_t begin, int64_t end) {
    constexpr int64_t kWords = 1024;
    uint32_t words[kWords];
    for (int64_t at = begin; at < end; at += kWords) {
      const int64_t n = std::min(kWords, end - at);
      fill_random_u32(words, static_cast<size_t>(n), stream, static_cast<uint64_t>(at));
      for (int64_t i = 0; i < n; ++i) {
        const uint32_t number = bounded_u32(stream, static_cast<uint64_t>(at + i), words[i], range);
        out[at + i] = static_cast<T>(static_cast<uint64_t>(low) + number);
      }
    }
  }

  DistributionKernel general_;
  DType dtype_;
  int64_t n_;
  uint64_t offset_;
};

}  // namespace

void add_random_kernels(Registry& registry) {
  for (const OpDef* op : {&op::random_gamma, &op::random_poisson})
    registry.add(kDevice, *op, {"pieces", kPriority, always, prepare<DistributionKernel>});
  registry.add(kDevice, op::random_integers, {"words", kPriority, always, prepare<IntegersKernel>});
  for (const OpDef* op : {&op::random_uniform, &op::random_normal, &op::random_bits})
    registry.add(kDevice, *op, {"philox", kPriority, supports_fill, prepare<RandomKernel>});
}

}  // namespace brio::cpu
