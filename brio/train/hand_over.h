// Batches on their way to a device: rows are copied to staging memory, unless a source has put them there, and from
// there on a stream of their own, beside what the device still computes. A few batches are under way at most, in
// memory that is used again and again.
#pragma once

#include <vector>

#include "brio/runtime/backend.h"

namespace brio::train {

class HandOver {
 public:
  HandOver() = default;
  HandOver(const HandOver&) = delete;
  ~HandOver() { clear(); }

  // Tensors of the host become tensors of the device; what lies there already, and strings, stay as they are.
  void move(std::vector<Tensor>& tensors, Device& device);
  void clear() noexcept;                      // gives the memory back
  Device* device() const { return device_; }  // that the last tensors went to; null: none did

 private:
  static constexpr size_t kUnderWay = 3;
  struct Column {
    BufferRef staging, there;
    bool lent = false;  // the staging memory is the source's
  };
  struct Batch {
    std::vector<Column> columns;
    Stream* stream = nullptr;  // that reads the staging memory, until it has passed the ticket
    uint64_t ticket = 0;
  };

  void make_ready(Batch& batch, size_t columns) const;
  void fill(Column& column, const Array& from, Stream& stream) const;

  Device* device_ = nullptr;
  Batch batches_[kUnderWay];
  size_t next_ = 0;
};

}  // namespace brio::train
