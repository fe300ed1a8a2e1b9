// Bytes that are read by position, from a file or from memory. A copy reads the same bytes, and any thread may.
#pragma once

#include <memory>
#include <string>

#include "brio/formats/data_error.h"
#include "brio/formats/file.h"

namespace brio::formats {

class ReadAt {
 public:
  explicit ReadAt(const std::string& path);
  // `bytes` and the name in `origin` must live as long as this and its copies.
  ReadAt(std::string_view bytes, const Origin& origin) : bytes_(bytes), size_(bytes.size()), origin_(origin) {}
  // Keeps the bytes itself.
  ReadAt(std::string bytes, std::string name);

  // A part of them; positions in errors stay those of the whole.
  ReadAt part(uint64_t offset, uint64_t size) const;

  uint64_t size() const { return size_; }
  Origin origin() const { return origin_; }
  // Throws DataError where the bytes end before.
  void read(uint64_t offset, void* to, size_t count) const;
  void will_read(uint64_t offset, uint64_t count) const;  // as InputFile's

 private:
  struct Owned {
    std::string bytes, name;
  };
  std::shared_ptr<const InputFile> file_;
  std::shared_ptr<const Owned> owned_;
  std::string_view bytes_;
  uint64_t begin_ = 0, size_ = 0;  // the part of the file or of `bytes_`
  Origin origin_;
};

}  // namespace brio::formats
