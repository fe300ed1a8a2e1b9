// Memory of the host and of devices: every byte is on the ledger under an owner. On the host, blocks are recycled by
// size, so a steady state makes no system calls; the recycled bytes are bounded.
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

class Buffer;
class Device;
class Stream;

// The last work that uses a buffer of a device: it is done when the stream has passed the ticket.
struct Use {
  Stream* stream = nullptr;
  uint64_t ticket = 0;
};

// The source of buffers. A device has its own; the host's is below.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void* allocate(size_t bytes) = 0;  // 64-byte aligned; throws ResourceError
  virtual void release(void* data, size_t bytes, const Use& last) noexcept = 0;
  // Its device; null: the host. The host touches other memory only through these, which wait for pending writes.
  virtual Device* device() { return nullptr; }
  virtual void copy_to_host(void* host, const Buffer& from, size_t offset, size_t bytes);
  virtual void copy_from_host(const Buffer& to, const void* host, size_t bytes);
};
Memory& host_memory();

// Returns recycled blocks to the system; and the maximal number of bytes that are kept for reuse.
void trim_host_memory() noexcept;
void set_host_cache_limit(size_t bytes) noexcept;

// Counts allocations of host_memory(). A test makes one fail with the second function (0: none).
uint64_t host_allocations();
void fail_host_allocation(uint64_t countdown);

// A reference count that skips the locked instruction while the process has only one thread.
class RefCount {
 public:
  explicit RefCount(int32_t start) : count_(start) {}
  void increment() noexcept {
    if (__libc_single_threaded) count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else count_.fetch_add(1, std::memory_order_relaxed);
  }
  bool decrement() noexcept {  // true: that was the last one
    // A sole owner has no races: another thread needs a reference to add one.
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
  void* data() const { return data_; }  // an address of its memory
  size_t bytes() const { return bytes_; }
  Memory& memory() const { return memory_; }
  bool on_host() const { return on_host_; }
  Owner owner() const { return owner_; }
  void set_owner(Owner owner);  // moves the bytes to another row of the ledger

  // A buffer whose memory was handed out of Brio is never written in place again.
  bool exported() const { return exported_.load(std::memory_order_acquire); }
  void mark_exported() { exported_.store(true, std::memory_order_release); }

  RefCount refs{1};
  // For a buffer of a device, guarded by the lock of its streams: its last use, and whether its writer has run since.
  mutable Use use;
  mutable bool only_read = false;

 private:
  friend class BufferRef;
  // Small data on the host follows the buffer object in the same block; other data has its own block.
  static constexpr size_t kHeader = 64, kSmall = 4096;
  Buffer(Memory& memory, void* data, size_t bytes, Owner owner, bool on_host);
  ~Buffer();
  void* behind() { return reinterpret_cast<char*>(this) + kHeader; }

  Memory& memory_;
  void* data_;
  size_t bytes_;
  Owner owner_;
  const bool on_host_;
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
