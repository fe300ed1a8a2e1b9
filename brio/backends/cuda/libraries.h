// NVIDIA's libraries, found at run time: nothing of Brio links to them, so that one binary serves machines with and
// without a GPU. Each is a table of functions; what is missing is an error with a sentence that says what to do.
#pragma once

#include <cublasLt.h>
#include <cuda.h>
#include <cudnn.h>
#include <nvrtc.h>

#include <string>
#include <string_view>

#include "brio/backends/cuda/nvjpeg.h"

namespace brio::cuda {

// The driver's header gives several functions the names of their newest versions by macros, members here too.
// clang-format lays these lists out anew each time, and never the same.
// clang-format off
#define BRIO_DRIVER_FUNCTIONS(X) \
  X(cuInit) X(cuDriverGetVersion) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetAttribute) \
  X(cuDeviceTotalMem) X(cuDevicePrimaryCtxRetain) X(cuCtxSetCurrent) X(cuMemAlloc) X(cuMemFree) X(cuMemGetInfo) \
  X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) \
  X(cuMemsetD8Async) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamWaitEvent) X(cuStreamSynchronize) \
  X(cuStreamBeginCapture) X(cuStreamEndCapture) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) \
  X(cuEventQuery) X(cuEventSynchronize) X(cuEventElapsedTime) X(cuMemcpy2DAsync) X(cuGraphInstantiate) X(cuGraphLaunch) X(cuGraphDestroy) \
  X(cuGraphExecDestroy) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuFuncSetAttribute) \
  X(cuLaunchKernel)   X(cuGetErrorName) X(cuGetErrorString)
#define BRIO_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram) X(nvrtcGetCUBINSize) \
  X(nvrtcGetCUBIN) X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog) X(nvrtcGetErrorString)
#define BRIO_CUBLASLT_FUNCTIONS(X) \
  X(cublasLtCreate) X(cublasLtMatmul) X(cublasLtMatmulDescCreate) X(cublasLtMatmulDescDestroy) \
  X(cublasLtMatmulDescSetAttribute) X(cublasLtMatrixLayoutCreate) X(cublasLtMatrixLayoutDestroy) \
  X(cublasLtMatrixLayoutSetAttribute) X(cublasLtMatmulPreferenceCreate) X(cublasLtMatmulPreferenceDestroy) \
  X(cublasLtMatmulPreferenceSetAttribute) X(cublasLtMatmulAlgoGetHeuristic) X(cublasLtGetStatusString) X(cublasLtGetVersion)
#define BRIO_CUDNN_FUNCTIONS(X) \
  X(cudnnGetVersion) X(cudnnCreate) X(cudnnSetStream) X(cudnnGetErrorString) X(cudnnGetLastErrorString) \
  X(cudnnBackendCreateDescriptor) X(cudnnBackendDestroyDescriptor) X(cudnnBackendSetAttribute) \
  X(cudnnBackendGetAttribute) X(cudnnBackendFinalize) X(cudnnBackendExecute)
// clang-format on

#define BRIO_MEMBER(function) decltype(&::function) function = nullptr;
struct Driver {
  BRIO_DRIVER_FUNCTIONS(BRIO_MEMBER)
};
struct Nvrtc {
  BRIO_NVRTC_FUNCTIONS(BRIO_MEMBER)
};
struct CublasLt {
  BRIO_CUBLASLT_FUNCTIONS(BRIO_MEMBER)
};
struct Cudnn {
  BRIO_CUDNN_FUNCTIONS(BRIO_MEMBER)
};
#undef BRIO_MEMBER

// Loaded at the first call; throw ResourceError naming the library, where it was looked for and what would bring it.
const Driver& driver();
const Nvrtc& nvrtc();
const CublasLt& cublas();
const Cudnn& cudnn();
const Nvjpeg& nvjpeg();

// Why there is no GPU to work with; empty when there is one. Loads the driver, nothing else.
std::string obstacle();

[[noreturn]] void throw_failed(CUresult result, std::string_view doing);
inline void check(CUresult result, std::string_view doing) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_failed(result, doing);
}
[[noreturn]] void throw_failed(cublasStatus_t status, std::string_view doing);
inline void check(cublasStatus_t status, std::string_view doing) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    throw_failed(status, doing);
}
[[noreturn]] void throw_failed(cudnnStatus_t status, std::string_view doing);
inline void check(cudnnStatus_t status, std::string_view doing) {
  if (status != CUDNN_STATUS_SUCCESS) [[unlikely]]
    throw_failed(status, doing);
}
std::string_view text_of(NvjpegStatus status);

}  // namespace brio::cuda
