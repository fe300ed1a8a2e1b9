// Where batches come from. Datasets implement this interface; ArraySource cuts tensors into batches.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/ops/random/random.h"
#include "brio/train/batch_size.h"

namespace brio::train {

// Tensors for the inputs or outputs of a model. A single tensor converts to a list.
class TensorList : public std::vector<Tensor> {
 public:
  TensorList() = default;
  TensorList(const Tensor& only) {  // an undefined tensor gives an empty list
    if (only.defined()) push_back(only);
  }
  TensorList(std::initializer_list<Tensor> list) : std::vector<Tensor>(list) {}
  TensorList(std::vector<Tensor> list) : std::vector<Tensor>(std::move(list)) {}
};

// One tensor for each input of a model, and one for each output; y and weights may be missing.
struct Batch {
  TensorList x, y, sample_weight;
  int64_t rows() const { return x[0].shape()[0]; }
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual void reset(int64_t epoch) = 0;  // the next batch is the first of this epoch
  // False at the end of the epoch. The batch is valid until the next call: its memory may be reused.
  virtual bool next(Batch& batch) = 0;
  virtual std::optional<int64_t> steps() const = 0;  // batches in an epoch, if known
  // The generator state for the order of shuffled rows; none if there is no such order.
  virtual std::optional<Generator::State> order() const { return {}; }
  virtual void set_order(Generator::State) {}

  // The position, for continuing at the next batch in another process; none: fit reads the batches that were taken
  // once more. go_to() throws InvalidArgument for a position of another source.
  virtual std::optional<std::string> position() const { return {}; }
  virtual void go_to(std::string_view /*position*/) {}
  // For a row of the last batch: its number in the data, if known.
  virtual std::optional<int64_t> position_of(int64_t /*row*/) const { return {}; }

  // Tells the device of the steps, before reset(): a source may make its batches there.
  virtual void set_device(Device&) {}
  // Sets the memory for batches into which it copies rows: memory that the device of the steps reads by itself.
  virtual void set_memory(Memory&) {}

  // The step on the last batch ran out of memory and changed nothing. True: next() gives its rows again, in smaller
  // batches.
  virtual bool take_back(Batch&) { return false; }
  // For a source that chooses the size of batches: its choice, once it is made; at the end of training it always is.
  virtual const BatchChoice* choice(bool /*at_the_end*/) { return nullptr; }
};

struct ArraySourceOptions {
  int64_t batch_size = 32;
  // Set to shuffle: the order of epoch e is a pure function of (seed, counter + e).
  std::optional<Generator::State> shuffle = {};
  // Each epoch continues where the previous one stopped, and starts again after the last row: for steps_per_epoch.
  bool continues = false;
};

// Rows of tensors. In order, batches are views. Shuffled, the rows are copied into batches whose memory is reused.
// The last batch of an epoch may be smaller.
class ArraySource : public BatchSource {
 public:
  // Throws InvalidArgument unless all given tensors have the same number of rows.
  ArraySource(const TensorList& x, const TensorList& y, const TensorList& sample_weight, ArraySourceOptions options);

  void reset(int64_t epoch) override;
  bool next(Batch& batch) override;
  std::optional<int64_t> steps() const override { return (rows_ + options_.batch_size - 1) / options_.batch_size; }
  std::optional<Generator::State> order() const override { return options_.shuffle; }
  void set_order(Generator::State state) override { options_.shuffle = state; }
  std::optional<std::string> position() const override;
  void go_to(std::string_view position) override;
  std::optional<int64_t> position_of(int64_t row) const override;
  void set_memory(Memory& memory) override { memory_ = &memory; }
  int64_t rows() const { return rows_; }

  // Applies to the following batches, also in the middle of an epoch.
  void set_batch_size(int64_t rows) { options_.batch_size = rows; }
  void go_back(int64_t rows) { at_ -= rows; }  // the last rows come again

 private:
  struct Column {
    Tensor all;
    size_t row_bytes = 0;
    std::vector<Tensor> batches = {};  // rows are copied into these; a device may still read some of them
  };
  // One of its batches with n rows that has no other owner.
  Tensor& free_batch(Column& column, int64_t n) const;
  Tensor copy_rows(Column& column, int64_t n) const;
  void put_in_order(int64_t epoch);

  ArraySourceOptions options_;
  int64_t rows_ = 0, at_ = 0, given_ = 0;  // rows: all, those before the next batch, those of the last batch
  int64_t ordered_for_ = 0;                // the epoch of the current order
  std::vector<Column> columns_;            // of x, then of y and of the weights
  size_t n_x_, n_y_;
  std::vector<uint32_t> order_;
  Memory* memory_ = &host_memory();
};

// The rows from `begin` to `end`, as a view.
Tensor row_range(const Tensor& x, int64_t begin, int64_t end);

// A permutation of 0 … n-1 that depends on the stream alone.
void shuffled_order(const RandomStream& stream, int64_t n, std::vector<uint32_t>& order);

}  // namespace brio::train
