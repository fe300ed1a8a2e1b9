// Where batches come from. Datasets implement it; ArraySource cuts tensors into batches.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/ops/random/random.h"
#include "brio/train/batch_size.h"

namespace brio::train {

// Tensors for the inputs or outputs of a model; where there is one, it may stand for the list.
class TensorList : public std::vector<Tensor> {
 public:
  TensorList() = default;
  TensorList(const Tensor& only) {  // none is no tensor
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
  // False at the end of the epoch. The batch is good until the next call: its memory may be used again.
  virtual bool next(Batch& batch) = 0;
  virtual std::optional<int64_t> steps() const = 0;  // batches in an epoch, where known
  // What the order of shuffled rows is drawn from; none where there is no such order.
  virtual std::optional<Generator::State> order() const { return {}; }
  virtual void set_order(Generator::State) {}

  // Where it stands, to go on at the next batch in another process; none: fit goes through the batches that were
  // taken once more. go_to() throws InvalidArgument for what is of another source.
  virtual std::optional<std::string> position() const { return {}; }
  virtual void go_to(std::string_view /*position*/) {}
  // Of a row of the last batch: its number in the data, where that is known.
  virtual std::optional<int64_t> position_of(int64_t /*row*/) const { return {}; }

  // Where to put the batches that it copies rows into: memory that the device of the steps reads by itself.
  virtual void set_memory(Memory&) {}

  // The step on the last batch found no memory, and changed nothing. True: next() gives its rows again, in smaller
  // batches.
  virtual bool take_back(Batch&) { return false; }
  // Of a source that chooses how large batches are: its choice, once it is made. At the end of training it is.
  virtual const BatchChoice* choice(bool /*at_the_end*/) { return nullptr; }
};

struct ArraySourceOptions {
  int64_t batch_size = 32;
  // Shuffled when given: the order of epoch e is a pure function of (seed, counter + e).
  std::optional<Generator::State> shuffle = {};
  // Each epoch goes on where the one before stopped, and begins anew at the end of the rows: for steps_per_epoch.
  bool continues = false;
};

// Rows of tensors. In order, batches are views; shuffled, the rows are copied into batches that are used again and
// again. The last batch of an epoch may be smaller.
class ArraySource : public BatchSource {
 public:
  // Throws InvalidArgument unless all tensors that are given have the same number of rows.
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

  // In the midst of an epoch, too: of the batches to come.
  void set_batch_size(int64_t rows) { options_.batch_size = rows; }
  void go_back(int64_t rows) { at_ -= rows; }  // the last ones that were given are next

 private:
  struct Column {
    Tensor all;
    size_t row_bytes = 0;
    std::vector<Tensor> batches = {};  // that rows are copied into; a device may still read some of them
  };
  // One of its batches of n rows that nobody else holds.
  Tensor& free_batch(Column& column, int64_t n) const;
  Tensor copy_rows(Column& column, int64_t n) const;
  void put_in_order(int64_t epoch);

  ArraySourceOptions options_;
  int64_t rows_ = 0, at_ = 0, given_ = 0;  // rows: all, those before the next batch, those of the last
  int64_t ordered_for_ = 0;                // the epoch whose order it is
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
