#include "brio/data/engine/element.h"

#include "brio/base/error.h"
#include "brio/tensor/strings.h"

namespace brio::data {

void Element::resize(size_t parts) {
  if (parts_.size() < parts) parts_.resize(parts);
  size_ = parts;
}

void* Element::write(size_t i, const Aval& aval) {
  BRIO_CHECK(aval.dtype != DType::string, "strings are shared, not written");
  if (void* place = place_for(i, aval)) return place;
  parts_[i].aval = aval;
  return own_memory(parts_[i], aval.bytes());
}

void* Element::own_memory(Part& part, size_t bytes) {
  // A part that has another owner, or was exported, stays unchanged.
  if (!part.buffer || part.buffer->refs.load() != 1 || part.buffer->exported() || part.buffer->bytes() < bytes)
    part.buffer = BufferRef::allocate(bytes, Owner::input);
  return part.data = part.buffer->data();
}

char* Element::write_text(size_t i, size_t size, size_t before, size_t behind) {
  if (size_ <= i) resize(i + 1);
  parts_[i].aval = {{}, DType::string};
  auto* element = static_cast<StringElement*>(own_memory(parts_[i], sizeof(StringElement) + before + size + behind));
  *element = {static_cast<int64_t>(sizeof(StringElement) + before), size};
  return reinterpret_cast<char*>(element + 1);
}

void Element::share(size_t i, const Array& array) {
  if (void* place = place_for(i, array.aval)) {
    std::memcpy(place, array.data(), array.aval.bytes());
    return;
  }
  Part& part = parts_[i];
  part.aval = array.aval;
  part.buffer = array.buffer;
  part.data = array.data();
}

void Element::copy(size_t i, const Aval& aval, const void* data) {
  if (aval.dtype == DType::string) return share(i, copy_strings(data, aval.shape));
  std::memcpy(write(i, aval), data, aval.bytes());
}

void Element::take(size_t i, Element& from, size_t k) {
  if (size_ <= i) resize(i + 1);
  Part &part = parts_[i], &other = from.parts_[k];
  if (!other.buffer || part.place) {
    copy(i, other.aval, other.data);
    return;
  }
  part.aval = other.aval;
  part.data = other.data;
  std::swap(part.buffer, other.buffer);
  other.data = nullptr;
  // The other part now has this part's old memory. It writes to that only if it is the only owner.
}

void Element::offer(size_t i, const Aval* aval, void* place) {
  if (parts_.size() <= i) parts_.resize(i + 1);
  parts_[i].wanted = aval;
  parts_[i].place = place;
}

void Element::withdraw_offers() {
  for (Part& part : parts_) part.place = nullptr;
}

Array Element::array(size_t i) const {
  const Part& part = parts_[i];
  if (!part.buffer) {
    Array copy = Array::allocate(part.aval, Owner::input);
    std::memcpy(copy.data(), part.data, part.aval.bytes());
    return copy;
  }
  return {part.aval, part.buffer,
          static_cast<size_t>(static_cast<const char*>(part.data) - static_cast<const char*>(part.buffer->data()))};
}

size_t Element::bytes() const {
  size_t sum = 0;
  for (size_t i = 0; i < size_; ++i) {
    if (!parts_[i].buffer) continue;
    // A view of something larger counts with what it shows; strings lie behind their elements.
    sum += parts_[i].aval.dtype == DType::string ? parts_[i].buffer->bytes() : parts_[i].aval.bytes();
  }
  return sum;
}

}  // namespace brio::data
