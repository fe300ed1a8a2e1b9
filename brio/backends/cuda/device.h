// A GPU: its memory, its streams, and kernels that are handed to them.
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

// Where kernels leave word of data that they refuse, in memory that both sides see.
struct Failure {
  long long which = 0;  // the kernel's address; 0: none. Its plan waits for it, so it is there when the host looks.
  long long value = 0, place = 0;
};

class CudaKernel : public Kernel {
 public:
  void run(const KernelArgs& args) const final;
  // Libraries want workspace at multiples of 256 bytes, which the arena does not promise: there is room to move.
  static constexpr size_t kScratchAlignment = 256;
  size_t scratch_bytes() const final { return scratch_needed() == 0 ? 0 : scratch_needed() + kScratchAlignment; }
  virtual size_t scratch_needed() const { return 0; }
  virtual void enqueue(const KernelArgs& args, CudaStream& stream) const = 0;
  // Of kernels that may refuse their data: throws what the user reads.
  virtual void refuse(long long value, long long place) const;
  std::string_view op = "?";  // whose kernel it is
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
  // With so much shared memory beside what the kernel's text declares (prelude.cuh, dynamic_memory).
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
  struct FailureAt {  // what a kernel that may fail is told
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
  void collect(std::vector<Kept>& gone);  // what has passed
  void throw_refused();
  void break_device();  // for tests
  // As check(); of a device that is broken it says the same each time: what was under way when that was first seen.
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
  std::string broken_;          // what is said of a device that is broken
  Failure* failure_ = nullptr;  // pinned
  bool in_section_ = false;     // sections within it are parts of its graph
};

// Memory of the host that the device copies from by itself. Taking and giving it back stops the device, so that some
// of it is kept for the next that ask.
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
  // One that is not there, of this capability: prepares kernels, whose texts are then compiled, and runs none.
  struct Imagined {
    int capability;
  };
  explicit CudaDevice(Imagined imagined);
  std::string_view name() const override { return name_; }
  std::string description() const override;
  Memory& staging() override { return staging_; }
  bool fuses(const Graph& graph, const Node& node) const override;
  bool has_own_kernels() const override { return true; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<CudaStream>(*this); }

  void enter() const;  // makes this thread's calls go to this device
  Compiler& compiler() const { return *compiler_; }
  cublasLtHandle_t products();                  // made at the first call
  cudnnHandle_t cudnn_handle(CUstream stream);  // this thread's
  int multiprocessors() const { return multiprocessors_; }
  int capability() const { return capability_; }       // 90: compute capability 9.0
  size_t most_shared() const { return most_shared_; }  // bytes of shared memory that a block may have

 private:
  CUdevice device_ = 0;
  mutable std::once_flag started_;
  mutable CUcontext context_ = nullptr;  // taken at the first use: it costs time and memory
  std::string name_;
  int multiprocessors_ = 0, capability_ = 0;
  size_t most_shared_ = size_t{48} << 10;
  CudaMemory memory_;
  PinnedMemory staging_{*this};
  std::unique_ptr<Compiler> compiler_;
  std::once_flag products_once_;
  cublasLtHandle_t products_ = nullptr;
};

inline CudaDevice& device_of(const NodeView& node) { return static_cast<CudaDevice&>(*node.device); }

}  // namespace brio::cuda
