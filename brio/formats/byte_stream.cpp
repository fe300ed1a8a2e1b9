#include "brio/formats/byte_stream.h"

#include <algorithm>
#include <cstring>

namespace brio::formats {

namespace {

constexpr size_t kFirstBuffer = size_t{64} << 10;

}  // namespace

ReadSome in_order(ReadAt bytes) {
  return [bytes = std::move(bytes), at = uint64_t{0}](void* to, size_t count) mutable {
    const auto got = static_cast<size_t>(std::min<uint64_t>(count, bytes.size() - at));
    bytes.read(at, to, got);
    at += got;
    return got;
  };
}

bool StreamBuffer::more() {
  const size_t held = end_ - begin_;
  if (held >= limit_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), begin(), held);
    begin_ = 0;
    end_ = held;
  }
  if (held > buffer_.size() / 2) buffer_.resize(std::min(std::max(kFirstBuffer, 2 * buffer_.size()), limit_));
  else if (buffer_.empty()) buffer_.resize(std::min(kFirstBuffer, limit_));
  const size_t room = buffer_.size() - end_, got = source_(end(), room);
  end_ += got;
  ended_ = got < room;
  return true;
}

}  // namespace brio::formats
