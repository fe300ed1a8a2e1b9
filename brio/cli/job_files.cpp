#include "brio/cli/job_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/file_kind.h"
#include "brio/cli/series.h"
#include "brio/cli/table_encoding.h"
#include "brio/data/sources/image_folder.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "brio job 1";
constexpr int64_t kBatch = 32;

void add_rows(const Tensor& predictions, std::vector<TrainedModel::Row>& rows, size_t first) {
  const int64_t width = predictions.size() / std::max<int64_t>(1, predictions.shape()[0]);
  const float* numbers = predictions.array().as<float>();
  for (size_t i = first; i < rows.size(); ++i) {
    const float* begin = numbers + static_cast<int64_t>(i - first) * width;
    rows[i].numbers.assign(begin, begin + width);
  }
}

}  // namespace

std::string about_text(const Json& input, const std::vector<std::string>& classes) {
  return Json{{"format", kFormat}, {"classes", classes}, {"input", input}}.dump();
}

TrainedModel::TrainedModel(const std::string& path) : model_(nn::load_model(path, {.compile = false})), path_(path) {
  const Json about = Json::parse(nn::about_model(path), nullptr, false);
  if (!about.is_object() || about.value("format", "") != kFormat)
    throw Misuse(
        cat(path, " does not say what its inputs are: it was not written by brio fit. Load it in a program"));
  classes_ = about.at("classes").get<std::vector<std::string>>();
  input_ = about.at("input");
  kind_ = input_.at("kind").get<std::string>();
}

void TrainedModel::predict_pictures(const std::vector<std::string>& files, std::vector<Row>& rows) const {
  if (files.empty()) return;
  const size_t first = rows.size();
  for (const std::string& file : files) {
    Row row{.name = file};
    const std::string folder = std::filesystem::path(file).parent_path().filename().string();
    if (const auto found = std::ranges::find(classes_, folder); found != classes_.end())
      row.truth = static_cast<double>(found - classes_.begin());
    rows.push_back(std::move(row));
  }
  const data::Dataset pictures =
      data::image_files({.paths = files, .labels = {}, .class_names = {}},
                        {.inferred = false,
                         .label_mode = data::LabelMode::none,
                         .color_mode = input_.at("channels") == 1 ? data::ColorMode::grayscale : data::ColorMode::rgb,
                         .batch_size = kBatch,
                         .image_size = {input_.at("height").get<int64_t>(), input_.at("width").get<int64_t>()},
                         .shuffle = false});
  add_rows(model_.predict(pictures, {.verbose = 0}), rows, first);
}

void TrainedModel::predict_table(const std::string& path, std::vector<Row>& rows,
                                 std::vector<std::string>& notes) const {
  const TableEncoding encoding = TableEncoding::from_json(input_);
  const TextTable table = read_table_file(path);
  const Tensor x = encoding.inputs(table, notes);
  std::vector<double> truth;
  if (table.find(encoding.label()) < table.names.size()) truth = encoding.labels(table);
  const size_t first = rows.size();
  for (int64_t i = 0; i < table.rows(); ++i) {
    Row row{.name = cat(path, ":", i + 1)};
    if (!truth.empty() && !std::isnan(truth[static_cast<size_t>(i)])) row.truth = truth[static_cast<size_t>(i)];
    rows.push_back(std::move(row));
  }
  add_rows(model_.predict(x, {.batch_size = 1024, .verbose = 0}), rows, first);
}

// What follows the end of the series; and what it would have said of the rows that are there.
void TrainedModel::predict_series(const std::string& path, std::vector<Row>& rows,
                                  std::vector<std::string>& notes) const {
  const auto window = input_.at("window").get<int64_t>(), horizon = input_.at("horizon").get<int64_t>();
  const std::vector<float> values = series_in(read_table_file(path), input_.at("column").get<std::string>(), notes);
  if (static_cast<int64_t>(values.size()) < window)
    throw Misuse(cat(path, " has ", values.size(), " rows, but a forecast needs the last ", window));
  const auto add = [&](const Tensor& said, int64_t row, int64_t ahead, std::optional<double> truth) {
    const float value = said.array().as<float>()[row * horizon + ahead];
    rows.push_back({.name = cat(path, ":", values.size(), "+", ahead + 1), .numbers = {value}, .truth = truth});
  };
  if (const SeriesWindows known = windows_of(values, 0, values.size(), window, horizon); known.count > 0) {
    const Tensor said = model_.predict(known.x, {.batch_size = 1024, .verbose = 0});
    for (int64_t i = 0; i < known.count; ++i)
      for (int64_t k = 0; k < horizon; ++k) {
        add(said, i, k, static_cast<double>(known.y.array().as<float>()[i * horizon + k]));
        rows.back().name = cat(path, ":", i + window, "+", k + 1);
      }
  }
  const std::vector<float> last(values.end() - window, values.end());
  const Tensor next = model_.predict(Tensor::from(last, {1, window}), {.verbose = 0});
  for (int64_t k = 0; k < horizon; ++k) add(next, 0, k, {});
}

std::vector<TrainedModel::Row> TrainedModel::predict(const std::vector<std::string>& paths,
                                                     std::vector<std::string>& notes) const {
  std::vector<Row> rows;
  std::vector<std::string> pictures;
  for (const std::string& path : paths) {
    const std::vector<std::string> files = files_below(path);
    if (files.empty()) throw Misuse(cat("there is no file ", path));
    size_t used = 0;
    for (const std::string& file : files) {
      const FileKind kind = look_at(file).kind;
      if (takes_table()) {
        if (kind != FileKind::csv && kind != FileKind::text && !file.ends_with(".gz")) continue;
        if (kind_ == "series") predict_series(file, rows, notes);
        else predict_table(file, rows, notes);
      } else {
        if (kind != FileKind::picture) continue;
        pictures.push_back(file);
      }
      ++used;
    }
    if (used == 0)
      throw Misuse(cat(path,
                       takes_table() ? " is no table, and the model of " : " holds no picture, and the model of ",
                       path_, " takes ", takes_table() ? "tables" : "pictures"));
    if (used < files.size())
      notes.push_back(cat(files.size() - used, " of ", files.size(), " files below ", path, " are no ",
                          takes_table() ? "tables" : "pictures", ", and were left out"));
  }
  predict_pictures(pictures, rows);
  return rows;
}

}  // namespace brio::cli
