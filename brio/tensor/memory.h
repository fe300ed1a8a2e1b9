// Host memory: every byte is on the ledger under an owner, blocks are recycled by size so that a steady state makes
// no system calls, and the recycled bytes are bounded.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brio {

enum class Owner : uint8_t { parameters, gradients, optimizer, activations, input, cache, other };
inline constexpr int kOwnerCount = 7;
std::string_view name_of(Owner owner);

struct LedgerRow {
  Owner owner;
  int64_t bytes;  // now
  int64_t peak;
};
std::vector<LedgerRow> memory_ledger();

// Where buffers come from. A device has its own; the host's is below.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void* allocate(size_t bytes) = 0;  // 64-byte aligned; throws ResourceError
  virtual void release(void* data, size_t bytes) noexcept = 0;
};
Memory& host_memory();

// Gives recycled blocks back to the system, and the number of bytes that are kept for reuse at most.
void trim_host_memory() noexcept;
void set_host_cache_limit(size_t bytes) noexcept;

// Counts allocations of host_memory(); a test makes one fail through the second function (0: none).
uint64_t host_allocations();
void fail_host_allocation(uint64_t countdown);

// A reference count that skips the locked instruction while the process has a single thread.
class RefCount {
 public:
  explicit RefCount(int32_t start) : count_(start) {}
  void increment() noexcept {
    if (__libc_single_threaded) count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else count_.fetch_add(1, std::memory_order_relaxed);
  }
  bool decrement() noexcept {  // true: that was the last one
    // A sole owner cannot be raced: whoever would add a reference needs one already.
    if (count_.load(std::memory_order_acquire) == 1) return true;
    if (__libc_single_threaded) {
      count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      return false;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  int32_t load() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<int32_t> count_;
};

class Buffer {
 public:
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  Owner owner() const { return owner_; }
  void set_owner(Owner owner);  // moves the bytes to another row of the ledger

  // A buffer whose memory was handed out of Brio is never written in place again.
  bool exported() const { return exported_.load(std::memory_order_acquire); }
  void mark_exported() { exported_.store(true, std::memory_order_release); }

  RefCount refs{1};

 private:
  friend class BufferRef;
  // Small data on the host lies behind the buffer itself, in one block; other data in a block of its own.
  static constexpr size_t kHeader = 64, kSmall = 4096;
  Buffer(Memory& memory, void* data, size_t bytes, Owner owner);
  ~Buffer();
  void* behind() { return reinterpret_cast<char*>(this) + kHeader; }

  Memory& memory_;
  void* data_;
  size_t bytes_;
  Owner owner_;
  std::atomic<bool> exported_{false};
};

class BufferRef {
 public:
  BufferRef() = default;
  static BufferRef allocate(size_t bytes, Owner owner, Memory& memory = host_memory());
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) {
    if (buffer_) buffer_->refs.increment();
  }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() { reset(); }
  void reset() noexcept;

  explicit operator bool() const { return buffer_ != nullptr; }
  Buffer* operator->() const { return buffer_; }
  Buffer* get() const { return buffer_; }

 private:
  Buffer* buffer_ = nullptr;
};

}  // namespace brio
