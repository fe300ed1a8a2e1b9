// Element: the parts of one sample or batch while it travels through a pipeline. Its memory is reused for the next
// element. A stage that gathers elements (a batch) offers places for the parts. The stages below write there if type
// and shape are as expected: no copy, no allocation.
#pragma once

#include <vector>

#include "brio/ir/tensor.h"

namespace brio::data {

class Element {
 public:
  size_t size() const { return size_; }
  void resize(size_t parts);  // keeps the memory of dropped parts
  const Aval& aval(size_t i) const { return parts_[i].aval; }
  const void* data(size_t i) const { return parts_[i].data; }
  template <typename T>
  const T* as(size_t i) const {
    return static_cast<const T*>(data(i));
  }

  // Memory for part i, to be filled by the caller: the offered place, or our own memory. Not for strings.
  void* write(size_t i, const Aval& aval);
  // The place that was offered for such a part, which then counts as written; null: none was offered.
  void* place_for(size_t i, const Aval& aval) {
    if (size_ <= i) resize(i + 1);
    Part& part = parts_[i];
    if (!part.place || !(*part.wanted == aval)) return nullptr;
    part.aval = aval;
    part.buffer.reset();
    return part.data = part.place;
  }
  // Part i is one string of `size` bytes, to be filled by the caller. The returned memory has room for `before` and
  // `behind` bytes around it, for example for the frame that a record is read with.
  char* write_text(size_t i, size_t size, size_t before = 0, size_t behind = 0);
  // Part i is this array and shares its memory; if a place was offered, the bytes are copied there.
  void share(size_t i, const Array& array);
  // The same for memory that may not outlive the element: it is copied unless it is in the offered place.
  void copy(size_t i, const Aval& aval, const void* data);
  // Moves part k of another element to part i.
  void take(size_t i, Element& from, size_t k);

  // Offers a place for part i. It is valid until withdraw_offers(); `aval` must live until then.
  void offer(size_t i, const Aval* aval, void* place);
  void withdraw_offers();
  bool in_place(size_t i) const { return parts_[i].place && parts_[i].data == parts_[i].place; }

  // As an array that may leave the pipeline: it shares the part's memory, which is then not reused.
  Array array(size_t i) const;
  size_t bytes() const;  // the parts' own memory

 private:
  struct Part {
    Aval aval;
    void* data = nullptr;
    BufferRef buffer;  // none: `data` is the place
    void* place = nullptr;
    const Aval* wanted = nullptr;
  };
  static void* own_memory(Part& part, size_t bytes);

  std::vector<Part> parts_;
  size_t size_ = 0;
};

}  // namespace brio::data
