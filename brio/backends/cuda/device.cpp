#include "brio/backends/cuda/device.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/kernel_times.h"
#include "brio/backends/cuda/loop.h"
#include "brio/base/error.h"

namespace brio::cuda {
namespace {

size_t rounded_to_pages(size_t bytes) {
  constexpr size_t kPage = 4096;
  return (std::max(bytes, kPage) + kPage - 1) / kPage * kPage;
}

CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

}  // namespace

void CudaKernel::run(const KernelArgs&) const { BRIO_CHECK(false, "a kernel of a GPU was run on the host"); }
void CudaKernel::refuse(long long value, long long) const { BRIO_CHECK(false, "a kernel refused ", value); }

Grid blocks_for(int64_t n, int block) {
  const int64_t blocks = (n + block - 1) / block;
  return {static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, std::numeric_limits<int32_t>::max()))};
}

// ---- Memory

// What was taken stays with the process: a block that is free is somebody's next one.
CudaMemory::CudaMemory(CudaDevice& device)
    : DeviceMemory(device, std::numeric_limits<size_t>::max()), device_(device) {}

void* CudaMemory::map(size_t bytes) {
  device_.enter();
  CUdeviceptr data = 0;
  const CUresult result = driver().cuMemAlloc(&data, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  check(result, "taking memory");
  return reinterpret_cast<void*>(data);
}

void CudaMemory::unmap(void* data, size_t) noexcept {
  device_.enter();
  driver().cuMemFree(address(data));
}

void* PinnedMemory::allocate(size_t bytes) {
  const size_t size = rounded_to_pages(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = free_.find(size); found != free_.end()) {
      void* const data = found->second;
      free_.erase(found);
      kept_ -= size;
      return data;
    }
  }
  device_.enter();
  void* data = nullptr;
  check(driver().cuMemHostAlloc(&data, size, CU_MEMHOSTALLOC_PORTABLE),
        cat("taking ", size, " bytes of pinned memory"));
  return data;
}

void PinnedMemory::release(void* data, size_t bytes, const Use& last) noexcept {
  if (last.stream) last.stream->pass(last.ticket);
  const size_t size = rounded_to_pages(bytes);
  if (const std::lock_guard lock(mutex_); kept_ + size <= kMostKept) {
    free_.emplace(size, data);
    kept_ += size;
    return;
  }
  driver().cuMemFreeHost(data);
}

// ---- Device

CudaDevice::CudaDevice(int number) : Device(memory_), name_(cat("gpu:", number)), memory_(*this) {
  const Driver& d = driver();
  check(d.cuDeviceGet(&device_, number), "finding a device");
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    check(d.cuDeviceGetAttribute(&value, which, device_), "asking a device what it is");
    return value;
  };
  multiprocessors_ = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  capability_ = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  most_shared_ = static_cast<size_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  compiler_ = std::make_unique<Compiler>(capability_);
}

CudaDevice::CudaDevice(Imagined imagined)
    : Device(memory_),
      name_("gpu:imagined"),
      multiprocessors_(132),
      capability_(imagined.capability),
      most_shared_(imagined.capability >= 90 ? size_t{227} << 10 : size_t{99} << 10),
      memory_(*this) {
  compiler_ = std::make_unique<Compiler>(capability_);
}

std::string CudaDevice::description() const {
  char text[256] = "";
  size_t bytes = 0;
  driver().cuDeviceGetName(text, sizeof(text), device_);
  driver().cuDeviceTotalMem(&bytes, device_);
  return cat(text, ", ", (bytes + 500'000'000) / 1'000'000'000, " GB");
}

// A loop that holds one op without a device function would run op by op, and on the host for that one.
bool CudaDevice::fuses(const Graph& graph, const Node& node) const { return node_obstacle(graph, node).empty(); }

void CudaDevice::enter() const {
  std::call_once(started_,
                 [this] { check(driver().cuDevicePrimaryCtxRetain(&context_, device_), cat("starting ", name_)); });
  static thread_local CUcontext current = nullptr;
  if (current == context_) return;
  check(driver().cuCtxSetCurrent(context_), "choosing a device");
  current = context_;
}

cublasLtHandle_t CudaDevice::products() {
  std::call_once(products_once_, [this] {
    enter();
    check(cublas().cublasLtCreate(&products_), "starting cuBLASLt");
  });
  return products_;
}

cudnnHandle_t CudaDevice::cudnn_handle(CUstream stream) {
  // A handle serves one thread at a time.
  static thread_local std::vector<std::pair<const CudaDevice*, cudnnHandle_t>> handles;
  cudnnHandle_t handle = nullptr;
  for (const auto& [device, known] : handles)
    if (device == this) handle = known;
  if (!handle) {
    enter();
    check(cudnn().cudnnCreate(&handle), "starting cuDNN");
    handles.emplace_back(this, handle);
  }
  if (stream) check(cudnn().cudnnSetStream(handle, stream), "giving cuDNN a stream");
  return handle;
}

// ---- Stream

CudaStream::CudaStream(CudaDevice& device) : device_(device) {
  device_.enter();
  check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  void* pinned = nullptr;
  check(driver().cuMemHostAlloc(&pinned, sizeof(Failure), CU_MEMHOSTALLOC_PORTABLE), "taking pinned memory");
  failure_ = new (pinned) Failure;
}

CudaStream::~CudaStream() {
  device_.enter();
  driver().cuStreamSynchronize(stream_);
  for (const Mark& mark : marks_) driver().cuEventDestroy(mark.event);
  for (CUevent event : idle_events_) driver().cuEventDestroy(event);
  driver().cuMemFreeHost(failure_);
  driver().cuStreamDestroy(stream_);
}

void CudaStream::launch(const Kernel& kernel, std::span<const void* const> in, std::span<void* const> out,
                        void* scratch) {
  device_.enter();
  constexpr uintptr_t mask = CudaKernel::kScratchAlignment - 1;
  scratch = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch) + mask) & ~mask);
  if (times_kernels()) {
    driver().cuStreamSynchronize(stream_);
    const auto began = std::chrono::steady_clock::now();
    static_cast<const CudaKernel&>(kernel).enqueue({in.data(), out.data(), scratch}, *this);
    driver().cuStreamSynchronize(stream_);
    count_kernel(kernel.description, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  } else {
    static_cast<const CudaKernel&>(kernel).enqueue({in.data(), out.data(), scratch}, *this);
  }
  const std::string_view op = static_cast<const CudaKernel&>(kernel).op;
  if (is_to_break(op)) break_device();
  const std::lock_guard lock(mutex_);
  if (waits_for_each()) passed_ = pushed_;  // this one alone is under way
  under_way_.add(++pushed_, op);
  if (waits_for_each()) must(driver().cuStreamSynchronize(stream_), op);
}

void CudaStream::refuse_result(CUresult result, std::string_view doing) {
  if (!is_broken(result)) throw_failed(result, doing);
  const std::lock_guard lock(broken_mutex_);
  if (broken_.empty()) broken_ = breakage(result, under_way_.since(passed_));
  throw InternalError(broken_);
}

void CudaStream::break_device() {
  const std::shared_ptr<const Code> code =
      device_.compiler().code("break", kernel_of("i64 address", "*(volatile i32*)address = 1", 32), {});
  start(*code, {1}, {1}, int64_t{64});
}

void CudaStream::start_with(const Code& code, Grid grid, Grid block, void** arguments, size_t shared) {
  const CUfunction function = code.function();
  static std::mutex setting;  // what is set is the kernel's: launches of other threads may take less
  std::unique_lock<std::mutex> lock;
  if (shared != 0) {
    lock = std::unique_lock(setting);
    must(driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(shared)),
         code.name());
  }
  must(driver().cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                               static_cast<unsigned>(shared), stream_, arguments, nullptr),
       code.name());
}

void CudaStream::copy_to_host(void* host, const void* device, size_t bytes) {
  device_.enter();
  must(driver().cuMemcpyDtoHAsync(host, address(device), bytes, stream_), "copying to the host");
  const std::lock_guard lock(mutex_);
  ++pushed_;
}
// Pageable memory has been read when the call returns: that is what the driver promises of it. Staging memory, which
// is pinned, is read later.
void CudaStream::copy_to_device(void* device, const void* host, size_t bytes) {
  device_.enter();
  must(driver().cuMemcpyHtoDAsync(address(device), host, bytes, stream_), "copying to the device");
  const std::lock_guard lock(mutex_);
  ++pushed_;
}
void CudaStream::copy(void* to, const void* from, size_t bytes) {
  device_.enter();
  must(driver().cuMemcpyDtoDAsync(address(to), address(from), bytes, stream_), "copying on the device");
  const std::lock_guard lock(mutex_);
  ++pushed_;
}
void CudaStream::clear(void* data, size_t bytes) {
  device_.enter();
  must(driver().cuMemsetD8Async(address(data), 0, bytes, stream_), "clearing memory");
  const std::lock_guard lock(mutex_);
  ++pushed_;
}

void CudaStream::keep(std::shared_ptr<const void> what) {
  const std::lock_guard lock(mutex_);
  if (!kept_.empty() && kept_.back().what == what) kept_.back().ticket = pushed_;
  else kept_.push_back({pushed_, std::move(what)});
}

uint64_t CudaStream::mark() {
  device_.enter();
  std::vector<Kept> gone;  // destroyed outside of the lock
  const std::lock_guard lock(mutex_);
  collect(gone);
  return mark_locked();
}

uint64_t CudaStream::mark_locked() {
  if (pushed_ == passed_ || (!marks_.empty() && marks_.back().ticket == pushed_)) return pushed_;
  CUevent event = nullptr;
  if (idle_events_.empty()) {
    must(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "making an event");
  } else {
    event = idle_events_.back();
    idle_events_.pop_back();
  }
  must(driver().cuEventRecord(event, stream_), "marking a stream");
  marks_.push_back({pushed_, event});
  return pushed_;
}

void CudaStream::collect(std::vector<Kept>& gone) {
  while (!marks_.empty() && driver().cuEventQuery(marks_.front().event) == CUDA_SUCCESS) {
    passed_ = std::max(passed_, marks_.front().ticket);
    idle_events_.push_back(marks_.front().event);
    marks_.pop_front();
  }
  while (!kept_.empty() && kept_.front().ticket <= passed_) {
    gone.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
}

// Others mark and wait meanwhile: the event is found anew after the wait.
void CudaStream::wait_locked(std::unique_lock<std::mutex>& lock, uint64_t ticket) {
  while (passed_ < ticket) {
    const auto mark = std::ranges::find_if(marks_, [&](const Mark& m) { return m.ticket >= ticket; });
    BRIO_CHECK(mark != marks_.end(), "a ticket that no stream gave");
    const CUevent event = mark->event;
    lock.unlock();
    const CUresult result = driver().cuEventSynchronize(event);
    lock.lock();
    must(result, "running kernels");
    std::vector<Kept> gone;
    collect(gone);
    lock.unlock();
    gone.clear();
    lock.lock();
  }
}

void CudaStream::pass(uint64_t ticket) noexcept {
  try {
    device_.enter();
    std::unique_lock lock(mutex_);
    wait_locked(lock, ticket);
  } catch (const std::exception&) {  // a device that has failed holds nothing back; who reads is told
  }
}

void CudaStream::wait(uint64_t ticket) {
  device_.enter();
  std::unique_lock lock(mutex_);
  wait_locked(lock, ticket);
  lock.unlock();
  throw_refused();
}

void CudaStream::wait_for(Stream& other, uint64_t ticket) {
  auto& stream = static_cast<CudaStream&>(other);
  {
    const std::lock_guard lock(stream.mutex_);
    if (stream.passed_ >= ticket) return;
    const auto mark = std::ranges::find_if(stream.marks_, [&](const Mark& m) { return m.ticket >= ticket; });
    BRIO_CHECK(mark != stream.marks_.end(), "a ticket that no stream gave");
    device_.enter();
    must(driver().cuStreamWaitEvent(stream_, mark->event, 0), "letting a stream wait");
  }
  const std::lock_guard lock(mutex_);
  ++pushed_;
}

CudaStream::FailureAt CudaStream::failure_of(const CudaKernel& kernel) {
  return {failure_, static_cast<long long>(reinterpret_cast<intptr_t>(&kernel))};
}

void CudaStream::throw_refused() {
  const Failure failure = *failure_;
  if (failure.which == 0) return;
  *failure_ = {};
  reinterpret_cast<const CudaKernel*>(static_cast<intptr_t>(failure.which))->refuse(failure.value, failure.place);
}

}  // namespace brio::cuda
