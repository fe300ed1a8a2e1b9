// TFRecord files: records back to back, each with its length and the checksums of length and data. Read in order
// (plain, GZIP, ZLIB), or by place from any thread (plain); written whole or not at all.
//
//   RecordReader reader("train.tfrecord");
//   for (std::string_view record; reader.next(record);) …   // a view that lasts until the next call
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "brio/formats/compression.h"
#include "brio/formats/file.h"
#include "brio/formats/record_index.h"

namespace brio::formats {

struct RecordOptions {
  Compression compression = Compression::none;
  bool verify = true;                       // compare the checksums
  uint64_t max_record = uint64_t{1} << 30;  // bytes; longer ones are refused before anything is allocated
  InflateLimits inflate = {};
};

inline constexpr size_t kRecordHeader = 12, kRecordFooter = 4;

// In order. Throws DataError: "truncated record", "corrupted record", …, at the record's position in the (inflated)
// file.
class RecordReader {
 public:
  explicit RecordReader(std::string path, const RecordOptions& options = {});

  // The next record; false at the end. The view lasts until the next call.
  bool next(std::string_view& record);
  // Or in two steps, without a copy: the length of the next record, then its data to where the caller wants it.
  bool next_length(uint64_t& length);
  void read_into(void* to);
  // Over a record; in plain files its data need not be read.
  bool skip();

  // After a DataError: is the place of the next record lost too? If not, only the data of one record was corrupted,
  // and the next call goes on behind it.
  bool lost() const { return lost_; }

  uint64_t position() const { return stream_.position() - (end_ - begin_); }  // of the next record, inflated
  void seek(uint64_t position);  // to where a record begins; plain files only
  const InputFile& file() const { return *file_; }

 private:
  bool have(uint64_t bytes);  // makes them lie at begin_; false where the file ends before
  void end_record(size_t bytes);
  [[noreturn]] void fail_truncated(std::string_view reason) const;

  std::unique_ptr<InputFile> file_;  // its place stays when the reader moves
  RecordOptions options_;
  InputStream stream_;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;  // of the bytes in the buffer that are still to be read
  uint64_t length_ = 0;         // of the record whose header has been read, which begins at record_
  uint64_t record_ = 0;
  bool in_record_ = false, lost_ = false;
};

// A plain file, by place: immutable, so any number of threads may read it at once.
class RecordFile {
 public:
  explicit RecordFile(std::string path, const RecordOptions& options = {});

  const InputFile& file() const { return file_; }
  // The header of the record at this offset, checked.
  RecordPlace place_at(uint64_t offset) const;
  // Its data to `to`, or into the buffer, which grows where it must. Throws DataError, also where the record there
  // has another length than the place says.
  void read_into(const RecordPlace& place, void* to) const;
  std::string_view read(const RecordPlace& place, std::string& buffer) const;
  // With its header and footer, in one read: `to` has room for frame_bytes(place), the data lie kRecordHeader behind
  // its begin. Or what was read of the file otherwise, checked in the same way.
  static size_t frame_bytes(const RecordPlace& place) { return place.length + kRecordHeader + kRecordFooter; }
  void read_frame(const RecordPlace& place, char* to) const;
  void check_frame(const RecordPlace& place, const char* frame) const;
  // The places of all records, from their headers alone.
  RecordIndex index() const;

 private:
  void check_fits(const RecordPlace& place) const;
  void check_place(const RecordPlace& place, std::string_view header) const;
  InputFile file_;
  RecordOptions options_;
};

struct RecordWriterOptions {
  Compression compression = Compression::none;
  int level = -1;  // of compression
};

class RecordWriter {
 public:
  explicit RecordWriter(std::string path, const RecordWriterOptions& options = {});

  void write(std::string_view record);
  // The records so far can be read under the file's name; those that follow are added to it.
  void flush();
  // The file appears under its name. A writer that is destroyed before leaves nothing.
  void commit();

  const RecordIndex& index() const { return index_; }  // of what was written; its offsets are inflated ones
  const std::string& path() const { return file_.path(); }
  uint64_t bytes_written() const { return file_.size(); }

 private:
  OutputFile file_;
  OutputStream stream_;
  RecordIndex index_;
};

}  // namespace brio::formats
