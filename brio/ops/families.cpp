#include "brio/ops/families.h"

#include <mutex>

#include "brio/ir/op.h"

namespace brio {

void register_all_ops() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_elementwise();
    register_complex();
    register_fft();
    register_reductions();
    register_shape_ops();
    register_products();
    register_factorizations();
    register_linear_solve();
    register_convolutions();
    register_pooling();
    register_conv_pool();
    register_column_moments();
    register_fusion();
    register_indexing();
    register_nd_indexing();
    register_indexed_rows();
    register_ranges();
    register_scan_ops();
    register_sorting();
    register_random();
    register_distributions();
    register_composites();
    register_attention();
    register_row_norm();
    register_lstm_gates();
    register_residuals();
    register_optimizer_ops();
    register_control();
    register_effects();
    check_op_table();
  });
}

}  // namespace brio
