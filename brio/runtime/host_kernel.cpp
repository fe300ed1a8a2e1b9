#include "brio/runtime/host_kernel.h"

#include <chrono>

#include "brio/base/error.h"
#include "brio/base/float_mode.h"
#include "brio/ops/control/effects.h"

namespace brio {
namespace {

class HostCodeKernel final : public HostKernel {
 public:
  explicit HostCodeKernel(const NodeView& node)
      : HostKernel(node, node.node.op->kind == OpKind::effect ? 1 : 0),
        op_(*node.node.op),
        code_(node.node.graphs[0]->host) {
    description = code_->name;
  }
  void run(const KernelArgs& args) const override {
    if (!code_->call)
      throw_invalid(op_,
                    cat("the host code '", code_->name, "' was read from text and cannot run; record the op anew"));
    FloatMode scope(FloatMode::kDefault);
    code_->call({in_, out_, args.in + tokens(), args.out + tokens()});
  }

 private:
  const OpDef& op_;
  std::shared_ptr<const HostCode> code_;
};

class BorrowedKernel final : public HostKernel {
 public:
  BorrowedKernel(std::unique_ptr<Kernel> kernel, const NodeView& node)
      : HostKernel(node, 0), kernel_(std::move(kernel)) {
    description = kernel_->description;
    row_ = &detail::fallback_row(*node.device, *node.node.op);
  }
  void run(const KernelArgs& args) const override {
    FloatMode mode;
    const Array scratch = Array::allocate({Shape{kernel_->scratch_bytes()}, u8}, Owner::activations);
    std::vector<void*> table(kernel_->table_size());
    kernel_->run({args.in, args.out, scratch.data(), table.data()});
  }
  size_t heap_bytes() const override { return kernel_->heap_bytes(); }

 private:
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace

HostKernel::HostKernel(const NodeView& node, size_t tokens) : tokens_(tokens) {
  for (size_t i = tokens; i < node.node.in.size(); ++i) in_.push_back(node.in(i));
  for (size_t i = tokens; i < node.node.out.size(); ++i) out_.push_back(node.out(i));
}

size_t HostKernel::copied_bytes() const {
  size_t bytes = 0;
  for (const auto* list : {&in_, &out_})
    for (const Aval& aval : *list) bytes += aval.bytes();
  return bytes;
}

void HostKernel::lead(const KernelArgs& args, Stream& stream) const {
  if (!row_) return run_with_copies(args, stream);
  const auto start = std::chrono::steady_clock::now();
  run_with_copies(args, stream);
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
  const auto nanoseconds = static_cast<uint64_t>(elapsed.count());
  runs_.fetch_add(1, std::memory_order_relaxed);
  nanoseconds_.fetch_add(nanoseconds, std::memory_order_relaxed);
  row_->runs.fetch_add(1, std::memory_order_relaxed);
  row_->bytes.fetch_add(copied_bytes(), std::memory_order_relaxed);
  row_->nanoseconds.fetch_add(nanoseconds, std::memory_order_relaxed);
  stream.device().traffic.fallbacks.fetch_add(1, std::memory_order_relaxed);
}

void HostKernel::run_with_copies(const KernelArgs& args, Stream& stream) const {
  Traffic& traffic = stream.device().traffic;
  std::vector<Array> in, out;
  std::vector<const void*> in_data(tokens_);
  std::vector<void*> out_data(tokens_);
  for (size_t i = 0; i < in_.size(); ++i) {
    in.push_back(Array::allocate(in_[i]));
    in_data.push_back(in[i].data());
  }
  for (const Aval& aval : out_) {
    out.push_back(Array::allocate(aval));
    out_data.push_back(out.back().data());
  }
  // Nothing fails between the first copy and the wait: it writes to memory that is ours.
  for (size_t i = 0; i < in_.size(); ++i)
    if (in_[i].bytes() != 0) {
      stream.copy_to_host(in[i].data(), args.in[tokens_ + i], in_[i].bytes());
      traffic.count_out(in_[i].bytes());
    }
  stream.synchronize();
  run({in_data.data(), out_data.data(), nullptr});
  for (size_t i = 0; i < out_.size(); ++i)
    if (out_[i].bytes() != 0 && args.out[tokens_ + i]) {
      stream.copy_to_device(args.out[tokens_ + i], out[i].data(), out_[i].bytes());
      traffic.count_in(out_[i].bytes());
    }
}

std::unique_ptr<Kernel> run_on_host(std::unique_ptr<Kernel> kernel, const NodeView& node) {
  return std::make_unique<BorrowedKernel>(std::move(kernel), node);
}

void register_host_kernels(Registry& registry, std::string_view device) {
  for (const OpDef* op : {&op::print, &op::assert_true, &op::host_call, &op::pure_host_call})
    registry.add(device, *op,
                 {.name = "host",
                  .priority = 0,
                  .supports = [](const NodeView&) { return Support::can(); },
                  .prepare = [](const NodeView& node) -> std::unique_ptr<Kernel> {
                    return std::make_unique<HostCodeKernel>(node);
                  }});
}

}  // namespace brio
