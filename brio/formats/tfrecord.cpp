#include "brio/formats/tfrecord.h"

#include <algorithm>
#include <cstring>

#include "brio/formats/record_frame.h"

namespace brio::formats {

namespace {

constexpr size_t kLeastBuffer = size_t{1} << 12, kRecordBuffer = size_t{1} << 18;

}  // namespace

RecordReader::RecordReader(std::string path, const RecordOptions& options)
    : file_(std::make_unique<InputFile>(std::move(path))),
      options_(options),
      stream_(*file_, options.compression, options.inflate) {}

bool RecordReader::have(uint64_t bytes) {
  while (end_ - begin_ < bytes) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    // A length that nothing confirms yet gets no more memory than the data that has come asks for.
    if (end_ == buffer_.size())
      buffer_.resize(
          static_cast<size_t>(std::max<uint64_t>(std::clamp<uint64_t>(file_->size(), kLeastBuffer, kRecordBuffer),
                                                 std::min<uint64_t>(bytes, 2 * uint64_t{end_}))));
    const size_t room = buffer_.size() - end_;
    const size_t got = stream_.read_some(buffer_.data() + end_, room);
    end_ += got;
    if (got < room) return end_ - begin_ >= bytes;
  }
  return true;
}

void RecordReader::fail_truncated(std::string_view reason) const {
  fail_truncated_record({file_->path()}, record_, reason);
}

bool RecordReader::next_length(uint64_t& length) {
  BRIO_CHECK(!in_record_, "the record before has not been read");
  record_ = position();
  lost_ = true;
  if (!have(kRecordHeader)) {
    lost_ = begin_ != end_;
    if (!lost_) return false;
    fail_truncated(cat("the file ends after ", end_ - begin_, " of the ", kRecordHeader, " bytes of its header"));
  }
  const bool known = options_.compression == Compression::none;
  length =
      checked_length(buffer_.data() + begin_, {file_->path()}, record_, known ? file_->size() : UINT64_MAX, options_);
  begin_ += kRecordHeader;
  length_ = length;
  in_record_ = true;
  lost_ = false;
  return true;
}

bool RecordReader::next(std::string_view& record) {
  uint64_t length = 0;
  if (!in_record_ && !next_length(length)) return false;
  lost_ = true;
  if (!have(length_ + kRecordFooter))
    fail_truncated(
        cat("the file ends after ", end_ - begin_, " of the ", length_, " + 4 bytes of its data and checksum"));
  record = {buffer_.data() + begin_, static_cast<size_t>(length_)};
  end_record(static_cast<size_t>(length_) + kRecordFooter);
  check_data(record, load_at<uint32_t>(record.data() + record.size()), {file_->path()}, record_, options_);
  return true;
}

void RecordReader::end_record(size_t bytes) {
  begin_ += bytes;
  in_record_ = false;
  lost_ = false;
}

void RecordReader::read_into(void* to) {
  BRIO_CHECK(in_record_, "next_length() comes before read_into()");
  const size_t length = static_cast<size_t>(length_), here = std::min(length, end_ - begin_);
  lost_ = true;
  if (here > 0) std::memcpy(to, buffer_.data() + begin_, here);
  begin_ += here;
  const size_t got = here + stream_.read_some(static_cast<char*>(to) + here, length - here);
  if (got < length || !have(kRecordFooter))
    fail_truncated(
        cat("the file ends after ", got + end_ - begin_, " of the ", length_, " + 4 bytes of its data and checksum"));
  const auto stored = load_at<uint32_t>(buffer_.data() + begin_);
  end_record(kRecordFooter);
  check_data({static_cast<const char*>(to), length}, stored, {file_->path()}, record_, options_);
}

bool RecordReader::skip() {
  uint64_t length = 0;
  if (!in_record_ && !next_length(length)) return false;
  const uint64_t behind = position() + length_ + kRecordFooter;
  in_record_ = false;
  lost_ = true;
  if (options_.compression == Compression::none && behind - position() > end_ - begin_) {
    seek(behind);
    return true;
  }
  for (uint64_t left = length_ + kRecordFooter; left > 0;) {
    if (!have(1)) fail_truncated(cat("the file ends ", left, " bytes before its end"));
    const size_t part = static_cast<size_t>(std::min<uint64_t>(left, end_ - begin_));
    begin_ += part;
    left -= part;
  }
  lost_ = false;
  return true;
}

void RecordReader::seek(uint64_t position) {
  stream_.seek(position);
  begin_ = end_ = 0;
  in_record_ = lost_ = false;
}

RecordFile::RecordFile(std::string path, const RecordOptions& options) : file_(std::move(path)), options_(options) {
  if (options.compression != Compression::none)
    throw InvalidArgument(cat(file_.path(), ": the records of a ", name_of(options.compression),
                              " file can be read in order only; write it plain to read them by place"));
}

RecordPlace RecordFile::place_at(uint64_t offset) const {
  char header[kRecordHeader];
  if (const size_t got = file_.read_some(offset, header, kRecordHeader); got < kRecordHeader)
    fail_truncated_record({file_.path()}, offset, cat("the file ends after ", got, " of the 12 bytes of its header"));
  return {offset, checked_length(header, {file_.path()}, offset, file_.size(), options_)};
}

void RecordFile::check_place(const RecordPlace& place, std::string_view header) const {
  const uint64_t length = checked_length(header.data(), {file_.path()}, place.offset, file_.size(), options_);
  if (length != place.length)
    fail_corrupted({file_.path()}, place.offset, cat("it has ", length, " bytes, but the index says ", place.length));
}

void RecordFile::read_into(const RecordPlace& place, void* to) const {
  // A copy of a small record costs less than the calls that would read its parts.
  constexpr uint64_t kSmall = 8192;
  if (place.length <= kSmall) {
    static thread_local std::string small;
    const std::string_view data = read(place, small);
    if (!data.empty()) std::memcpy(to, data.data(), data.size());
    return;
  }
  char header[kRecordHeader], footer[kRecordFooter];
  file_.read(place.offset, header, kRecordHeader);
  check_place(place, {header, kRecordHeader});
  file_.read(place.offset + kRecordHeader, to, place.length);
  file_.read(place.offset + kRecordHeader + place.length, footer, kRecordFooter);
  check_data({static_cast<const char*>(to), place.length}, load_at<uint32_t>(footer), {file_.path()}, place.offset,
             options_);
}

std::string_view RecordFile::read(const RecordPlace& place, std::string& buffer) const {
  check_fits(place);
  if (buffer.size() < frame_bytes(place)) buffer.resize(frame_bytes(place));
  read_frame(place, buffer.data());
  return {buffer.data() + kRecordHeader, place.length};
}

void RecordFile::check_fits(const RecordPlace& place) const {
  const uint64_t frame = kRecordHeader + kRecordFooter;
  if (place.offset > file_.size() || file_.size() - place.offset < frame ||
      place.length > file_.size() - place.offset - frame || place.length > options_.max_record)
    fail_truncated_record({file_.path()}, place.offset,
                          cat("the index says that it has ", place.length, " bytes, but the file ends at ",
                              file_.size(), " and max_record is ", options_.max_record));
}

void RecordFile::read_frame(const RecordPlace& place, char* to) const {
  check_fits(place);
  file_.read(place.offset, to, frame_bytes(place));
  check_frame(place, to);
}

void RecordFile::check_frame(const RecordPlace& place, const char* frame) const {
  check_place(place, {frame, kRecordHeader});
  const std::string_view data(frame + kRecordHeader, place.length);
  check_data(data, load_at<uint32_t>(data.data() + data.size()), {file_.path()}, place.offset, options_);
}

RecordIndex RecordFile::index() const {
  // Small records come many to a read; of large ones only the headers are read.
  constexpr size_t kMany = size_t{1} << 16;
  RecordIndex index;
  std::string buffer(kMany, '\0');
  uint64_t begin = 0, end = 0, last_length = 0;  // begin, end: what the buffer holds of the file
  for (uint64_t at = 0; at < file_.size(); at += last_length + kRecordHeader + kRecordFooter) {
    if (at < begin || at + kRecordHeader > end) {
      begin = at;
      end = at + file_.read_some(at, buffer.data(), last_length < kMany / 8 ? kMany : kRecordHeader);
    }
    if (end - at < kRecordHeader)
      fail_truncated_record({file_.path()}, at,
                            cat("the file ends after ", end - at, " of the 12 bytes of its header"));
    last_length = checked_length(buffer.data() + (at - begin), {file_.path()}, at, file_.size(), options_);
    index.add(last_length);
  }
  return index;
}

RecordWriter::RecordWriter(std::string path, const RecordWriterOptions& options)
    : file_(std::move(path)), stream_(file_, options.compression, options.level) {}

void RecordWriter::write(std::string_view record) {
  index_.add(record.size());
  char header[kRecordHeader], footer[kRecordFooter];
  const uint64_t length = record.size();
  std::memcpy(header, &length, 8);
  const uint32_t length_crc = masked_crc32c({header, 8}), data_crc = masked_crc32c(record);
  std::memcpy(header + 8, &length_crc, 4);
  std::memcpy(footer, &data_crc, 4);
  stream_.write({header, kRecordHeader});
  stream_.write(record);
  stream_.write({footer, kRecordFooter});
}

void RecordWriter::flush() {
  stream_.flush();
  file_.publish();
}

void RecordWriter::commit() {
  stream_.finish();
  file_.commit();
}

}  // namespace brio::formats
