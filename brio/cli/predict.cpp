// brio predict MODEL FILES…: what a model that `brio fit` wrote says of pictures or of the rows of tables.
#include <algorithm>
#include <cstdio>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/job_files.h"
#include "brio/formats/file.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPredictHelp = R"(brio predict MODEL FILES… [options]: what a model says of files

MODEL is what brio fit wrote (RUN/model.keras). FILES are pictures, folders of
them, or CSV files with the columns that it was trained with.

  --out FILE   write there instead of to the screen
  --all        the probability of every class, not of the best alone; of a series also
               what it would have said of the rows that are there
  --json       one JSON object for each prediction, a line each, in place of CSV

Exit codes: 0 done, 1 failed, 2 misused.
)";

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

size_t best_of(const std::vector<float>& numbers) {
  return static_cast<size_t>(std::ranges::max_element(numbers) - numbers.begin());
}

std::string as_json(const TrainedModel& model, const TrainedModel::Row& row, bool all) {
  Json json = {{"file", row.name}};
  if (model.classes().empty()) {
    json["value"] = row.numbers[0];
  } else {
    const size_t best = best_of(row.numbers);
    json["class"] = model.classes()[best];
    json["probability"] = row.numbers[best];
    if (all)
      for (size_t i = 0; i < row.numbers.size(); ++i) json["probabilities"][model.classes()[i]] = row.numbers[i];
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string as_csv(const TrainedModel& model, const TrainedModel::Row& row, bool all) {
  if (model.classes().empty()) return cat(csv_cell(row.name), ",", shown(row.numbers[0]), "\n");
  const size_t best = best_of(row.numbers);
  std::string line = cat(csv_cell(row.name), ",", csv_cell(model.classes()[best]), ",", shown(row.numbers[best]));
  if (all)
    for (const float number : row.numbers) line += cat(",", shown(number));
  return line + "\n";
}

}  // namespace

int run_predict(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kPredictHelp, stdout);
    return 0;
  }
  const Arguments arguments(words, {"--json", "--all"}, {"--out"});
  if (arguments.names().size() < 2) throw Misuse("takes a MODEL and FILES");
  const TrainedModel model(arguments.names()[0]);
  std::vector<std::string> notes;
  const auto rows = model.predict({arguments.names().begin() + 1, arguments.names().end()}, notes);
  const bool json = arguments.has("--json"), all = arguments.has("--all");
  std::string text;
  if (!json) {
    text = model.classes().empty() ? "file,value" : "file,class,probability";
    if (all)
      for (const std::string& name : model.classes()) text += cat(",", csv_cell(name));
    text += "\n";
  }
  for (const TrainedModel::Row& row : rows) {
    if (model.forecasts() && row.truth && !all) continue;  // what is known already
    text += json ? as_json(model, row, all) : as_csv(model, row, all);
  }
  if (arguments.has("--out")) formats::write_file(arguments.text("--out"), text);
  else std::fwrite(text.data(), 1, text.size(), stdout);
  for (const std::string& note : notes) std::fprintf(stderr, "brio predict: %s\n", note.c_str());
  return 0;
}

}  // namespace brio::cli
