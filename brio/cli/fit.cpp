// brio fit SRC: trains a small network on a folder of pictures or a CSV file. It is there to see how fast a machine
// gets through one's own data, and what limits it (--explain), before a program is written.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "brio/brio.h"
#include "brio/cli/arguments.h"
#include "brio/cli/explain.h"
#include "brio/cli/file_kind.h"
#include "brio/data/sources.h"
#include "brio/runtime/explain.h"
#include "brio/train/dataset_source.h"

namespace brio::cli {
namespace {

constexpr const char* kHelp = R"(brio fit SRC [options]: trains a small network on your data

SRC is a folder of pictures whose subfolders are classes, or a CSV file of numbers with a header. Where its subfolders
are train and validation (or val, valid, test), whose own subfolders are the classes, it trains on the one and reports
on the other.

  --epochs N     3 unless said otherwise
  --batch N      32 unless said otherwise; auto (of a CSV file): the size of the best measured throughput
  --size HxW     of pictures, 224x224 unless said otherwise
  --label NAME   the column of a CSV file to predict; the last one unless said otherwise. Whole numbers from 0 to 999
                 are classes, others are values
  --seed N       of weights and order, 1 unless said otherwise
  --explain      where the time of the input went, stage by stage, and what limits
  --doctor       what limits the run, what would help, and by how much
  --json         one object, in place of the bar
)";

constexpr int64_t kMostClasses = 1000;

// Rows of a CSV file.
struct Table {
  Tensor x, y;
  int64_t classes = 0;  // 0: y is a value
};

Table read_table(const std::string& path, std::string label) {
  constexpr int64_t kRowsAtOnce = 4096;
  const data::Dataset all = data::make_csv_dataset({path}, kRowsAtOnce, {.num_epochs = 1, .shuffle = false});
  const std::vector<std::string> names = all.structure().names();
  if (label.empty()) label = names.back();
  if (std::ranges::find(names, label) == names.end()) {
    std::string known;
    for (const std::string& name : names) known += cat(known.empty() ? "" : ", ", name);
    throw Misuse(cat("--label is ", label, "; the columns of ", path, " are ", known));
  }
  if (names.size() < 2) throw Misuse(cat(path, " has one column, so there is nothing to predict it from"));
  std::vector<Tensor> x, y;
  data::Iterator iterator = all.iterator(0);
  for (data::Item item; iterator.next(item);) {
    std::vector<Tensor> columns;
    for (const std::string& name : names) {
      if (item[name].dtype() == DType::string)
        throw Misuse(cat("the column ", name, " of ", path, " holds text; brio fit takes numbers"));
      if (name != label) columns.push_back(cast(item[name], f32));
    }
    x.push_back(stack(columns, 1));
    y.push_back(expand_dims(item[label], 1));
    x.back().array();
  }
  if (x.empty()) throw Misuse(cat(path, " has no rows"));
  Table table{concat(x, 0), concat(y, 0)};
  if (table.y.dtype() == f32) return table;
  const auto least = cast(min(table.y), i64).item<int64_t>();
  const auto most = cast(max(table.y), i64).item<int64_t>();
  if (least >= 0 && most < kMostClasses) table.classes = most + 1;
  else table.y = cast(table.y, f32);
  return table;
}

struct Result {
  train::History history;
  std::optional<data::Report> input;
};

Result fit_dataset(const nn::Model& model, const data::Dataset& batches, const nn::FitOptions& options) {
  train::DatasetSource source(batches);
  Result result{model.fit(source, options), {}};
  result.input = source.report();
  return result;
}

void compile(const nn::Model& model, bool classes) {
  if (classes)
    model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  else model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
}

Result fit_table(const Table& table, nn::FitOptions options, bool automatic, int64_t batch, uint64_t seed) {
  const nn::Normalization normalized;
  normalized.adapt(table.x);
  const nn::Sequential model(
      {normalized, nn::Dense(64, {.activation = "relu"}), nn::Dense(64, {.activation = "relu"}),
       table.classes > 0 ? nn::Dense(table.classes, {.activation = "softmax"}) : nn::Dense(1)});
  compile(model, table.classes > 0);
  if (!automatic)
    return fit_dataset(
        model, data::from_tensor_slices({table.x, table.y}).shuffle(data::kAutotune, {.seed = seed}).batch(batch),
        options);
  options.batch_size = "auto";
  return {model.fit(table.x, table.y, options), {}};
}

// Folders of pictures as people part them.
struct Parted {
  std::string train, validation;  // none: all are for training
};

Parted parts_of(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const fs::directory_entry& each : fs::directory_iterator(folder))
    if (each.is_directory()) names.push_back(each.path().filename().string());
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (!has("train")) return {folder, {}};
  const std::string train = (fs::path(folder) / "train").string();
  const bool has_classes = std::ranges::any_of(fs::directory_iterator(train),
                                               [](const fs::directory_entry& each) { return each.is_directory(); });
  for (const char* other : {"validation", "val", "valid", "test"})
    if (has(other) && has_classes) return {train, (fs::path(folder) / other).string()};
  if (names.size() == 1 && has_classes) return {train, {}};
  return {folder, {}};  // a class whose name is train
}

Result fit_pictures(const std::string& folder, std::pair<int64_t, int64_t> size, nn::FitOptions options,
                    int64_t batch, uint64_t seed) {
  const Parted parts = parts_of(folder);
  const data::ImageFolder pictures = data::image_folder(
      parts.train,
      {.batch_size = batch, .image_size = {size.first, size.second}, .seed = static_cast<uint32_t>(seed)});
  if (!parts.validation.empty())
    options.validation_data.dataset = data::image_folder(parts.validation, {.class_names = pictures.class_names,
                                                                            .batch_size = batch,
                                                                            .image_size = {size.first, size.second},
                                                                            .shuffle = false});
  const auto classes = static_cast<int64_t>(pictures.class_names.size());
  const nn::Sequential model({nn::Rescaling(1 / 255.0),
                              nn::Conv2D(16, {3}, {.strides = {2}, .padding = "same", .activation = "relu"}),
                              nn::MaxPooling2D(), nn::Conv2D(32, {3}, {.padding = "same", .activation = "relu"}),
                              nn::GlobalAveragePooling2D(), nn::Dense(classes, {.activation = "softmax"})});
  compile(model, true);
  return fit_dataset(model, pictures, options);
}

void print_json(const Result& result, bool explain) {
  nlohmann::ordered_json json = {{"epochs", result.history.epoch.size()},
                                 {"history", nlohmann::ordered_json::object()}};
  for (const auto& [name, values] : result.history.columns) json["history"][name] = values;
  if (result.history.batch_choice) json["batch_choice"] = to_json(*result.history.batch_choice);
  if (explain) {
    json["input"] = result.input ? to_json(*result.input) : nlohmann::ordered_json();
    json["devices"] = placement_json();
  }
  std::puts(json.dump().c_str());
}

}  // namespace

int run_fit(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const Arguments arguments(words, {"--explain", "--json", "--doctor"},
                            {"--epochs", "--batch", "--size", "--label", "--seed"});
  if (arguments.names().size() != 1) throw Misuse("takes one SRC");
  const std::string& path = arguments.names()[0];
  const bool automatic = arguments.text("--batch") == "auto", json = arguments.has("--json");
  const int64_t batch = automatic ? 0 : arguments.number("--batch", 32, 1, 1 << 20);
  const auto seed = static_cast<uint64_t>(arguments.number("--seed", 1, 0, UINT32_MAX));
  set_random_seed(seed);
  const nn::FitOptions options{.epochs = arguments.number("--epochs", 3, 1, 1'000'000),
                               .verbose = json ? 0 : 1,
                               .doctor = arguments.has("--doctor")};

  Result result;
  if (is_directory(path)) {
    if (automatic)
      throw Misuse(
          "--batch auto cuts rows that lie in memory; pictures come in batches from their pipeline: give a number");
    if (arguments.has("--label")) throw Misuse("--label is for CSV files; the classes of pictures are their folders");
    result = fit_pictures(path, arguments.height_and_width("--size", {224, 224}), options, batch, seed);
  } else {
    if (look_at(path).kind != FileKind::csv)
      throw Misuse(cat(path, " is neither a folder of pictures nor a CSV file"));
    if (arguments.has("--size")) throw Misuse("--size is for pictures");
    result = fit_table(read_table(path, arguments.text("--label")), options, automatic, batch, seed);
  }
  const bool explain = arguments.has("--explain");
  if (json) print_json(result, explain);
  else if (explain) {
    std::fputs(result.input ? result.input->str().c_str() : "rows in memory: there are no stages of input\n", stdout);
    std::fputs(placement_report().c_str(), stdout);
  }
  return 0;
}

}  // namespace brio::cli
