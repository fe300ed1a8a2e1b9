#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/isa.h"

namespace brio {

void register_cpu(Registry& registry) {
  apply_isa_cap();
  cpu::add_tile_kernels(registry);
  cpu::add_complex_kernels(registry);
  cpu::add_fft_kernels(registry);
  cpu::add_product_kernels(registry);
  cpu::add_factorization_kernels(registry);
  cpu::add_linear_solve_kernels(registry);
  cpu::add_convolution_kernels(registry);
  cpu::add_pooling_kernels(registry);
  cpu::add_conv_pool_kernels(registry);
  cpu::add_random_kernels(registry);
  cpu::add_row_kernels(registry);
  cpu::add_row_norm_kernels(registry);
  cpu::add_lstm_gates_kernels(registry);
  cpu::add_movement_kernels(registry);
  cpu::add_point_kernels(registry);
  cpu::add_indexed_row_kernels(registry);
  cpu::add_scan_kernels(registry);
  cpu::add_sorting_kernels(registry);
  cpu::add_attention_kernels(registry);
  cpu::add_optimizer_kernels(registry);
}

}  // namespace brio
