// ZIP files, as far as .npz and .keras need them: members stored or deflated, ZIP64; written stored.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "brio/formats/read_at.h"

namespace brio::formats {

struct ZipMember {
  std::string name;
  uint64_t size = 0, packed = 0;  // bytes as read, and as stored in the file
  uint64_t header = 0;            // its position in the file
  uint32_t crc = 0;
  uint16_t method = 0, flags = 0;
};

// How large an inflated member may claim to be; larger members are refused before memory is allocated.
struct ZipLimits {
  uint64_t always = uint64_t{256} << 20;  // bytes that are allowed for any file size …
  uint64_t max_ratio = 100;               // … and the bytes allowed for each packed one beyond that
};

class ZipReader {
 public:
  // Reads the directory of the members.
  explicit ZipReader(ReadAt bytes, const ZipLimits& limits = {});

  const std::vector<ZipMember>& members() const { return members_; }
  const ZipMember* find(std::string_view name) const;  // nullptr: not found
  const ReadAt& bytes() const { return bytes_; }
  // The position of a member's first byte.
  uint64_t data_offset(const ZipMember& member) const;
  std::string read(const ZipMember& member) const;

 private:
  friend class ZipStream;
  struct Directory;
  Directory find_directory() const;
  void read_directory(const Directory& directory);

  ReadAt bytes_;
  ZipLimits limits_;
  std::vector<ZipMember> members_;
};

// Reads a member's bytes in order.
class ZipStream {
 public:
  ZipStream(const ZipReader& zip, const ZipMember& member);
  ZipStream(ZipStream&&) noexcept;
  ~ZipStream();

  // Exactly that many; throws DataError if there are fewer or they are corrupt. With the last bytes of the member its
  // checksum is compared.
  void read(void* to, size_t bytes);
  uint64_t left() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Members are stored, each with the time 1980-01-01, so the same members make the same file.
class ZipWriter {
 public:
  // `zip64`: always use 64-bit fields for sizes and positions; otherwise only if they are needed.
  explicit ZipWriter(std::string path, bool zip64 = false) : file_(std::move(path)), zip64_(zip64) {}
  // One member with the bytes of all parts.
  void add(std::string_view name, const std::vector<std::string_view>& parts);
  void commit();
  void commit_sealed();  // with the checksum of the file as its comment (seal.h)

 private:
  bool large(uint64_t value) const { return zip64_ || value >= UINT32_MAX; }
  uint32_t field(uint64_t value) const { return large(value) ? UINT32_MAX : static_cast<uint32_t>(value); }
  void append_common(std::string& to, const ZipMember& member, bool wide) const;
  void write(std::string_view bytes);
  void finish(size_t comment);

  OutputFile file_;
  uint32_t crc_ = 0;  // of the bytes written so far
  bool zip64_;
  std::vector<ZipMember> members_;
  std::unordered_set<std::string> names_;
};

}  // namespace brio::formats
