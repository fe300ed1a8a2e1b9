// Job: what `brio fit`, `brio predict` and `brio eval` make of a source: a folder of pictures, packed records, IDX
// files or a table. It says what was found, and gives batches of (x, y).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brio/cli/table_file.h"
#include "brio/data/dataset.h"

namespace brio::cli {

struct JobOptions {
  std::pair<int64_t, int64_t> size = {0, 0};  // of pictures; 0: as they are, up to 96
  int64_t batch = 32;
  uint64_t seed = 1;
  std::string label = {}, task = {};  // of tables
  TableFileOptions table = {};
  std::string forecast = {};  // the column of a series
  int64_t window = 48, horizon = 1;
};

struct JobPart {
  data::Dataset batches;
  int64_t samples = 0;
};

struct Job {
  std::string kind = {};                   // "pictures", "records", "idx", "table", "series"
  std::vector<std::string> found = {};     // a line each
  std::vector<std::string> warnings = {};  // what was done about what is wrong
  std::vector<std::string> classes = {};   // empty: values are predicted
  nlohmann::ordered_json input = {};       // how files become inputs: goes with the model
  std::vector<int64_t> shape = {};         // of one sample
  std::optional<JobPart> train = {}, validation = {}, test = {};
  Tensor x = {}, y = {};       // of a table: the rows to train on
  double mean = 0, scale = 1;  // of the values that are predicted
  int64_t outputs = 1;         // values that are predicted at once
  double baseline = 0;         // of a series: how far off its last value is
};

// Throws Misuse for what cannot be trained on, and what reading throws.
Job open_job(const std::string& path, const JobOptions& options);

// The kinds of sources, each in a file of its own. find_… tells whether a path is of that kind.
Job picture_job(const std::string& folder, const JobOptions& options);
Job record_job(const std::vector<std::string>& shards, const std::string& manifest, const JobOptions& options);
Job idx_job(const std::string& folder, const JobOptions& options);
Job table_job(TextTable table, const JobOptions& options);
Job series_job(const TextTable& table, const JobOptions& options);
bool is_idx_folder(const std::string& path);

// "dress 55, hat 55, … (10 classes)"
std::string counted(const std::vector<std::string>& names, const std::vector<int64_t>& counts);
// Every fifth is held out, of an order that the seed decides: those to train on, and those to look at.
std::pair<std::vector<size_t>, std::vector<size_t>> held_out(size_t samples, uint64_t seed);

}  // namespace brio::cli
