// csv_dataset: the rows of CSV files, in order. make_csv_dataset: the same as batches of named columns.
#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/data/sources/files_in_order.h"
#include "brio/data/sources/glob.h"
#include "brio/data/sources/sources.h"

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
      std::copy_n(text.data(), text.size(), to);
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

// Names in the header, of all columns.
std::vector<std::string> header_of(const std::string& file, const CsvOptions& options,
                                   formats::Compression compression) {
  FileStream stream(file, compression);
  CsvOptions with_header = options;
  with_header.header = true;
  formats::CsvRows rows(stream.read_some(), {stream.file().path()}, with_header);
  return rows.names();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += cat(text.empty() ? "" : ", ", name);
  return text;
}

size_t find_column(const std::vector<std::string>& names, const std::string& name, std::string_view what) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw InvalidArgument(
        cat("[make_csv_dataset] ", what, " '", name, "' is none of the columns, which are: ", joined(names)));
  return static_cast<size_t>(at - names.begin());
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
                  Structure::tuple_of(n))
      .on_error(options.on_error);
}

Dataset make_csv_dataset(const std::vector<std::string>& names, int64_t batch_size, MakeCsvOptions options) {
  const std::vector<std::string> files = files_of("make_csv_dataset", names);
  CsvLayout layout{std::move(options.columns),
                   {},
                   {.field_delim = options.field_delim,
                    .use_quote_delim = options.use_quote_delim,
                    .header = options.header,
                    .na_value = options.na_value},
                   options.compression};
  std::vector<std::string> columns = std::move(options.column_names);
  if (columns.empty()) {
    if (!options.header) throw InvalidArgument("[make_csv_dataset] without a header, column_names are needed");
    columns = header_of(files[0], layout.options, options.compression);
    for (const std::string& file : files)
      if (const std::vector<std::string> own = header_of(file, layout.options, options.compression); own != columns)
        throw InvalidArgument(cat("[make_csv_dataset] the columns of ", file, " are ", joined(own), ", but those of ",
                                  files[0], " are ", joined(columns)));
  }
  if (!options.select_columns.empty()) {
    for (const std::string& name : options.select_columns)
      layout.options.select_cols.push_back(static_cast<int64_t>(find_column(columns, name, "select_columns:")));
    std::sort(layout.options.select_cols.begin(), layout.options.select_cols.end());
    std::vector<std::string> selected;
    for (const int64_t i : layout.options.select_cols) selected.push_back(columns[static_cast<size_t>(i)]);
    columns = std::move(selected);
  }
  if (layout.columns.empty()) {
    FileStream stream(files[0], options.compression);
    layout.columns = formats::infer_csv_columns(stream.read_some(), {stream.file().path()}, layout.options,
                                                options.num_rows_for_inference);
  }
  if (layout.columns.size() != columns.size())
    throw InvalidArgument(cat("[make_csv_dataset] there are ", columns.size(), " column names for ",
                              layout.columns.size(), " columns: ", joined(columns)));
  layout.parts = in_their_order(columns.size());
  Structure structure = Structure::named_tensors(columns);
  if (!options.label_name.empty()) {
    const size_t label = find_column(columns, options.label_name, "label_name");
    for (size_t i = label; i < columns.size(); ++i) layout.parts[i] = i == label ? columns.size() - 1 : i - 1;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(label));
    structure = Structure::tuple({Structure::named_tensors(columns), Structure()});
  }
  Dataset rows = csv_rows("make_csv_dataset", files, std::move(layout), std::move(structure));
  if (options.ignore_errors) rows = rows.ignore_errors();
  if (options.shuffle) rows = rows.shuffle(options.shuffle_buffer_size, {.seed = options.shuffle_seed});
  if (options.num_epochs != 1) rows = rows.repeat(options.num_epochs);
  return rows.batch(batch_size, {.drop_remainder = options.num_epochs == kInfinite})
      .prefetch(options.prefetch_buffer_size);
}

}  // namespace brio::data
