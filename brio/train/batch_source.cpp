#include "brio/train/batch_source.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "brio/base/copy_past_caches.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/data/engine/state.h"
#include "brio/tensor/strings.h"

namespace brio::train {
namespace {

constexpr int64_t kPieceBytes = 128 << 10;  // rows are copied by several threads in pieces of this size

void check_rows(std::string_view name, const Tensor& tensor, int64_t rows) {
  if (tensor.rank() == 0)
    throw InvalidArgument(cat("[fit] ", name, " is a scalar; its axis 0 must number the samples"));
  if (rows >= 0 && tensor.shape()[0] != rows)
    throw InvalidArgument(cat("[fit] x has ", rows, " rows, but ", name, " has ", tensor.shape()[0], " (shape ",
                              tensor.shape(), "); give one row for each sample"));
}

// As many batches as are under way to a device, the one that is filled, and a last one of an epoch.
constexpr size_t kMostBatches = 6;

}  // namespace

Tensor row_range(const Tensor& x, int64_t begin, int64_t end) {
  Array array = x.array();
  const int64_t rows = array.aval.shape[0];
  if (rows > 0) array.offset += array.aval.bytes() / static_cast<size_t>(rows) * static_cast<size_t>(begin);
  array.aval.shape.set(0, end - begin);
  return Tensor(std::move(array));
}

// Fisher and Yates' shuffle; word i of the stream decides step i.
void shuffled_order(const RandomStream& stream, int64_t n, std::vector<uint32_t>& order) {
  order.resize(static_cast<size_t>(n));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
  PhiloxCounter words{};
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    if (i % 4 == 0) words = stream.block(i / 4);
    const uint64_t left = order.size() - i;
    const size_t j = i + static_cast<size_t>(uint64_t{words[i % 4]} * left >> 32);
    std::swap(order[i], order[j]);
  }
}

ArraySource::ArraySource(const TensorList& x, const TensorList& y, const TensorList& sample_weight,
                         ArraySourceOptions options)
    : options_(options), n_x_(x.size()), n_y_(y.size()) {
  if (x.empty() || !x[0].defined()) throw InvalidArgument("[fit] x is none; give it a tensor");
  if (options.batch_size <= 0)
    throw InvalidArgument(cat("[fit] batch_size is ", options.batch_size, "; it must be 1 or more"));
  check_rows("x", x[0], -1);
  rows_ = x[0].shape()[0];
  if (rows_ == 0) throw InvalidArgument(cat("[fit] x has no rows: its shape is ", x[0].shape()));
  if (rows_ > std::numeric_limits<uint32_t>::max())
    throw InvalidArgument(cat("[fit] x has ", rows_, " rows; a tensor of more than 2^32 - 1 needs a dataset"));
  auto add = [&](const char* name, const TensorList& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string called = list.size() == 1 ? name : cat(name, " ", i);
      if (!list[i].defined()) throw InvalidArgument(cat("[fit] ", called, " is none; give it a tensor"));
      check_rows(called, list[i], rows_);
      const size_t row_bytes = list[i].array().aval.bytes() / static_cast<size_t>(rows_);
      columns_.push_back({list[i], row_bytes});
    }
  };
  add("x", x);
  add("y", y);
  add("sample_weight", sample_weight);
}

void ArraySource::reset(int64_t epoch) {
  if (options_.continues && at_ > 0 && at_ < rows_) return;
  at_ = 0;
  put_in_order(epoch);
}

void ArraySource::put_in_order(int64_t epoch) {
  ordered_for_ = epoch;
  if (!options_.shuffle) return;
  const RandomStream stream{options_.shuffle->seed, options_.shuffle->counter + static_cast<uint64_t>(epoch)};
  shuffled_order(stream, rows_, order_);
}

std::optional<std::string> ArraySource::position() const {
  data::StateWriter state;
  state.number(static_cast<uint64_t>(rows_));
  state.number(static_cast<uint64_t>(at_));
  state.number(static_cast<uint64_t>(ordered_for_));
  return state.bytes();
}

void ArraySource::go_to(std::string_view position) {
  data::StateReader state(position);
  if (const int64_t rows = state.count(); rows != rows_)
    throw InvalidArgument(cat("[fit] the run that goes on had ", rows, " rows, but x has ", rows_));
  at_ = state.count(rows_);
  put_in_order(state.count());
}

bool ArraySource::next(Batch& batch) {
  if (at_ >= rows_) return false;
  const int64_t n = std::min(options_.batch_size, rows_ - at_);
  batch.x.resize(n_x_);
  batch.y.resize(n_y_);
  batch.sample_weight.resize(columns_.size() - n_x_ - n_y_);
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    Tensor& field = i < n_x_          ? batch.x[i]
                    : i < n_x_ + n_y_ ? batch.y[i - n_x_]
                                      : batch.sample_weight[i - n_x_ - n_y_];
    field.reset();
    field = options_.shuffle ? copy_rows(column, n) : row_range(column.all, at_, at_ + n);
  }
  at_ += n;
  given_ = n;
  return true;
}

std::optional<int64_t> ArraySource::position_of(int64_t row) const {
  const int64_t place = at_ - given_ + row;
  return options_.shuffle ? order_[static_cast<size_t>(place)] : place;
}

// A batch that the program has kept stays unchanged.
Tensor& ArraySource::free_batch(Column& column, int64_t n) const {
  const auto is_free = [](const Tensor& x) {
    return x.impl()->refs.load() == 1 && x.impl()->array.buffer->refs.load() == 1;
  };
  for (Tensor& batch : column.batches)
    if (batch.shape()[0] == n && &batch.impl()->array.buffer->memory() == memory_ && is_free(batch)) return batch;
  Aval aval = column.all.aval();
  aval.shape.set(0, n);
  if (column.batches.size() == kMostBatches) {
    const auto other = std::ranges::find_if(column.batches, is_free);
    column.batches.erase(other == column.batches.end() ? column.batches.begin() : other);
  }
  return column.batches.emplace_back(Array{aval, BufferRef::allocate(aval.bytes(), Owner::input, *memory_), 0});
}

Tensor ArraySource::copy_rows(Column& column, int64_t n) const {
  if (column.all.dtype() == DType::string) {
    Aval aval = column.all.aval();
    aval.shape.set(0, n);
    const int64_t width = aval.shape.elements() / n;
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < width; ++k) positions.push_back(order_[static_cast<size_t>(at_ + i)] * width + k);
    return Tensor(take_strings(column.all.array(), positions, aval.shape));
  }
  Tensor& into = free_batch(column, n);
  const size_t row = column.row_bytes;
  if (row == 0) return into;
  const char* from = column.all.array().as<char>();
  char* to = into.impl()->array.as<char>();
  const uint32_t* order = order_.data() + at_;
  const int64_t grain = std::max<int64_t>(1, kPieceBytes / static_cast<int64_t>(row));
  const auto copy = memory_ == &host_memory() ? [](void* a, const void* b, size_t bytes) { std::memcpy(a, b, bytes); }
                                              : copy_past_caches;
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) copy(to + static_cast<size_t>(i) * row, from + size_t{order[i]} * row, row);
  });
  into.impl()->drop_copies();
  return into;
}

}  // namespace brio::train
