// Which of the ways that cuBLASLt offers for a product is quickest on this device, by measurement: its first choice
// is up to a quarter slower. Only ways whose bits are those of the first choice are taken, so that what a program
// computes depends on no time. What was found is kept on disk.
#pragma once

#include <span>
#include <string>

#include "brio/backends/cuda/device.h"

namespace brio::cuda {

// Enough for the best to be among them; cuBLASLt has seldom more.
constexpr int kProductWays = 8;

struct ProductTrial {
  std::string name;  // what the product is, among all of a device
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t first, second, result;
  size_t first_bytes, second_bytes, result_bytes;  // of all matrices of a batch
  size_t bias_bytes;                               // 0: it adds none
  bool adds;                                       // to what is there
  std::span<const cublasLtMatmulHeuristicResult_t> ways;
};

// BRIO_CUDA_TUNE=1 asks for it; otherwise cuBLASLt decides.
bool tunes_products();
// The place of the way to take. 0, cuBLASLt's first choice, also where there is no memory to try others.
size_t quickest_way(CudaDevice& device, const ProductTrial& trial);

}  // namespace brio::cuda
