// text_line_dataset: the lines of text files. By number, where the files are plain and small enough to be looked
// through beforehand; otherwise in order.
#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/data/sources/files_in_order.h"
#include "brio/data/sources/glob.h"
#include "brio/data/sources/sources.h"
#include "brio/formats/lines.h"

namespace brio::data {
namespace {

constexpr uint64_t kQuickTextBytes = uint64_t{1} << 28;

void write_line(Element& out, std::string_view line) {
  out.resize(1);
  char* to = out.write_text(0, line.size());
  if (!line.empty()) std::memcpy(to, line.data(), line.size());
}

struct NumberedLines {
  std::vector<formats::LineFile> files;
  std::vector<int64_t> ends;  // numbers of the lines behind each file

  int64_t size() const { return ends.empty() ? 0 : ends.back(); }
};

class LinesByNumber final : public IndexedStage {
 public:
  LinesByNumber(Pipeline& pipeline, const NumberedLines& lines)
      : IndexedStage(pipeline, "text_line"), lines_(lines) {}
  int64_t indexed() const override { return lines_.size(); }
  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    const auto after = std::upper_bound(lines_.ends.begin(), lines_.ends.end(), ticket.index);
    const auto file = static_cast<size_t>(after - lines_.ends.begin());
    const int64_t line = ticket.index - (file == 0 ? 0 : lines_.ends[file - 1]);
    Around& around = private_of<Around>(worker);
    if (around.file != file || !around.block.has(line)) {
      around.file = SIZE_MAX;
      lines_.files[file].read_block(line, around.block);
      around.file = file;
    }
    write_line(out, around.block[line]);
  }
  bool has_work() const override { return true; }

 private:
  struct Around {  // what a thread has read last
    size_t file = SIZE_MAX;
    formats::LineBlock block;
  };
  const NumberedLines& lines_;
};

class LinesNode final : public Node {
 public:
  explicit LinesNode(NumberedLines lines) : lines_(std::move(lines)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<LinesByNumber>(pipeline, lines_);
  }
  std::string describe() const override {
    return cat("text_line(", lines_.files.size(), lines_.files.size() == 1 ? " file, " : " files, ", lines_.size(),
               " lines by number)");
  }
  Structure structure() const override { return {}; }
  int64_t cardinality() const override { return lines_.size(); }

 private:
  NumberedLines lines_;
};

class LinesInOrder final : public ElementReader {
 public:
  LinesInOrder(const std::string& path, formats::Compression compression) : stream_(path, compression) { begin(0); }
  bool next(Element& out) override {
    std::string_view line;
    lost_ = true;
    const bool there = reader_->next(line);
    lost_ = false;
    if (there) write_line(out, line);
    return there;
  }
  bool lost() const override { return lost_; }
  bool seeks() const override { return stream_.plain(); }
  uint64_t position() const override { return stream_.plain() ? begin_ + reader_->position() : 0; }
  void seek(uint64_t position) override {
    stream_.seek(position);
    begin(position);
  }

 private:
  void begin(uint64_t position) {
    begin_ = position;
    reader_.emplace(stream_.read_some(), formats::Origin{stream_.file().path(), position});
  }

  FileStream stream_;
  uint64_t begin_ = 0;  // where the reader began
  std::optional<formats::LineReader> reader_;
  bool lost_ = false;
};

}  // namespace

Dataset text_line_dataset(const std::vector<std::string>& names, TextLineOptions options) {
  const std::vector<std::string> files = files_of("text_line_dataset", names);
  const bool compressed = options.compression != formats::Compression::none;
  if (compressed && options.by_place == ByPlace::always)
    throw InvalidArgument(cat("[text_line_dataset] lines of ", name_of(options.compression),
                              " files cannot be found by their number; leave by_place as it is"));
  uint64_t bytes = 0;
  for (const std::string& file : files) bytes += formats::InputFile(file).size();  // all are there
  const bool numbered = !compressed && options.by_place != ByPlace::never && files.size() <= 256 &&
                        (options.by_place == ByPlace::always || bytes <= kQuickTextBytes);
  if (numbered) {
    try {
      NumberedLines lines;
      for (const std::string& file : files) {
        lines.files.emplace_back(formats::ReadAt(file));
        lines.ends.push_back(lines.size() + lines.files.back().size());
      }
      return Dataset(std::make_shared<LinesNode>(std::move(lines))).on_error(options.on_error);
    } catch (const formats::DataError&) {  // a line that is too long: an error at its place, when it is reached
      if (options.by_place == ByPlace::always) throw;
    }
  }
  return files_in_order("text_line",
                        cat("text_line(", files.size(), files.size() == 1 ? " file" : " files", " in order)"), files,
                        Structure(),
                        [compression = options.compression](const std::string& file) {
                          return std::make_unique<LinesInOrder>(file, compression);
                        })
      .on_error(options.on_error);
}

}  // namespace brio::data
