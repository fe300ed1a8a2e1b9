#include "brio/train/hand_over.h"

#include <algorithm>
#include <cstring>

#include "brio/ir/recording.h"

namespace brio::train {
namespace {

bool is_on_host(const Tensor& x) {
  const TensorImpl& impl = *x.impl();
  return x.dtype() != DType::string && impl.array.buffer && impl.array.buffer->on_host() && impl.aval().bytes() != 0;
}

// Memory that nobody else holds, for at least so many bytes. True: it is new.
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
  batch.columns.resize(std::max(batch.columns.size(), columns));
}

void HandOver::fill(Column& column, const Array& from, Stream& stream) const {
  const size_t bytes = from.aval.bytes();
  need(column.staging, bytes, device_->staging());
  // Memory is recycled in the order of this thread's stream for work: the copy has to come after what that has to do.
  if (need(column.there, bytes, device_->memory())) BufferUses::publish(device_->stream(), column.there.get());
  std::memcpy(column.staging->data(), from.data(), bytes);
  BufferUses uses(stream);
  uses.add(column.there.get());  // the step that read it last comes first, on the device
  stream.copy_from_staging(column.there->data(), column.staging->data(), bytes);
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
  for (size_t i = 0; i < tensors.size(); ++i) {
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
