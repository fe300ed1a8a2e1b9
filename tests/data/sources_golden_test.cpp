// Time series, texts and tables as datasets, beside those of Keras and TensorFlow (tests/golden/sources_….json).
#include <filesystem>
#include <sstream>

#include "brio/data/sources/sources.h"
#include "brio/formats/file.h"
#include "brio/tensor/strings.h"
#include "tests/data/battery.h"
#include "tests/data/says.h"
#include "tests/formats/scratch.h"
#include "tests/golden/golden.h"

namespace brio::data {
namespace {

using formats::Scratch;
using formats::write_file;
using Texts = std::vector<std::string>;

Texts split(const std::string& text, char by) {
  Texts parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

// All values of a part, batch after batch.
template <typename T>
std::vector<double> values_of(const std::vector<Item>& items, size_t part) {
  std::vector<double> all;
  for (const Item& item : items)
    for (const T value : item[part].template to_vector<T>()) all.push_back(static_cast<double>(value));
  return all;
}
std::string texts_of(const std::vector<Item>& items, size_t part) {
  std::string all;
  bool first = true;
  for (const Item& item : items)
    for (int64_t i = 0; i < item[part].size(); ++i) {
      all += cat(std::exchange(first, false) ? "" : "|", string_at(item[part].array(), i));
    }
  return all;
}
std::vector<Item> items_of(const Dataset& dataset) {
  std::vector<Item> items;
  for (const Item& item : dataset) items.push_back(item);
  return items;
}

Tensor rows_of(int64_t rows, int64_t width, float first) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows * width; ++i) values.push_back(first + static_cast<float>(i));
  return Tensor::from(values, width == 1 ? Shape{rows} : Shape{rows, width});
}

std::optional<int64_t> whole(const golden::Case& c, const std::string& name) {
  return c.has(name) ? std::optional<int64_t>(static_cast<int64_t>(c.number(name))) : std::nullopt;
}

TEST(SourcesGolden, WindowsOfTimeSeries) {
  size_t cases = 0;
  for (const char* file : {"sources_timeseries_1.json", "sources_timeseries_2.json"})
    for (const golden::Case& c : golden::load(file)) {
      SCOPED_TRACE(c.name);
      ++cases;
      const auto targets = static_cast<int64_t>(c.number("targets"));
      const Dataset windows = timeseries_dataset_from_array(
          rows_of(20, 2, 0), targets ? rows_of(targets, 1, 100) : Tensor(), *whole(c, "length"),
          {.sequence_stride = *whole(c, "stride"),
           .sampling_rate = *whole(c, "rate"),
           .batch_size = 4,
           .start_index = whole(c, "start"),
           .end_index = whole(c, "end")});
      const std::vector<Item> items = items_of(windows);
      EXPECT_EQ(items.size(), static_cast<size_t>(c.number("batches")));
      EXPECT_EQ(windows.cardinality(), static_cast<int64_t>(c.number("batches")));
      EXPECT_EQ(values_of<float>(items, 0), c.output("windows").data);
      if (targets) {
        EXPECT_EQ(values_of<float>(items, 1), c.output("labels").data);
      }
    }
  EXPECT_GT(cases, 100U);
}

TEST(SourcesGolden, TextsOfFolders) {
  Scratch scratch;
  const std::pair<const char*, const char*> files[] = {
      {"a/1.txt", "one"},        {"a/10.txt", "ten"},    {"a/2.txt", ""},         {"b/x.txt", "a longer\ntext"},
      {"b/deep/y.txt", "below"}, {"c.d/z.TXT", "third"}, {"b/no.md", "not read"}, {"top.txt", "on top"}};
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories(std::filesystem::path(scratch / name).parent_path());
    write_file(scratch / name, text);
  }
  for (const golden::Case& c : golden::load("sources_texts.json")) {
    SCOPED_TRACE(c.name);
    TextFolderOptions options{.batch_size = 2, .shuffle = false};
    if (c.has("label_mode"))
      options.label_mode = c.text("label_mode") == "categorical" ? LabelMode::categorical
                           : c.text("label_mode") == "binary"    ? LabelMode::binary
                           : c.text("label_mode") == "None"      ? LabelMode::none
                                                                 : LabelMode::integer;
    if (c.has("max_length")) options.max_length = std::stoll(c.text("max_length"));
    if (c.has("class_names")) options.class_names = split(c.text("class_names"), ' ');
    if (c.has("labels")) {
      options.inferred = false;
      if (c.text("labels") != "None")
        for (const std::string& label : split(c.text("labels"), ' ')) options.labels.push_back(std::stoi(label));
    }
    if (c.has("subset")) {
      options.validation_split = std::stod(c.text("validation_split"));
      options.subset = c.text("subset") == "training" ? Subset::training : Subset::validation;
    }
    const TextFolder folder = text_dataset_from_directory(scratch.path(), options);
    const std::vector<Item> items = items_of(folder);
    EXPECT_EQ(texts_of(items, 0), c.text("texts"));
    if (c.outputs.contains("labels")) {
      EXPECT_EQ(options.label_mode == LabelMode::integer ? values_of<int32_t>(items, 1) : values_of<float>(items, 1),
                c.output("labels").data);
      EXPECT_EQ(items[0][1].rank(), static_cast<int>(c.output("labels").shape.size()));
    } else {
      EXPECT_EQ(items[0].size(), 1U);
    }
  }
  {  // A file that is gone when its turn comes can be left out.
    write_file(scratch / "a/gone.txt", "");
    const TextFolder all = text_dataset_from_directory(scratch.path(), {.batch_size = 0, .shuffle = false});
    const TextFolder rest =
        text_dataset_from_directory(scratch.path(), {.batch_size = 0, .shuffle = false, .on_error = OnError::skip});
    std::filesystem::remove(scratch / "a/gone.txt");
    EXPECT_THROW(items_of(all), ResourceError);
    EXPECT_EQ(items_of(rest).size(), all.file_paths.size() - 1);
  }
  const TextFolder shuffled = text_dataset_from_directory(scratch.path(), {.batch_size = 0, .seed = 3});
  EXPECT_EQ(shuffled.class_names, (Texts{"a", "b", "c.d"}));
  EXPECT_EQ(shuffled.file_paths.size(), 6U);
  check_pipeline(shuffled);
  EXPECT_MESSAGE(text_dataset_from_directory(scratch.path(), {.label_mode = LabelMode::binary}),
                 "needs two classes; there are 3");
  EXPECT_MESSAGE(text_dataset_from_directory(scratch.path(), {.batch_size = -1}), "batch_size is -1");
  EXPECT_MESSAGE(text_dataset_from_directory(scratch.path(), {.max_length = -1}), "max_length is -1");
  EXPECT_MESSAGE(text_dataset_from_directory(scratch / "none"), "none");
}

TEST(SourcesGolden, TablesByName) {
  Scratch scratch;
  for (const golden::Case& c : golden::load("sources_csv.json")) {
    SCOPED_TRACE(c.name);
    write_file(scratch / "rows.csv", c.text("file"));
    MakeCsvOptions options{.num_epochs = whole(c, "num_epochs").value_or(1), .shuffle = false};
    if (c.has("label_name")) options.label_name = c.text("label_name");
    if (c.has("select_columns")) options.select_columns = split(c.text("select_columns"), ' ');
    if (c.has("num_rows_for_inference")) options.num_rows_for_inference = *whole(c, "num_rows_for_inference");
    const Dataset rows =
        make_csv_dataset({scratch / "rows.csv"}, c.has("batch_size") ? *whole(c, "batch_size") : 2, options);
    const std::vector<Item> items = items_of(rows);
    const Texts order = split(c.text("order"), ' ');
    ASSERT_EQ(rows.structure().parts(), order.size());
    for (size_t part = 0; part < order.size(); ++part) {
      if (order[part] != "(label)") {
        EXPECT_TRUE(rows.structure().part_name(part).ends_with(order[part])) << rows.structure().part_name(part);
      }
      if (c.has(cat("column ", order[part]))) {
        EXPECT_EQ(texts_of(items, part), c.text(cat("column ", order[part])));
        continue;
      }
      EXPECT_EQ(items[0][part].dtype(), dtype_from_name(c.text(cat("dtype ", order[part]))));
      EXPECT_EQ(items[0][part].dtype() == f32 ? values_of<float>(items, part) : values_of<int32_t>(items, part),
                c.output(order[part]).data);
    }
  }
}

TEST(Timeseries, SayWhatIsWrong) {
  const Tensor data = rows_of(20, 2, 0), none;
  EXPECT_MESSAGE(timeseries_dataset_from_array(none, none, 3), "data has no rows");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 0), "sequence_length is 0");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 3, {.sequence_stride = 20}),
                 "sequence_stride is 20; it must be 1 or more and below the 20 rows");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 3, {.sampling_rate = 0}), "sampling_rate is 0");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 3, {.start_index = 20}), "start_index is 20");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 3, {.end_index = 20}), "end_index is 20");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 3, {.start_index = 5, .end_index = 5}),
                 "higher than start_index, 5");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, none, 3, {.batch_size = -1}), "batch_size is -1");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, rows_of(6, 1, 0), 3, {.start_index = 3}),
                 "targets has 6 rows, but the last window begins at row 8");
  EXPECT_MESSAGE(timeseries_dataset_from_array(data, Tensor::from(std::vector<float>{1}, {}), 3),
                 "targets has no rows");
  EXPECT_EQ(timeseries_dataset_from_array(data, none, 21).cardinality(), 0);
  check_pipeline(timeseries_dataset_from_array(data, rows_of(20, 1, 0), 4,
                                               {.sampling_rate = 2, .batch_size = 3, .shuffle = true, .seed = 1}));
  check_pipeline(timeseries_dataset_from_array(data, none, 4, {.batch_size = 0}));
}

}  // namespace
}  // namespace brio::data
