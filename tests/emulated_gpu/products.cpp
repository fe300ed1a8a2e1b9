// libcublasLt.so.13 for a machine without a GPU: products of matrices by their definition, summed in double.
#include <cublasLt.h>

#include <cstring>

#include "brio/tensor/dtype.h"

namespace {

__extension__ typedef _Float16 Half;

struct Layout {
  cudaDataType type;
  int64_t rows, columns, leading;
  int32_t count = 1;
  int64_t step = 0;
};
struct Operation {
  int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N, epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};

template <typename T>
T& at(void* data, int64_t i) {
  return static_cast<T*>(data)[i];
}
double number(const void* data, cudaDataType type, int64_t i) {
  void* const p = const_cast<void*>(data);
  switch (type) {
    case CUDA_R_64F: return at<double>(p, i);
    case CUDA_R_16F: return static_cast<double>(at<Half>(p, i));
    case CUDA_R_16BF: return static_cast<float>(at<brio::BFloat16>(p, i));
    default: return at<float>(p, i);
  }
}
void put(void* data, cudaDataType type, int64_t i, double x) {
  switch (type) {
    case CUDA_R_64F: at<double>(data, i) = x; return;
    case CUDA_R_16F: at<Half>(data, i) = static_cast<Half>(static_cast<float>(x)); return;
    case CUDA_R_16BF: at<brio::BFloat16>(data, i) = brio::BFloat16(static_cast<float>(x)); return;
    default: at<float>(data, i) = static_cast<float>(x);
  }
}
const Layout& layout(cublasLtMatrixLayout_t handle) { return *reinterpret_cast<const Layout*>(handle); }

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return *handle = nullptr, CUBLAS_STATUS_SUCCESS; }
const char* cublasLtGetStatusString(cublasStatus_t) { return "the emulated GPU cannot"; }
size_t cublasLtGetVersion() { return 130000; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t, cudaDataType_t) {
  return *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Operation), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
  return delete reinterpret_cast<Operation*>(made), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made, cublasLtMatmulDescAttributes_t what,
                                              const void* value, size_t bytes) {
  auto& operation = *reinterpret_cast<Operation*>(made);
  if (what == CUBLASLT_MATMUL_DESC_TRANSA) std::memcpy(&operation.transpose_a, value, bytes);
  if (what == CUBLASLT_MATMUL_DESC_TRANSB) std::memcpy(&operation.transpose_b, value, bytes);
  if (what == CUBLASLT_MATMUL_DESC_EPILOGUE) std::memcpy(&operation.epilogue, value, bytes);
  if (what == CUBLASLT_MATMUL_DESC_BIAS_POINTER) std::memcpy(&operation.bias, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), leading});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
  return delete &layout(made), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t made, cublasLtMatrixLayoutAttribute_t what,
                                                const void* value, size_t bytes) {
  auto& matrix = *reinterpret_cast<Layout*>(made);
  if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) std::memcpy(&matrix.count, value, bytes);
  if (what == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) std::memcpy(&matrix.step, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  return *made = nullptr, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t* found,
                                              int* count) {
  *found = {};
  *count = layout(a).type == CUDA_C_32F || layout(a).type == CUDA_C_64F ? 0 : 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t made, const void*, const void* left,
                              cublasLtMatrixLayout_t of_left, const void* right, cublasLtMatrixLayout_t of_right,
                              const void*, const void*, cublasLtMatrixLayout_t, void* out,
                              cublasLtMatrixLayout_t of_out, const cublasLtMatmulAlgo_t*, void*, size_t,
                              cudaStream_t) {
  const auto& operation = *reinterpret_cast<const Operation*>(made);
  const Layout &a = layout(of_left), &b = layout(of_right), &c = layout(of_out);
  const bool turn_a = operation.transpose_a != CUBLAS_OP_N, turn_b = operation.transpose_b != CUBLAS_OP_N;
  const int64_t depth = turn_a ? a.rows : a.columns;
  for (int64_t n = 0; n < c.count; ++n)
    for (int64_t j = 0; j < c.columns; ++j)
      for (int64_t i = 0; i < c.rows; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += number(left, a.type, n * a.step + (turn_a ? k + i * a.leading : i + k * a.leading)) *
                 number(right, b.type, n * b.step + (turn_b ? j + k * b.leading : k + j * b.leading));
        if (operation.epilogue != CUBLASLT_EPILOGUE_DEFAULT) sum += number(operation.bias, c.type, i);
        if (operation.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS && sum < 0) sum = 0;
        put(out, c.type, n * c.step + i + j * c.leading, sum);
      }
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
