// CSV: types inferred, then read by them. The first byte chooses the options.
#include "brio/formats/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  CsvOptions options{.use_quote_delim = (data[0] & 1) == 0, .header = (data[0] & 2) != 0, .longest_row = 64};
  if (data[0] & 4) options.field_delim = ';';
  try {
    std::vector<CsvColumn> columns = infer_csv_columns(in_order(ReadAt(bytes, Origin{})), {}, options, data[0] % 16);
    if (columns.empty()) return 0;
    CsvReader reader(in_order(ReadAt(bytes, Origin{})), {}, columns, options);
    std::vector<double> numbers(columns.size());
    brio::StringWriter strings;
    std::vector<CsvBuffer> buffers;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].dtype == brio::DType::string) buffers.emplace_back(&strings);
      else buffers.emplace_back(static_cast<void*>(&numbers[i]));
    }
    for (bool more = true; more;) {
      try {
        more = reader.read_row(0, buffers);
      } catch (const DataError&) {
      }
    }
  } catch (const DataError&) {
  }
  return 0;
}
