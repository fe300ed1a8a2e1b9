// lstm_gates and its gradient: rows, shared out.
#include <algorithm>

#include "brio/backends/cpu/kernels/lstm_gates_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/network/lstm_gates.h"

namespace brio::cpu {
namespace {

class LstmGatesKernel final : public Kernel {
 public:
  explicit LstmGatesKernel(const NodeView& view) : backward_(view.node.op == &op::lstm_gates_grad) {
    const Shape& c = view.in(2).shape;
    units_ = c[c.rank() - 1];
    const int64_t elements = c.elements();
    rows_ = units_ == 0 ? 0 : elements / units_;
    const LstmGatesFns fns = find_lstm_gates_fns();
    run_ = backward_ ? fns.backward : fns.forward;
    description = "one pass over rows";
  }
  void run(const KernelArgs& args) const override {
    const auto in = [&](size_t i) { return static_cast<const float*>(args.in[i]); };
    const auto out = [&](size_t i) { return static_cast<float*>(args.out[i]); };
    LstmGatesCall call{units_, in(0), in(1), in(2), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    if (backward_) call.dh = in(3), call.dc = in(4), call.dz_out = out(0), call.dc_out = out(1);
    else call.h_out = out(0), call.c_out = out(1);
    const int64_t grain = std::max<int64_t>(1, kPieceUnits / std::max<int64_t>(1, units_));
    parallel_for(rows_, grain, [&](int64_t begin, int64_t end) { run_(call, begin, end); });
  }

 private:
  static constexpr int64_t kPieceUnits = 1 << 13;  // some 20 µs

  bool backward_;
  int64_t units_, rows_;
  LstmGatesFn run_;
};

Support supports_lstm_gates(const NodeView& view) {
  const DType dtype = view.in(2).dtype;
  return dtype == f32 ? Support::can() : Support::cannot(cat("no kernel for ", dtype));
}

}  // namespace

void add_lstm_gates_kernels(Registry& registry) {
  for (const OpDef* op : {&op::lstm_gates, &op::lstm_gates_grad})
    registry.add(kDevice, *op, {"lstm gates", kPriority, supports_lstm_gates, prepare<LstmGatesKernel>});
}

}  // namespace brio::cpu
