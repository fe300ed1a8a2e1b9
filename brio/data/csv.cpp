// csv_dataset: the rows of CSV files, in order. make_csv_dataset: the same as batches of named columns.
#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/data/files_in_order.h"
#include "brio/data/glob.h"
#include "brio/data/sources.h"

namespace brio::data {
namespace {

using formats::CsvBuffer;
using formats::CsvColumn;
using formats::CsvOptions;

struct CsvLayout {
  std::vector<CsvColumn> columns;
  std::vector<size_t> parts;  // of an element, for each column
  CsvOptions options;
  formats::Compression compression;
};

class CsvElements final : public ElementReader {
 public:
  CsvElements(const std::string& path, std::shared_ptr<const CsvLayout> layout)
      : layout_(std::move(layout)),
        stream_(path, layout_->compression),
        reader_(stream_.read_some(), {stream_.file().path()}, layout_->columns, layout_->options),
        texts_(layout_->columns.size()) {}

  bool next(Element& out) override {
    const size_t n = layout_->columns.size();
    out.resize(n);
    buffers_.clear();
    for (size_t i = 0; i < n; ++i) {
      const DType dtype = layout_->columns[i].dtype;
      if (dtype == DType::string) {
        texts_[i] = StringWriter();
        buffers_.emplace_back(&texts_[i]);
      } else {
        buffers_.emplace_back(out.write(layout_->parts[i], {{}, dtype}));
      }
    }
    if (!reader_.read_row(0, buffers_)) return false;
    for (size_t i = 0; i < n; ++i) {
      if (layout_->columns[i].dtype != DType::string) continue;
      const std::string& text = texts_[i].characters();
      char* to = out.write_text(layout_->parts[i], text.size());
      if (!text.empty()) std::memcpy(to, text.data(), text.size());
    }
    return true;
  }
  bool lost() const override { return stream_.failed(); }

 private:
  std::shared_ptr<const CsvLayout> layout_;
  FileStream stream_;
  formats::CsvReader reader_;
  std::vector<StringWriter> texts_;
  std::vector<CsvBuffer> buffers_;
};

Dataset csv_rows(const char* name, std::vector<std::string> files, CsvLayout layout, Structure structure) {
  formats::CsvReader check([](void*, size_t) { return size_t{0}; }, {}, layout.columns, layout.options);
  for (const std::string& file : files)
    formats::InputFile there(file);  // a missing one is known before the first row
  std::string types;
  for (const CsvColumn& column : check.columns()) types += cat(types.empty() ? "" : ", ", column.dtype);
  auto shared = std::make_shared<const CsvLayout>(std::move(layout));
  std::string text = cat(name, "(", files.size(), files.size() == 1 ? " file" : " files", " in order: ", types, ")");
  return files_in_order(name, std::move(text), std::move(files), std::move(structure),
                        [shared](const std::string& file) { return std::make_unique<CsvElements>(file, shared); });
}

std::vector<size_t> in_their_order(size_t n) {
  std::vector<size_t> parts(n);
  for (size_t i = 0; i < n; ++i) parts[i] = i;
  return parts;
}

}  // namespace

Dataset csv_dataset(const std::vector<std::string>& names, std::vector<CsvColumn> columns,
                    CsvDatasetOptions options) {
  if (columns.empty()) throw InvalidArgument("[csv_dataset] there are no columns; give the type of each one");
  const size_t n = columns.size();
  return csv_rows("csv_dataset", files_of("csv_dataset", names),
                  {std::move(columns), in_their_order(n), std::move(options.csv), options.compression},
                  Structure::tuple_of(n));
}

}  // namespace brio::data
