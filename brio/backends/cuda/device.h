// A GPU: its memory, its streams, and the kernels that are handed to them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "brio/backends/cuda/compiler.h"
#include "brio/backends/cuda/failures.h"
#include "brio/backends/cuda/libraries.h"
#include "brio/runtime/backend.h"

namespace brio::cuda {

class CudaDevice;
class CudaStream;

// Memory that both sides see, in which a kernel reports data that it refuses.
struct Failure {
  long long which = 0;  // the kernel's address; 0: none. Its plan waits for it, so it is there when the host looks.
  long long value = 0, place = 0;
};

class CudaKernel : public Kernel {
 public:
  void run(const KernelArgs& args) const final;
  // Libraries want workspace at multiples of 256 bytes, which the arena does not guarantee: room to align it.
  static constexpr size_t kScratchAlignment = 256;
  size_t scratch_bytes() const final { return scratch_needed() == 0 ? 0 : scratch_needed() + kScratchAlignment; }
  virtual size_t scratch_needed() const { return 0; }
  virtual void enqueue(const KernelArgs& args, CudaStream& stream) const = 0;
  // For kernels that may refuse their data: throws the error that the user reads.
  virtual void refuse(long long value, long long place) const;
  std::string_view op = "?";  // the op of the kernel
};

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};
// Threads in blocks of `block` for n pieces of work.
Grid blocks_for(int64_t n, int block);

class CudaStream final : public Stream {
 public:
  explicit CudaStream(CudaDevice& device);
  ~CudaStream() override;

  void launch(const Kernel& kernel, std::span<const void* const> in, std::span<void* const> out,
              void* scratch) override;
  void launch_all(const Section& section, void** pointers, char* arena) override;
  void copy_to_host(void* host, const void* device, size_t bytes) override;
  void copy_to_device(void* device, const void* host, size_t bytes) override;
  void copy(void* to, const void* from, size_t bytes) override;
  void clear(void* data, size_t bytes) override;
  void keep(std::shared_ptr<const void> what) override;
  uint64_t mark() override;
  void pass(uint64_t ticket) noexcept override;
  void wait(uint64_t ticket) override;
  void wait_for(Stream& other, uint64_t ticket) override;

  // For kernels.
  template <typename... Args>
  void start(const Code& code, Grid grid, Grid block, const Args&... args) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...};
    start_with(code, grid, block, pointers);
  }
  // With this much shared memory besides the memory that the kernel's text declares (prelude.cuh, dynamic_memory).
  template <typename... Args>
  void start_sharing(size_t shared, const Code& code, Grid grid, Grid block, const Args&... args) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...};
    start_with(code, grid, block, pointers, shared);
  }
  void start_packed(const Code& code, Grid grid, Grid block, const std::vector<char>& parameters) {
    void* pointers[] = {const_cast<char*>(parameters.data())};
    start_with(code, grid, block, pointers);
  }
  CUstream handle() const { return stream_; }
  CudaDevice& device() const { return device_; }
  struct FailureAt {  // what a kernel that may fail gets
    Failure* at;
    long long which;
  };
  FailureAt failure_of(const CudaKernel& kernel);

 private:
  struct Mark {
    uint64_t ticket;
    CUevent event;
  };
  struct Kept {
    uint64_t ticket;
    std::shared_ptr<const void> what;
  };
  void start_with(const Code& code, Grid grid, Grid block, void** arguments, size_t shared = 0);
  uint64_t mark_locked();
  void wait_locked(std::unique_lock<std::mutex>& lock, uint64_t ticket);
  void collect(std::vector<Kept>& gone);  // objects whose work has passed
  void throw_refused();
  void break_device();  // for tests
  // As check(). For a broken device the error is always the same: the ops that were under way at the first one.
  void must(CUresult result, std::string_view doing) {
    if (result != CUDA_SUCCESS) [[unlikely]]
      refuse_result(result, doing);
  }
  [[noreturn]] void refuse_result(CUresult result, std::string_view doing);

  CudaDevice& device_;
  CUstream stream_ = nullptr;
  std::mutex mutex_;
  uint64_t pushed_ = 0, passed_ = 0;
  std::deque<Mark> marks_;
  std::vector<CUevent> idle_events_;
  std::deque<Kept> kept_;
  UnderWay under_way_;
  std::mutex broken_mutex_;
  std::string broken_;          // the error of a broken device
  Failure* failure_ = nullptr;  // pinned
  bool in_section_ = false;     // sections inside of it are parts of its graph
};

// Host memory that the device copies from by itself. Allocating and freeing it stops the device, so some of it is
// kept for later requests.
class PinnedMemory final : public Memory {
 public:
  explicit PinnedMemory(CudaDevice& device) : device_(device) {}
  void* allocate(size_t bytes) override;
  void release(void* data, size_t bytes, const Use& last) noexcept override;

 private:
  static constexpr size_t kMostKept = size_t{1} << 30;
  CudaDevice& device_;
  std::mutex mutex_;
  std::multimap<size_t, void*> free_;  // by rounded size
  size_t kept_ = 0;
};

class CudaMemory final : public DeviceMemory {
 public:
  explicit CudaMemory(CudaDevice& device);

 protected:
  void* map(size_t bytes) override;
  void unmap(void* data, size_t bytes) noexcept override;

 private:
  CudaDevice& device_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number);
  // A device that does not exist, with this capability: it prepares kernels, which are compiled and never run.
  struct Imagined {
    int capability;
  };
  explicit CudaDevice(Imagined imagined);
  std::string_view name() const override { return name_; }
  std::string description() const override;
  Memory& staging() override { return staging_; }
  bool fuses(const Graph& graph, const Node& node) const override;
  bool has_own_kernels() const override { return true; }
  // A gelu of nine steps on 1 GiB of bf16 takes 0.55 ms on an H200, a copy 0.50.
  double loop_op_bytes() const override { return 0.05; }
  DevicePictures* pictures() override;
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<CudaStream>(*this); }

  void enter() const;  // directs this thread's calls to this device
  Compiler& compiler() const { return *compiler_; }
  cublasLtHandle_t products();                  // made at the first call
  cudnnHandle_t cudnn_handle(CUstream stream);  // this thread's
  int multiprocessors() const { return multiprocessors_; }
  int capability() const { return capability_; }       // 90: compute capability 9.0
  size_t most_shared() const { return most_shared_; }  // bytes of shared memory that a block may have

 private:
  CUdevice device_ = 0;
  mutable std::once_flag started_;
  mutable CUcontext context_ = nullptr;  // taken at the first use, because it costs time and memory
  std::string name_;
  int multiprocessors_ = 0, capability_ = 0;
  size_t most_shared_ = size_t{48} << 10;
  CudaMemory memory_;
  PinnedMemory staging_{*this};
  std::unique_ptr<Compiler> compiler_;
  std::once_flag products_once_;
  cublasLtHandle_t products_ = nullptr;
  std::once_flag pictures_once_;
  std::shared_ptr<DevicePictures> pictures_;  // a type that only pictures.cpp knows
};

inline CudaDevice& device_of(const NodeView& node) { return static_cast<CudaDevice&>(*node.device); }

}  // namespace brio::cuda
