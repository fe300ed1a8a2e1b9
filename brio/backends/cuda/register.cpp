// GPUs, found when somebody asks for a device by name or for the list of them.
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"

namespace brio {

void cuda::add_kernels(Registry& registry, std::string_view device, bool products) {
  Kernels kernels(registry, device);
  add_loops(kernels);
  add_small_products(kernels);
  add_movement(kernels);
  add_rows(kernels);
  add_optimizers(kernels);
  add_indexing(kernels);
  add_random(kernels);
  add_windows(kernels);
  add_depthwise(kernels);
  add_relu_pools(kernels);
  add_few_channels(kernels);
  add_column_moments(kernels);
  add_cast_many(kernels);
  if (!products) return;
  add_products(kernels);
  add_convolutions(kernels);
  add_pointwise(kernels);
  add_attention(kernels);
}

void register_cuda(Registry& registry) {
  registry.add_finder([](Registry& r) -> std::string {
    if (const std::string why = cuda::obstacle(); !why.empty()) return cat("no GPU for CUDA: ", why);
    int count = 0;
    cuda::check(cuda::driver().cuDeviceGetCount(&count), "counting devices");
    for (int number = 0; number < count; ++number) {
      auto device = std::make_unique<cuda::CudaDevice>(number);
      const std::string name(device->name());
      r.add_device(std::move(device));
      cuda::add_kernels(r, name, true);
    }
    return {};
  });
}

}  // namespace brio
