#include "brio/train/hand_over.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "brio/base/copy_past_caches.h"
#include "brio/base/thread_pool.h"
#include "brio/ir/recording.h"

namespace brio::train {
namespace {

bool is_on_host(const Tensor& x) {
  const TensorImpl& impl = *x.impl();
  return x.dtype() != DType::string && impl.array.buffer && impl.array.buffer->on_host() && impl.aval().bytes() != 0;
}

// One thread alone does not keep up with a device.
void copy_in_pieces(char* to, const char* from, size_t bytes) {
  constexpr int64_t kPiece = 256 << 10;
  const auto whole = static_cast<int64_t>(bytes);
  parallel_for((whole + kPiece - 1) / kPiece, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kPiece, last = std::min(end * kPiece, whole);
    copy_past_caches(to + first, from + first, static_cast<size_t>(last - first));
  });
}

// Gets memory of at least so many bytes without another owner. True: it is new.
bool need(BufferRef& buffer, size_t bytes, Memory& memory) {
  if (buffer && buffer->refs.load() == 1 && buffer->bytes() >= bytes) return false;
  buffer.reset();
  buffer = BufferRef::allocate(bytes, Owner::input, memory);
  return true;
}

}  // namespace

void HandOver::make_ready(Batch& batch, size_t columns) const {
  if (batch.stream) batch.stream->pass(batch.ticket);
  batch.stream = nullptr;
  for (Column& column : batch.columns) {
    if (column.lent) column.staging.reset();
    column.lent = false;
  }
  batch.columns.resize(std::max(batch.columns.size(), columns));
}

void HandOver::fill(Column& column, const Array& from, Stream& stream) const {
  const size_t bytes = from.aval.bytes();
  // The host's own memory may be written by other code at any time.
  Memory& lies_in = from.buffer->memory();
  column.lent = &lies_in == &device_->staging() && &lies_in != &host_memory();
  if (!column.lent) need(column.staging, bytes, device_->staging());
  // Memory is recycled in the order of this thread's stream for work: the copy has to come after what that has to do.
  if (need(column.there, bytes, device_->memory())) BufferUses::publish(device_->stream(), column.there.get());
  const void* source = from.data();
  if (column.lent) {
    column.staging = from.buffer;
  } else {
    copy_in_pieces(static_cast<char*>(column.staging->data()), static_cast<const char*>(source), bytes);
    source = column.staging->data();
  }
  BufferUses uses(stream);
  uses.add(column.there.get());  // the step that read it last comes first, on the device
  stream.copy_from_staging(column.there->data(), source, bytes);
  device_->traffic.count_in(bytes);
  uses.publish();
}

void HandOver::move(std::vector<Tensor>& tensors, Device& device) {
  if (device.is_host()) return;
  for (const Tensor& tensor : tensors) evaluate(*tensor.impl());
  if (std::ranges::none_of(tensors, is_on_host)) return;
  if (device_ != &device) clear();
  device_ = &device;
  Batch& batch = batches_[next_];
  next_ = (next_ + 1) % kUnderWay;
  make_ready(batch, tensors.size());
  Stream& stream = device.copy_stream();
  batch.stream = &stream;
  // The small ones first: the host waits for the check of labels, and need not wait for pictures.
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return tensors[i].aval().bytes(); });
  for (const size_t i : order) {
    if (!is_on_host(tensors[i])) continue;
    fill(batch.columns[i], tensors[i].impl()->array, stream);
    batch.ticket = stream.mark();
    tensors[i] = Tensor(Array{tensors[i].aval(), batch.columns[i].there, 0});
  }
}

void HandOver::clear() noexcept {
  for (Batch& batch : batches_) {
    if (batch.stream) batch.stream->pass(batch.ticket);
    batch = {};
  }
}

}  // namespace brio::train
