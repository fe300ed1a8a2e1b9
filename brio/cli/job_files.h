// What a model file says of how it was made, and how files become its inputs: for `brio predict` and `brio eval`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brio/data/dataset.h"
#include "brio/train/model.h"

namespace brio::cli {

class TrainedModel {
 public:
  // Throws Misuse for a model that `brio fit` did not write: nothing says what its inputs are.
  explicit TrainedModel(const std::string& path);

  const nn::Model& model() const { return model_; }
  const std::vector<std::string>& classes() const { return classes_; }
  bool forecasts() const { return kind_ == "series"; }
  bool takes_table() const { return kind_ == "table" || kind_ == "series"; }

  // Rows of predictions for these files, in their order: pictures, or tables with a row for each prediction. Folders
  // stand for the pictures below them.
  struct Row {
    std::string name = {};             // the file, or FILE:ROW
    std::vector<float> numbers = {};   // one for each class, or the value
    std::optional<double> truth = {};  // of a table that has the label, a folder whose name is a class
  };
  std::vector<Row> predict(const std::vector<std::string>& paths, std::vector<std::string>& notes) const;

 private:
  void predict_pictures(const std::vector<std::string>& files, std::vector<Row>& rows) const;
  void predict_series(const std::string& path, std::vector<Row>& rows, std::vector<std::string>& notes) const;
  void predict_table(const std::string& path, std::vector<Row>& rows, std::vector<std::string>& notes) const;

  nn::Model model_;
  std::string path_, kind_;
  std::vector<std::string> classes_;
  nlohmann::ordered_json input_;
};

// The text that goes with a model: what kind of input it takes, and the names of its classes.
std::string about_text(const nlohmann::ordered_json& input, const std::vector<std::string>& classes);

}  // namespace brio::cli
