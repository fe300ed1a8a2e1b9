// brio eval MODEL SRC…: how good a model that `brio fit` wrote is on files whose classes or values are known.
#include <cstdio>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/job_files.h"
#include "brio/cli/scores.h"

namespace brio::cli {
namespace {

constexpr const char* kHelp = R"(brio eval MODEL SRC… [--json]: how good a model is

MODEL is what brio fit wrote (RUN/model.keras). SRC are folders of pictures, each
in a folder whose name is its class, or CSV files with the column to predict.

Exit codes: 0 done, 1 failed, 2 misused.
)";

}  // namespace

int run_eval(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const Arguments arguments(words, {"--json"}, {});
  if (arguments.names().size() < 2) throw Misuse("takes a MODEL and SRC");
  const TrainedModel model(arguments.names()[0]);
  std::vector<std::string> notes;
  std::vector<std::vector<float>> predictions;
  std::vector<double> truth;
  size_t unknown = 0;
  for (auto& row : model.predict({arguments.names().begin() + 1, arguments.names().end()}, notes)) {
    if (!row.truth) {
      ++unknown;
      continue;
    }
    predictions.push_back(std::move(row.numbers));
    truth.push_back(*row.truth);
  }
  if (truth.empty())
    throw Misuse(model.takes_table() ? "no row has the column that the model predicts; brio predict needs none"
                                     : "no picture lies in a folder whose name is a class of the model; brio predict "
                                       "needs no such folders");
  if (unknown > 0)
    notes.push_back(
        cat(unknown, " samples have no known ", model.classes().empty() ? "value" : "class", ", and were left out"));
  const Scores scores = score(model.classes(), predictions, truth);
  for (const std::string& note : notes) std::fprintf(stderr, "brio eval: %s\n", note.c_str());
  std::fputs(arguments.has("--json") ? (scores.to_json().dump() + "\n").c_str() : scores.str().c_str(), stdout);
  return 0;
}

}  // namespace brio::cli
