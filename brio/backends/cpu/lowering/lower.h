// From IR nodes to the kernels of this backend: one file per family, each adds its implementations to the registry.
#pragma once

#include "brio/runtime/backend.h"

namespace brio::cpu {

void add_tile_kernels(Registry& registry);
void add_complex_kernels(Registry& registry);
void add_fft_kernels(Registry& registry);
void add_product_kernels(Registry& registry);
void add_factorization_kernels(Registry& registry);
void add_linear_solve_kernels(Registry& registry);
void add_convolution_kernels(Registry& registry);
void add_pooling_kernels(Registry& registry);
void add_conv_pool_kernels(Registry& registry);
void add_random_kernels(Registry& registry);
void add_row_kernels(Registry& registry);
void add_row_norm_kernels(Registry& registry);
void add_lstm_gates_kernels(Registry& registry);
void add_movement_kernels(Registry& registry);
void add_point_kernels(Registry& registry);
void add_indexed_row_kernels(Registry& registry);
void add_scan_kernels(Registry& registry);
void add_sorting_kernels(Registry& registry);
void add_attention_kernels(Registry& registry);
void add_optimizer_kernels(Registry& registry);

inline constexpr std::string_view kDevice = "cpu:0";
inline constexpr int kPriority = 10;  // asked before the reference

inline Support always(const NodeView&) { return Support::can(); }

template <typename K>
std::unique_ptr<Kernel> prepare(const NodeView& node) {
  return std::make_unique<K>(node);
}

}  // namespace brio::cpu
