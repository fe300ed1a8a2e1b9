#include "brio/formats/lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace brio::formats {

namespace {

constexpr int64_t kLinesApart = 64;
constexpr uint64_t kBytesApart = uint64_t{64} << 10;

}  // namespace

LineReader::LineReader(ReadSome source, const Origin& origin, size_t longest)
    : origin_(origin), longest_(longest), buffer_(std::move(source), longest + 1) {}

bool LineReader::next(std::string_view& line) {
  size_t searched = 0;
  char* feed = nullptr;
  for (;;) {
    const auto held = static_cast<size_t>(buffer_.end() - buffer_.begin());
    feed = static_cast<char*>(held > searched ? std::memchr(buffer_.begin() + searched, '\n', held - searched)
                                              : nullptr);
    if (feed || (buffer_.at_end() && held <= longest_)) break;
    searched = held;
    if (!buffer_.more())
      throw DataError(origin_, buffer_.position(), cat("a line has more than the limit of ", longest_, " bytes"));
  }
  char *begin = buffer_.begin(), *end = feed ? feed : buffer_.end();
  if (begin == buffer_.end()) return false;
  buffer_.drop(static_cast<size_t>(end - begin) + (feed ? 1 : 0));
  if (end > begin && std::memchr(begin, '\r', static_cast<size_t>(end - begin))) end = std::remove(begin, end, '\r');
  line = {begin, static_cast<size_t>(end - begin)};
  return feed || !line.empty();  // what follows the last line feed is a line where there is something
}

LineFile::LineFile(ReadAt bytes, size_t longest) : bytes_(std::move(bytes)), longest_(longest) {
  LineReader reader(in_order(bytes_), bytes_.origin(), longest);
  std::string_view line;
  for (uint64_t at = 0; reader.next(line); at = reader.position(), ++lines_)
    if (marks_.empty() || lines_ - marks_.back().line >= kLinesApart || at - marks_.back().offset >= kBytesApart)
      marks_.push_back({at, lines_});
}

std::string LineFile::read(int64_t line) const {
  LineBlock block;
  read_block(line, block);
  return std::string(block[line]);
}

void LineFile::read_block(int64_t line, LineBlock& block) const {
  if (line < 0 || line >= lines_)
    throw InvalidArgument(
        cat(bytes_.origin().file, ": line ", line, " is asked for, of ", lines_, " counted from 0"));
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), line,
                                      [](int64_t wanted, const Mark& mark) { return wanted < mark.line; });
  const Mark& mark = *(after - 1);
  const uint64_t end = after == marks_.end() ? bytes_.size() : after->offset;
  const int64_t end_line = after == marks_.end() ? lines_ : after->line;
  const ReadAt part = bytes_.part(mark.offset, end - mark.offset);
  LineReader reader(in_order(part), part.origin(), static_cast<size_t>(std::min<uint64_t>(longest_, part.size())));
  block.first = mark.line;
  block.characters.clear();
  block.ends.clear();
  std::string_view text;
  for (int64_t at = mark.line; at < end_line; ++at) {
    if (!reader.next(text)) {
      if (at > line) return;
      throw DataError(part.origin(), end - mark.offset, "the file has fewer lines than when it was opened");
    }
    block.characters += text;
    block.ends.push_back(block.characters.size());
  }
}

}  // namespace brio::formats
