// Lines of text as tf.data.TextLineDataset has them: they end with a line feed, and carriage returns are left out
// wherever they stand. In order, and by number through a small index.
#pragma once

#include <vector>

#include "brio/formats/byte_stream.h"

namespace brio::formats {

constexpr size_t kLongestLine = size_t{64} << 20;

class LineReader {
 public:
  explicit LineReader(ReadSome source, const Origin& origin = {}, size_t longest = kLongestLine);

  // The next line, valid until the next call; false at the end. Throws DataError for one that is longer than the
  // limit.
  bool next(std::string_view& line);
  // Where the next line begins. Counts every byte.
  uint64_t position() const { return buffer_.position(); }

 private:
  Origin origin_;
  size_t longest_;
  StreamBuffer buffer_;
};

// Some lines that follow each other. Their memory is used again.
struct LineBlock {
  int64_t first = 0;
  std::string characters;
  std::vector<size_t> ends;

  bool has(int64_t line) const { return line >= first && line - first < static_cast<int64_t>(ends.size()); }
  std::string_view operator[](int64_t line) const {
    const auto i = static_cast<size_t>(line - first);
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(characters).substr(begin, ends[i] - begin);
  }
};

// The lines of a file by their number. Making it reads the file once; it keeps a position for about every 64 lines.
class LineFile {
 public:
  explicit LineFile(ReadAt bytes, size_t longest = kLongestLine);

  int64_t size() const { return lines_; }
  // Throws InvalidArgument where there are not so many.
  std::string read(int64_t line) const;
  void read_block(int64_t line, LineBlock& block) const;  // with the lines around it

 private:
  struct Mark {
    uint64_t offset;
    int64_t line;
  };

  ReadAt bytes_;
  size_t longest_;
  int64_t lines_ = 0;
  std::vector<Mark> marks_;
};

}  // namespace brio::formats
