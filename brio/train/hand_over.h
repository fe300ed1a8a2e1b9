// Batches on their way to a device. Rows are copied to staging memory, unless a source has put them there, and from
// there to the device on a separate stream, beside what the device still computes. Only a few batches are under way
// at a time, in memory that is reused.
#pragma once

#include <vector>

#include "brio/runtime/backend.h"

namespace brio::train {

class HandOver {
 public:
  HandOver() = default;
  HandOver(const HandOver&) = delete;
  ~HandOver() { clear(); }

  // Moves tensors of the host to the device. Tensors that are already there, and strings, stay unchanged.
  void move(std::vector<Tensor>& tensors, Device& device);
  void clear() noexcept;                      // releases the memory
  Device* device() const { return device_; }  // the device of the last tensors; null: none yet

 private:
  static constexpr size_t kUnderWay = 3;
  struct Column {
    BufferRef staging, there;
    bool lent = false;  // the staging memory belongs to the source
  };
  struct Batch {
    std::vector<Column> columns;
    Stream* stream = nullptr;  // it reads the staging memory until it has passed the ticket
    uint64_t ticket = 0;
  };

  void make_ready(Batch& batch, size_t columns) const;
  void fill(Column& column, const Array& from, Stream& stream) const;

  Device* device_ = nullptr;
  Batch batches_[kUnderWay];
  size_t next_ = 0;
};

}  // namespace brio::train
