#include "brio/tensor/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/base/light_lock.h"

namespace brio {
namespace {

constexpr std::array<std::string_view, kOwnerCount> kOwnerNames = {
    "parameters", "gradients", "optimizer", "activations", "input", "cache", "other"};
struct Row {
  std::atomic<int64_t> bytes{0}, peak{0};
};
Row ledger[kOwnerCount];

void charge(Owner owner, int64_t bytes) {
  Row& row = ledger[static_cast<int>(owner)];
  const int64_t now = row.bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = row.peak.load(std::memory_order_relaxed);
  while (now > peak && !row.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

// Sizes are rounded up to one of four steps per power of two, so at most a fifth is wasted.
constexpr size_t kSmallest = 64;
constexpr int kClasses = 4 * 48;
constexpr size_t kHugePage = size_t{2} << 20;

int class_of(size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes ≤ 2^(log+1)
  const int step = static_cast<int>((bytes - 1) >> (log - 2)) & 3;
  return (log - 6) * 4 + step + 1;
}
size_t size_of_class(int index) {
  if (index == 0) return kSmallest;
  const int log = (index - 1) / 4 + 6, step = (index - 1) % 4;
  return (size_t{1} << log) + (static_cast<size_t>(step + 1) << (log - 2));
}

struct FreeBlock {
  FreeBlock* next;
};

class HostMemory final : public Memory {
 public:
  HostMemory() { hold_over_fork(lock_, ForkRank::memory); }
  void* allocate(size_t bytes) override {
    if (fail_at_.load(std::memory_order_relaxed) != 0 && fail_at_.fetch_sub(1, std::memory_order_relaxed) == 1)
      throw ResourceError(cat("memory: an allocation of ", bytes, " bytes failed because a test asked for it"));
    const int index = class_of(bytes);
    if (index >= kClasses)
      throw ResourceError(cat("memory: no machine has the ", bytes, " bytes that are asked for"));
    {
      std::lock_guard lock(lock_);
      ++allocations_;
      if (FreeBlock* block = free_[index]) {
        free_[index] = block->next;
        cached_ -= size_of_class(index);
        return block;
      }
    }
    const size_t rounded = size_of_class(index);
    const size_t alignment = rounded >= kHugePage ? kHugePage : kSmallest;
    const size_t whole = (rounded + alignment - 1) & ~(alignment - 1);  // aligned_alloc takes multiples only
    void* data = std::aligned_alloc(alignment, whole);
    if (!data) {
      trim();
      data = std::aligned_alloc(alignment, whole);
    }
    if (!data)
      throw ResourceError(cat("memory: the system refused ", rounded,
                              " bytes; use a smaller batch or free tensors "
                              "(brio::memory_ledger() says who holds what)"));
    // Large tensors are walked end to end: huge pages spare most of the TLB misses. Advice only, so errors are
    // ignored.
    if (rounded >= kHugePage) madvise(data, rounded, MADV_HUGEPAGE);
    return data;
  }

  void release(void* data, size_t bytes, const Use& = {}) noexcept override {
    const int index = class_of(bytes);
    const size_t rounded = size_of_class(index);
    {
      std::lock_guard lock(lock_);
      if (cached_ + rounded <= limit_) {
        free_[index] = new (data) FreeBlock{free_[index]};
        cached_ += rounded;
        row_peak_ = std::max(row_peak_, row());
        return;
      }
    }
    std::free(data);
  }

  void trim() noexcept {
    std::lock_guard lock(lock_);
    for (int i = 0; i < kClasses; ++i)
      while (FreeBlock* block = free_[i]) {
        free_[i] = block->next;
        std::free(block);
      }
    cached_ = 0;
  }

  void set_limit(size_t bytes) noexcept {
    {
      std::lock_guard lock(lock_);
      limit_ = bytes;
      if (cached_ <= limit_) return;
    }
    trim();
  }

  uint64_t allocations() {
    std::lock_guard lock(lock_);
    return allocations_;
  }
  // The row of what is cached. What is kept for reuse here is counted under the lock, which is taken anyway.
  LedgerRow cache_row() {
    std::lock_guard lock(lock_);
    row_peak_ = std::max(row_peak_, row());
    return {Owner::cache, row(), row_peak_};
  }

  std::atomic<uint64_t> fail_at_{0};

 private:
  int64_t row() const {
    return static_cast<int64_t>(cached_) +
           ledger[static_cast<int>(Owner::cache)].bytes.load(std::memory_order_relaxed);
  }

  LightLock lock_;
  FreeBlock* free_[kClasses] = {};
  uint64_t allocations_ = 0;
  size_t cached_ = 0;
  int64_t row_peak_ = 0;
  size_t limit_ = size_t{1} << 30;
};

// Never destroyed: buffers held by static objects are released after main.
HostMemory& host() {
  static HostMemory* memory = new HostMemory;
  return *memory;
}

}  // namespace

std::string_view name_of(Owner owner) { return kOwnerNames[static_cast<int>(owner)]; }

std::vector<LedgerRow> memory_ledger() {
  std::vector<LedgerRow> rows;
  for (int i = 0; i < kOwnerCount; ++i)
    rows.push_back({static_cast<Owner>(i), ledger[i].bytes.load(), ledger[i].peak.load()});
  rows[static_cast<size_t>(Owner::cache)] = host().cache_row();
  return rows;
}

Memory& host_memory() { return host(); }
void trim_host_memory() noexcept { host().trim(); }
void set_host_cache_limit(size_t bytes) noexcept { host().set_limit(bytes); }
uint64_t host_allocations() { return host().allocations(); }
void fail_host_allocation(uint64_t countdown) { host().fail_at_.store(countdown); }

void Memory::copy_to_host(void* host, const Buffer& from, size_t offset, size_t bytes) {
  if (bytes != 0) std::memcpy(host, static_cast<const char*>(from.data()) + offset, bytes);
}
void Memory::copy_from_host(const Buffer& to, const void* host, size_t bytes) {
  if (bytes != 0) std::memcpy(to.data(), host, bytes);
}

Buffer::Buffer(Memory& memory, void* data, size_t bytes, Owner owner, bool on_host)
    : memory_(memory), data_(data), bytes_(bytes), owner_(owner), on_host_(on_host) {
  charge(owner_, static_cast<int64_t>(bytes_));
}

Buffer::~Buffer() { charge(owner_, -static_cast<int64_t>(bytes_)); }

void Buffer::set_owner(Owner owner) {
  if (owner == owner_) return;
  charge(owner_, -static_cast<int64_t>(bytes_));
  owner_ = owner;
  charge(owner_, static_cast<int64_t>(bytes_));
}

BufferRef BufferRef::allocate(size_t bytes, Owner owner, Memory& memory) {
  static_assert(sizeof(Buffer) <= Buffer::kHeader);
  // Memory that a device reads by itself is the host's all the same.
  const bool on_host = memory.device() == nullptr, together = bytes <= Buffer::kSmall && &memory == &host_memory();
  void* header = host().allocate(Buffer::kHeader + (together ? bytes : 0));
  void* data = static_cast<char*>(header) + Buffer::kHeader;
  try {
    if (!together) data = memory.allocate(bytes);
  } catch (...) {
    host().release(header, Buffer::kHeader);
    throw;
  }
  BufferRef ref;
  ref.buffer_ = new (header) Buffer(memory, data, bytes, owner, on_host);
  return ref;
}

void BufferRef::reset() noexcept {
  Buffer* buffer = std::exchange(buffer_, nullptr);
  if (!buffer || !buffer->refs.decrement()) return;
  const size_t bytes = buffer->bytes_;
  const bool together = buffer->data_ == buffer->behind();
  if (!together) buffer->memory_.release(buffer->data_, bytes, buffer->use);
  buffer->~Buffer();
  host().release(buffer, Buffer::kHeader + (together ? bytes : 0));
}

}  // namespace brio
