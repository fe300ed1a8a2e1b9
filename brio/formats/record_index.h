// Where the records of a TFRecord file are, so that they can be read in any order, and the file beside the shard that
// says it (NAME.idx):
//   "BRIOIDX\n" | u32 version 1 | u32 fingerprint of the shard | u64 bytes of the shard | u64 records
//   | u32 length of each record | u32 CRC-32C of all before
// The fingerprint is the CRC-32C of headers and data checksums of up to 16 records, spread over the shard: it tells a
// shard that was written anew, and survives a copy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brio/formats/data_error.h"
#include "brio/formats/file.h"

namespace brio::formats {

struct RecordPlace {
  uint64_t offset = 0;  // of the record's header in the file
  uint64_t length = 0;  // of its data
};

// Four bytes a record, and a little more.
class RecordIndex {
 public:
  void add(uint64_t length);  // of the next record; throws InvalidArgument from 4 GiB on
  uint64_t size() const { return lengths_.size(); }
  RecordPlace operator[](uint64_t i) const;
  uint64_t file_bytes() const { return bytes_; }  // headers and footers included
  const std::vector<uint32_t>& lengths() const { return lengths_; }
  void reserve(uint64_t records);

 private:
  std::vector<uint32_t> lengths_;
  std::vector<uint64_t> starts_;  // of each 64th record
  uint64_t bytes_ = 0;
};

std::string index_path(const std::string& shard);  // NAME.idx

// Writes the side index of a plain shard that is complete, and reads it back. Reading throws DataError where the
// index is broken, or is not of this shard as it is now.
void write_index(const RecordIndex& index, const InputFile& shard);
RecordIndex read_index(const InputFile& shard);

// The bytes of such a file, of a shard with this fingerprint; what they say of it is for the caller to compare.
struct IndexFile {
  RecordIndex index;
  uint32_t fingerprint = 0;
};
std::string serialize_index(const IndexFile& index);
IndexFile parse_index(std::string_view bytes, const Origin& origin = {});

}  // namespace brio::formats
