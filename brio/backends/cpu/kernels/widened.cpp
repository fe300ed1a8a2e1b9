#include "brio/backends/cpu/kernels/widened.h"

#include "brio/backends/cpu/pieces.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

void cast(DType from, DType to, const void* source, void* out, int64_t n) {
  const TileFn fn = find_tile_fn("cast", from, to);
  parallel_for(n, 1 << 15, [&](int64_t begin, int64_t end) {
    fn(static_cast<char*>(out) + static_cast<size_t>(begin) * size_of(to),
       static_cast<const char*>(source) + static_cast<size_t>(begin) * size_of(from), nullptr, nullptr,
       static_cast<size_t>(end - begin));
  });
}
size_t bytes_of(int64_t elements) { return round_to_line(static_cast<size_t>(elements) * sizeof(float)); }

}  // namespace

WidenedKernel::WidenedKernel(const NodeView& view, Prepare prepare_f32) : dtype_(view.in(0).dtype) {
  Graph wide;
  std::vector<ValueId> in;
  for (size_t i = 0; i < view.node.in.size(); ++i) {
    in_.push_back(view.in(i).shape.elements());
    in.push_back(wide.add_input({view.in(i).shape, f32}));
  }
  wide.outputs = wide.add(*view.node.op, in, view.node.attrs).out;
  for (size_t i = 0; i < view.node.out.size(); ++i) out_.push_back(view.out(i).shape.elements());
  kernel_ = prepare_f32({wide, wide.nodes[0]});
  for (const auto* list : {&in_, &out_})
    for (int64_t elements : *list) kernel_scratch_ += bytes_of(elements);
  bytes_ = kernel_scratch_ + kernel_->scratch_bytes();
  description = cat("widened ", kernel_->description);
}

void WidenedKernel::run(const KernelArgs& args) const {
  const void* in[kMaxRank];
  void* out[kMaxRank];
  char* at = static_cast<char*>(args.scratch);
  for (size_t i = 0; i < in_.size(); ++i) {
    cast(dtype_, f32, args.in[i], at, in_[i]);
    in[i] = at;
    at += bytes_of(in_[i]);
  }
  for (size_t i = 0; i < out_.size(); ++i) {
    out[i] = at;
    at += bytes_of(out_[i]);
  }
  kernel_->run({in, out, static_cast<char*>(args.scratch) + kernel_scratch_});
  for (size_t i = 0; i < out_.size(); ++i) cast(f32, dtype_, out[i], args.out[i], out_[i]);
}

}  // namespace brio::cpu
