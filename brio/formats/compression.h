// Files read and written in order, plain or compressed by zlib (GZIP, ZLIB). Memory is bounded by the buffers,
// whatever the file says; the ratio limit stops a small file from keeping the reader busy for days.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "brio/formats/file.h"

namespace brio::formats {

enum class Compression : uint8_t { none, gzip, zlib };
std::string_view name_of(Compression compression);            // TensorFlow's: "", "GZIP", "ZLIB"
Compression compression_from_name(std::string_view name);     // throws InvalidArgument
Compression guess_compression(std::string_view first_bytes);  // by the first two bytes; plain data may look so too

struct InflateLimits {
  uint64_t max_ratio = 200;                 // inflated bytes for each compressed one …
  uint64_t free_bytes = uint64_t{1} << 26;  // … once there are more inflated bytes than these
};

// The bytes of a file in order, inflated. The file outlives it. A GZIP file may have several members.
class InputStream {
 public:
  explicit InputStream(const InputFile& file, Compression compression = Compression::none,
                       const InflateLimits& limits = {});
  InputStream(InputStream&&) noexcept;
  ~InputStream();

  // Up to `bytes` bytes; fewer only at the end. Throws DataError with the position in the compressed file.
  size_t read_some(void* to, size_t bytes);
  // All that is left; throws DataError where that is more than `limit`.
  std::string read_all(uint64_t limit = uint64_t{1} << 32);
  uint64_t position() const { return position_; }  // of the next byte, in the inflated bytes
  void seek(uint64_t position);                    // in plain files only

 private:
  struct Inflater;
  size_t inflate_some(char* to, size_t bytes);

  const InputFile* file_;
  uint64_t position_ = 0;
  std::unique_ptr<Inflater> inflater_;  // none: plain
};

// Bytes written in order into a file, deflated. finish() ends the compressed data; it does not commit the file.
class OutputStream {
 public:
  explicit OutputStream(OutputFile& file, Compression compression = Compression::none, int level = -1);
  ~OutputStream();

  void write(std::string_view bytes);
  void flush();  // what was written can be inflated
  void finish();

 private:
  struct Deflater;
  void deflate(std::string_view bytes, int how);

  OutputFile* file_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace brio::formats
