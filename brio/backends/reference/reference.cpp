// The reference backend: a kernel of priority 0 for every op on the device "cpu:0".
#include "brio/backends/reference/kernel.h"

namespace brio {

void register_reference(Registry& registry) {
  reference::add_elementwise(registry);
  reference::add_complex(registry);
  reference::add_fft(registry);
  reference::add_reductions(registry);
  reference::add_shape_ops(registry);
  reference::add_products(registry);
  reference::add_factorizations(registry);
  reference::add_linear_solve(registry);
  reference::add_convolutions(registry);
  reference::add_pooling(registry);
  reference::add_cast_many(registry);
  reference::add_conv_pool(registry);
  reference::add_column_moments(registry);
  reference::add_indexing(registry);
  reference::add_nd_indexing(registry);
  reference::add_indexed_rows(registry);
  reference::add_ranges(registry);
  reference::add_scan_ops(registry);
  reference::add_sorting(registry);
  reference::add_random(registry);
  reference::add_distributions(registry);
  reference::add_composites(registry);
  reference::add_row_norm(registry);
  reference::add_lstm_gates(registry);
  reference::add_attention(registry);
  reference::add_optimizer_ops(registry);
}

}  // namespace brio
