#include "brio/runtime/host_kernel.h"

#include "brio/base/error.h"
#include "brio/base/float_mode.h"
#include "brio/ops/effects.h"

namespace brio {

HostKernel::HostKernel(const NodeView& node)
    : op_(*node.node.op), code_(node.node.graphs[0]->host), tokens_(op_.kind == OpKind::effect) {
  for (size_t i = tokens_; i < node.node.in.size(); ++i) in_.push_back(node.in(i));
  for (size_t i = tokens_; i < node.node.out.size(); ++i) out_.push_back(node.out(i));
  description = code_->name;
}

void HostKernel::run(const KernelArgs& args) const {
  if (!code_->call)
    throw_invalid(op_,
                  cat("the host code '", code_->name, "' was read from text and cannot run; record the op anew"));
  FloatMode scope(FloatMode::kDefault);
  code_->call({in_, out_, args.in + tokens_, args.out + tokens_});
}

void HostKernel::run_between(const KernelArgs& args, Stream& stream) const {
  std::vector<Array> in, out;
  std::vector<const void*> in_data(tokens_);
  std::vector<void*> out_data(tokens_);
  for (size_t i = 0; i < in_.size(); ++i) {
    if (in_[i].dtype == DType::string) {  // they are on the host
      in.emplace_back();
      in_data.push_back(args.in[tokens_ + i]);
      continue;
    }
    in.push_back(Array::allocate(in_[i]));
    in_data.push_back(in[i].data());
    if (in_[i].bytes() != 0) stream.copy_to_host(in[i].data(), args.in[tokens_ + i], in_[i].bytes());
  }
  for (const Aval& aval : out_) {
    out.push_back(Array::allocate(aval));
    out_data.push_back(out.back().data());
  }
  stream.synchronize();
  run({in_data.data(), out_data.data(), nullptr});
  for (size_t i = 0; i < out_.size(); ++i)
    if (out_[i].bytes() != 0) stream.copy_to_device(args.out[tokens_ + i], out[i].data(), out_[i].bytes());
  stream.synchronize();
}

void register_host_kernels(Registry& registry) {
  for (std::string_view device : registry.device_names())
    for (const OpDef* op : {&op::print, &op::assert_true, &op::host_call, &op::pure_host_call})
      registry.add(device, *op,
                   {.name = "host",
                    .priority = 0,
                    .supports = [](const NodeView&) { return Support::can(); },
                    .prepare = [](const NodeView& node) -> std::unique_ptr<Kernel> {
                      return std::make_unique<HostKernel>(node);
                    }});
}

}  // namespace brio
