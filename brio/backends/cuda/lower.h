// From IR nodes to the kernels of this backend: one file per family, each adding its implementations to the registry.
#pragma once

#include "brio/backends/cuda/device.h"
#include "brio/runtime/backend.h"

namespace brio::cuda {

// The kernels of one device, as it is registered.
class Kernels {
 public:
  Kernels(Registry& registry, std::string_view device) : registry_(registry), device_(device) {}
  template <typename K>
  void add(const OpDef& op, std::string_view name, Support (*supports)(const NodeView& node), int priority = 10) {
    registry_.add(device_, op, {name, priority, supports, [](const NodeView& node) -> std::unique_ptr<Kernel> {
                                  auto kernel = std::make_unique<K>(node);
                                  kernel->op = node.node.op->name;
                                  return kernel;
                                }});
  }

 private:
  Registry& registry_;
  std::string_view device_;
};

// All of them. `products`: those too that ask a library, which asks the device.
void add_kernels(Registry& registry, std::string_view device, bool products);

// Pieces of scratch memory begin at multiples of what libraries ask of it.
constexpr size_t rounded_scratch(size_t bytes) {
  return (bytes + CudaKernel::kScratchAlignment - 1) & ~(CudaKernel::kScratchAlignment - 1);
}
// What libraries, and kernels that move vectors, ask of an address; a view may begin anywhere.
constexpr size_t kVectorBytes = 16;
inline bool is_aligned(std::initializer_list<const void*> addresses) {
  uintptr_t all = 0;
  for (const void* address : addresses) all |= reinterpret_cast<uintptr_t>(address);
  return all % kVectorBytes == 0;
}

// Are all numbers of an input, indices or labels, from 0 to size - 1? Refuses as `refuse` does.
std::unique_ptr<CudaKernel> range_check(const NodeView& node, size_t input, int64_t size,
                                        std::function<void(long long value, long long place)> refuse);

inline Support always(const NodeView&) { return Support::can(); }

void add_loops(Kernels& kernels);
void add_products(Kernels& kernels);
void add_small_products(Kernels& kernels);
void add_movement(Kernels& kernels);
void add_rows(Kernels& kernels);
void add_optimizers(Kernels& kernels);
void add_indexing(Kernels& kernels);
void add_random(Kernels& kernels);
void add_convolutions(Kernels& kernels);
void add_pointwise(Kernels& kernels);
void add_attention(Kernels& kernels);
void add_windows(Kernels& kernels);
void add_depthwise(Kernels& kernels);
void add_relu_pools(Kernels& kernels);
void add_few_channels(Kernels& kernels);
void add_column_moments(Kernels& kernels);
void add_cast_many(Kernels& kernels);
// A convolution for any dtype and any address, one thread an element.
std::unique_ptr<Kernel> direct_convolution(const NodeView& node);

}  // namespace brio::cuda
