// Bytes that come in order, from wherever: what readers of text take.
#pragma once

#include <functional>

#include "brio/formats/read_at.h"

namespace brio::formats {

// Writes up to `bytes` bytes to `to`; fewer only at the end.
using ReadSome = std::function<size_t(void* to, size_t bytes)>;
ReadSome in_order(ReadAt bytes);

// The bytes of a ReadSome that are not yet used up, in one buffer that grows to what is asked to be held at once.
class StreamBuffer {
 public:
  // Holds up to `limit` bytes at once; it grows as they come.
  StreamBuffer(ReadSome source, size_t limit) : source_(std::move(source)), limit_(limit) {}

  char* begin() { return buffer_.data() + begin_; }
  char* end() { return buffer_.data() + end_; }
  uint64_t position() const { return position_; }  // of begin() in the stream
  bool at_end() const { return ended_; }           // nothing comes after end()

  // Makes more bytes follow; begin() and end() may move. False where `limit` bytes are held already. At the end of
  // the source it sets at_end().
  bool more();
  void drop(size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
  }

 private:
  ReadSome source_;
  size_t limit_;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;
  uint64_t position_ = 0;
  bool ended_ = false;
};

}  // namespace brio::formats
