// One function per op family; register_all_ops() calls them in turn, once.
#pragma once

namespace brio {

void register_elementwise();
void register_complex();
void register_fft();
void register_reductions();
void register_shape_ops();
void register_products();
void register_factorizations();
void register_linear_solve();
void register_convolutions();
void register_pooling();
void register_conv_pool();
void register_column_moments();
void register_indexing();
void register_nd_indexing();
void register_indexed_rows();
void register_ranges();
void register_scan_ops();
void register_sorting();
void register_random();
void register_distributions();
void register_composites();
void register_attention();
void register_row_norm();
void register_lstm_gates();
void register_residuals();
void register_optimizer_ops();
void register_fusion();
void register_control();
void register_effects();

void register_all_ops();

}  // namespace brio
