// libcuda.so.1 for a machine without a GPU: memory is the host's, streams do at once what they are given, and a
// kernel is host code (compiler.cpp), whose threads are contexts of one thread of the host. There are no graphs:
// BRIO_CUDA_GRAPHS=0.
#include <cuda.h>
#include <dlfcn.h>
#include <ucontext.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "threads.h"

namespace brio::emulated {
namespace {

constexpr size_t kStackBytes = size_t{64} << 10;

struct Function {
  void (*call)(void**);
  Block* block;
};

struct Context {
  ucontext_t state;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStackBytes);
  Waits waits = Waits::for_nobody;
};

std::vector<Context> contexts(kMostThreads);
ucontext_t scheduler;
Function running;
void** arguments;

void wait(Waits how) {
  Context& mine = contexts[running.block->number];
  mine.waits = how;
  swapcontext(&mine.state, &scheduler);
}
void run_thread() {
  running.call(arguments);
  running.block->runs[running.block->number] = false;  // then the context goes on where its link says
}

// Threads first … end go on where all of them that have not ended wait alike.
bool release(unsigned first, unsigned end, Waits how) {
  bool any = false;
  for (unsigned i = first; i < end; ++i) {
    if (!running.block->runs[i]) continue;
    if (contexts[i].waits != how) return false;
    any = true;
  }
  for (unsigned i = first; any && i < end; ++i) contexts[i].waits = Waits::for_nobody;
  return any;
}

void run_block() {
  Block& block = *running.block;
  const Place size = block.threads;
  const unsigned threads = size.x * size.y * size.z;
  std::fill_n(block.runs, kMostThreads, false);
  for (unsigned i = 0; i < threads; ++i) {
    Context& context = contexts[i];
    getcontext(&context.state);
    context.state.uc_stack.ss_sp = context.stack.get();
    context.state.uc_stack.ss_size = kStackBytes;
    context.state.uc_link = &scheduler;
    makecontext(&context.state, run_thread, 0);
    context.waits = Waits::for_nobody;
    block.runs[i] = true;
  }
  for (;;) {
    for (unsigned i = 0; i < threads; ++i) {
      if (!block.runs[i] || contexts[i].waits != Waits::for_nobody) continue;
      block.number = i;
      block.thread = {i % size.x, i / size.x % size.y, i / size.x / size.y};
      swapcontext(&scheduler, &contexts[i].state);
    }
    bool go_on = false;
    for (unsigned warp = 0; warp < threads; warp += 32)
      go_on |= release(warp, std::min(warp + 32, threads), Waits::for_warp);
    if (go_on || release(0, threads, Waits::for_block)) continue;
    if (std::none_of(block.runs, block.runs + threads, [](bool runs) { return runs; })) return;
    std::fputs("emulated GPU: the threads of a block wait for each other\n", stderr);
    std::abort();
  }
}

void* taken(size_t bytes) { return std::aligned_alloc(512, (bytes + 511) / 512 * 512); }
void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

int value_of(CUdevice_attribute attribute) {
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) return 2;
  if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) return 227 << 10;
  return attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
}

}  // namespace
}  // namespace brio::emulated

using namespace brio::emulated;

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "a GPU that the host emulates");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return *value = value_of(attribute), CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) { return *bytes = size_t{8} << 30, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return *context = nullptr, CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr* data, size_t bytes) {
  *data = reinterpret_cast<CUdeviceptr>(taken(bytes));
  return *data ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree(CUdeviceptr data) { return std::free(pointer(data)), CUDA_SUCCESS; }
CUresult cuMemGetInfo(size_t* left, size_t* all) { return *left = *all = size_t{8} << 30, CUDA_SUCCESS; }
CUresult cuMemHostAlloc(void** data, size_t bytes, unsigned) { return *data = taken(bytes), CUDA_SUCCESS; }
CUresult cuMemFreeHost(void* data) { return std::free(data), CUDA_SUCCESS; }
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream) {
  return std::memcpy(pointer(to), from, bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  return std::memcpy(to, pointer(from), bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  return std::memmove(pointer(to), pointer(from), bytes), CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr data, unsigned char byte, size_t bytes, CUstream) {
  return std::memset(pointer(data), byte, bytes), CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) { return *stream = nullptr, CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent* event, unsigned) { return *event = nullptr, CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventQuery(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) { return *milliseconds = 1, CUDA_SUCCESS; }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream) {
  for (size_t row = 0; row < copy->Height; ++row)
    std::memcpy(static_cast<char*>(copy->dstHost) + row * copy->dstPitch,
                static_cast<const char*>(pointer(copy->srcDevice)) + row * copy->srcPitch, copy->WidthInBytes);
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuStreamEndCapture(CUstream, CUgraph*) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphInstantiate(CUgraphExec*, CUgraph, unsigned long long) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }

// Machine code is the path of a library.
CUresult cuModuleLoadData(CUmodule* module, const void* code) {
  *module = static_cast<CUmodule>(dlopen(static_cast<const char*>(code), RTLD_NOW | RTLD_LOCAL));
  return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const auto call = reinterpret_cast<void (*)(void**)>(dlsym(module, (std::string("call_") + name).c_str()));
  const auto state = reinterpret_cast<Block* (*)()>(dlsym(module, "emulated_state"));
  if (!call || !state) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(new Function{call, state()});  // stays, as modules do
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x,
                        unsigned y, unsigned z, unsigned, CUstream, void** parameters, void**) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  constexpr unsigned kDenormalsAreZero = 0x8040;
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | kDenormalsAreZero);
  running = *reinterpret_cast<Function*>(function);
  arguments = parameters;
  Block& block = *running.block;
  block.wait = wait;
  block.grid = {grid_x, grid_y, grid_z};
  block.threads = {x, y, z};
  for (unsigned c = 0; c < grid_z; ++c)
    for (unsigned b = 0; b < grid_y; ++b)
      for (unsigned a = 0; a < grid_x; ++a) {
        block.block = {a, b, c};
        run_block();
      }
  _mm_setcsr(mode);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult, const char** name) { return *name = "EMULATED", CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "the emulated GPU cannot", CUDA_SUCCESS; }

}  // extern "C"
