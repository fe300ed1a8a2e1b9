#include "brio/formats/read_at.h"

#include <algorithm>

#include <cstring>
#include <utility>

namespace brio::formats {

ReadAt::ReadAt(const std::string& path)
    : file_(std::make_shared<const InputFile>(path)), size_(file_->size()), origin_{file_->path()} {}

ReadAt::ReadAt(std::string bytes, std::string name)
    : owned_(std::make_shared<const Owned>(Owned{std::move(bytes), std::move(name)})),
      bytes_(owned_->bytes),
      size_(bytes_.size()),
      origin_{owned_->name} {}

ReadAt ReadAt::part(uint64_t offset, uint64_t size) const {
  BRIO_CHECK(offset <= size_ && size <= size_ - offset, "a part lies within the whole");
  ReadAt result = *this;
  result.begin_ += offset;
  result.size_ = size;
  result.origin_.offset += offset;
  return result;
}

void ReadAt::read(uint64_t offset, void* to, size_t count) const {
  const uint64_t there = offset < size_ ? size_ - offset : 0;
  if (there < count)
    throw DataError(origin_, offset, cat("the file ends ", count - there, " bytes too early; it is truncated"));
  if (count == 0) return;
  if (file_) return file_->read(begin_ + offset, to, count);
  std::memcpy(to, bytes_.data() + begin_ + offset, count);
}

void ReadAt::will_read(uint64_t offset, uint64_t count) const {
  if (file_ && offset < size_) file_->will_read(begin_ + offset, std::min(count, size_ - offset));
}

}  // namespace brio::formats
