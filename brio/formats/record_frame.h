// The header of a TFRecord, checked: what both ways of reading share.
#pragma once

#include <cstring>
#include <string_view>

#include "brio/formats/crc32c.h"
#include "brio/formats/tfrecord.h"

namespace brio::formats {

template <typename T>
T load_at(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

[[noreturn]] inline void fail_corrupted(const Origin& origin, uint64_t at, std::string_view reason,
                                        std::string_view hint = {}) {
  throw DataError(origin, at, cat("corrupted record: ", reason, hint));
}
[[noreturn]] inline void fail_truncated_record(const Origin& origin, uint64_t at, std::string_view reason) {
  throw DataError(origin, at, cat("truncated record: ", reason));
}

// The length that the kRecordHeader bytes say, of a record at `at` of a file of `file_bytes` bytes (UINT64_MAX: not
// known).
inline uint64_t checked_length(const char* header, const Origin& origin, uint64_t at, uint64_t file_bytes,
                               const RecordOptions& options) {
  const auto length = load_at<uint64_t>(header);
  if (options.verify && load_at<uint32_t>(header + 8) != masked_crc32c({header, 8})) {
    std::string hint;
    if (at == 0) {
      const Compression guess = guess_compression({header, 2});
      if (options.compression != Compression::none || guess == Compression::none)
        hint = " (is this a TFRecord file?)";
      else hint = cat(" (is this a TFRecord file? It begins as ", name_of(guess), " does: try that compression)");
    }
    fail_corrupted(origin, at, "the checksum of its length does not match", hint);
  }
  if (length > options.max_record)
    fail_corrupted(origin, at, cat("it has ", length, " bytes, more than max_record, ", options.max_record));
  const uint64_t left = file_bytes - at;
  if (left < kRecordHeader + kRecordFooter || length > left - kRecordHeader - kRecordFooter)
    fail_truncated_record(
        origin, at,
        cat("it has ", length, " bytes of data, but the file ends ", left, " bytes behind the record's begin"));
  return length;
}

inline void check_data(std::string_view data, uint32_t stored, const Origin& origin, uint64_t at,
                       const RecordOptions& options) {
  if (options.verify && stored != masked_crc32c(data))
    fail_corrupted(origin, at, cat("the checksum of its ", data.size(), " bytes of data does not match"));
}

}  // namespace brio::formats
