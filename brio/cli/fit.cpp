// brio fit SRC --out RUN: a folder of pictures, packed records or a table becomes a model.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "brio/brio.h"
#include "brio/cli/arguments.h"
#include "brio/cli/explain.h"
#include "brio/cli/fit.h"
#include "brio/cli/fit_run.h"
#include "brio/cli/job.h"
#include "brio/cli/network.h"
#include "brio/cli/report_page.h"
#include "brio/doctor/verdict.h"
#include "brio/formats/seal.h"
#include "brio/profile/chrome_trace.h"
#include "brio/runtime/explain.h"
#include "brio/train/dataset_source.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFitHelp = R"(brio fit SRC --out RUN [options]: trains a network on your data

SRC is a folder of pictures whose subfolders are classes, or hold them in parts (train, validation, test); what brio
pack wrote; a folder of IDX files; or a CSV file (.csv, .csv.gz). A fifth is held out where no part is for validation.
RUN gets model.keras, report.html, log.csv, summary.json and the checkpoints.

  --out RUN      where all of it goes; without it the model is not kept
  --resume       go on with the run in RUN that was cut off, as if it had not been; begins where there is none
  --model NAME   cnn (for pictures, unless said otherwise), separable, resnet18, mobilenet, mlp (for tables), or a
                 .keras file to train further
  --epochs N     as many as suit the number of samples; it ends before where the validation gets no better
  --batch N      32 unless said otherwise; auto (of a table, without --out): the size of the best measured throughput
  --size HxW     of pictures; as they are, up to 96x96
  --label NAME   the column of a table to predict; the last one unless said otherwise
  --task KIND    classes or values; texts, and whole numbers of at most 20 kinds, are classes
  --forecast COL the next values of this column from the last ones: --window N of them (48), --horizon M ahead (1)
  --header yes   the first row of a table holds names; no: it does not; otherwise it is told by what it holds
  --delimiter C  between the fields of a table; otherwise it is told by the first rows
  --seed N       of weights, order and what is held out; 1 unless said otherwise
  --explain      where the time of the input went, stage by stage, and what limits
  --doctor       what limits the run, what would help, and by how much
  --trace FILE   the newest steps, for chrome://tracing and ui.perfetto.dev
  --json         one object, in place of the bar

SIGINT (Ctrl-C) and SIGTERM end it after the step, with a checkpoint.
Exit codes: 0 done, 1 failed, 2 misused, 130 and 143 ended by a signal.
)";

// Between checkpoints. BRIO_CHECKPOINT_SECONDS says otherwise, as brio verify-resume does.
double checkpoint_seconds() {
  const char* given = std::getenv("BRIO_CHECKPOINT_SECONDS");
  const std::optional<double> seconds = given ? number_in(given) : std::nullopt;
  return seconds && *seconds >= 0 ? *seconds : 30;
}

struct Wishes {
  int64_t epochs = 0, batch = 32;
  bool automatic = false;  // the batch
  std::string model;
  JobOptions job;
};

int64_t whole(const std::string& option, const std::string& text, int64_t least, int64_t most) {
  const std::string_view words[] = {option, text};
  return Arguments(words, {}, {option}).number(option, 0, least, most);
}

Wishes wishes_of(const Arguments& arguments, FitRun& run) {
  Wishes wishes;
  const std::string batch = run.setting("--batch", "32");
  wishes.automatic = batch == "auto";
  if (!wishes.automatic) wishes.batch = whole("--batch", batch, 1, 1 << 20);
  if (const std::string epochs = run.setting("--epochs", ""); !epochs.empty())
    wishes.epochs = whole("--epochs", epochs, 1, 1'000'000);
  wishes.model = run.setting("--model", "");
  wishes.job.batch = wishes.automatic ? 32 : wishes.batch;
  wishes.job.seed = static_cast<uint64_t>(whole("--seed", run.setting("--seed", "1"), 0, UINT32_MAX));
  wishes.job.label = run.setting("--label", "");
  wishes.job.task = run.setting("--task", "");
  if (!wishes.job.task.empty() && wishes.job.task != "classes" && wishes.job.task != "values")
    throw Misuse(cat("--task is ", wishes.job.task, "; it is classes or values"));
  if (const std::string header = run.setting("--header", ""); !header.empty()) {
    if (header != "yes" && header != "no") throw Misuse(cat("--header is ", header, "; it is yes or no"));
    wishes.job.table.header = header == "yes";
  }
  if (const std::string delimiter = run.setting("--delimiter", ""); !delimiter.empty()) {
    if (delimiter != "\\t" && delimiter.size() != 1)
      throw Misuse(cat("--delimiter is ", delimiter, "; it is one character, or \\t"));
    wishes.job.table.delimiter = delimiter == "\\t" ? '\t' : delimiter[0];
  }
  wishes.job.forecast = run.setting("--forecast", "");
  wishes.job.window = whole("--window", run.setting("--window", "48"), 2, 100'000);
  wishes.job.horizon = whole("--horizon", run.setting("--horizon", "1"), 1, 10'000);
  if (const std::string size = run.setting("--size", ""); !size.empty()) {
    const std::string_view words[] = {"--size", size};
    wishes.job.size = Arguments(words, {}, {"--size"}).height_and_width("--size", {0, 0});
  }
  static_cast<void>(arguments);
  return wishes;
}

// Options that make no sense for what was found.
void check(const Arguments& arguments, const Job& job) {
  const bool table = job.kind == "table", series = job.kind == "series";
  if ((table || series) && arguments.has("--size")) throw Misuse("--size is for pictures");
  for (const char* option : {"--label", "--task", "--header", "--delimiter"})
    if (!table && !series && arguments.has(option))
      throw Misuse(cat(option, " is for CSV files; the classes of pictures are their folders"));
  if (series && (arguments.has("--label") || arguments.has("--task")))
    throw Misuse("--forecast tells a column from itself: --label and --task say something else");
  if (!arguments.has("--forecast") && (arguments.has("--window") || arguments.has("--horizon")))
    throw Misuse("--window and --horizon are for --forecast COLUMN");
  if (arguments.has("--forecast") && !series) throw Misuse("--forecast is for CSV files");
  if (arguments.text("--batch") != "auto") return;
  if (!table)
    throw Misuse(
        "--batch auto cuts rows that lie in memory; pictures come in batches from their pipeline: give a number");
  if (arguments.has("--out"))
    throw Misuse(
        "--batch auto follows from times, so that no run could go on with the same bits; with --out give a number");
}

int64_t usual_epochs(const Job& job, int64_t batch) {
  const double steps = std::max(1.0, std::ceil(static_cast<double>(job.train->samples) / static_cast<double>(batch)));
  const bool table = job.kind == "table" || job.kind == "series";
  return std::clamp<int64_t>(static_cast<int64_t>((table ? 4000 : 3000) / steps), 10, table ? 150 : 60);
}

Scores score_of(const Job& job, const nn::Model& model, const JobPart& part) {
  std::vector<std::vector<float>> predictions;
  std::vector<double> truth;
  data::Iterator iterator = part.batches.iterator(0);
  for (data::Item item; iterator.next(item);) {
    const Tensor said = model.predict_on_batch(item[0]), is = cast(reshape(item[1], {-1}), f64);
    const int64_t rows = said.shape()[0], width = said.size() / rows;
    for (int64_t i = 0; i < rows; ++i) {
      const float* begin = said.array().as<float>() + i * width;
      if (!job.classes.empty()) {
        predictions.emplace_back(begin, begin + width);
        truth.push_back(is.array().as<double>()[i]);
        continue;
      }
      for (int64_t k = 0; k < width; ++k) {  // every value counts by itself
        predictions.push_back({begin[k]});
        truth.push_back(is.array().as<double>()[i * width + k]);
      }
    }
  }
  return score(job.classes, predictions, truth);
}

struct Result {
  train::History history;
  std::optional<data::Report> input;
  double seconds = 0;
};

Result train(const Job& job, const Network& network, const Wishes& wishes, nn::FitOptions options) {
  const auto begin = std::chrono::steady_clock::now();
  Result result;
  if (wishes.automatic) {
    options.batch_size = "auto";
    result.history = network.model.fit(job.x, job.y, options);
  } else {
    const int64_t steps = (job.train->samples + wishes.job.batch - 1) / wishes.job.batch;
    train::DatasetSource source(job.train->batches, {.steps = steps});
    result.history = network.model.fit(source, options);
    result.input = source.report();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Json json_of(const Result& result, const Job& job, bool explain) {
  Json json = {{"found", job.found},
               {"warnings", job.warnings},
               {"epochs", result.history.epoch.size()},
               {"seconds", result.seconds},
               {"history", Json::object()}};
  for (const auto& [name, values] : result.history.columns) json["history"][name] = values;
  if (result.history.batch_choice) json["batch_choice"] = to_json(*result.history.batch_choice);
  if (explain) {
    json["input"] = result.input ? to_json(*result.input) : Json();
    json["devices"] = placement_json();
  }
  return json;
}

std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Fitted fit(Words words, FitTalk talk) {
  const Arguments arguments(words, {"--explain", "--doctor", "--json", "--resume"},
                            {"--out", "--model", "--epochs", "--batch", "--size", "--label", "--task", "--header",
                             "--delimiter", "--seed", "--forecast", "--window", "--horizon", "--trace"});
  if (arguments.names().size() != 1) throw Misuse("takes one SRC");
  const std::string& path = arguments.names()[0];
  const bool explain = arguments.has("--explain"), kept = arguments.has("--out");
  talk.quiet |= arguments.has("--json");
  const auto say = [&](const std::string& line) {
    if (!talk.quiet) std::printf("%s\n", line.c_str());
  };
  FitRun run(arguments.text("--out"), arguments.has("--resume"), arguments, path);
  Wishes wishes = wishes_of(arguments, run);
  set_random_seed(wishes.job.seed);
  const Job job = open_job(path, wishes.job);
  check(arguments, job);
  if (wishes.epochs == 0) wishes.epochs = usual_epochs(job, wishes.job.batch);

  for (const std::string& line : job.found) say(line);
  for (const std::string& line : job.warnings) std::fprintf(stderr, "brio fit: %s\n", line.c_str());
  const Network network = make_network(wishes.model, job);
  const int64_t steps = (job.train->samples + wishes.job.batch - 1) / wishes.job.batch;
  compile(network, job, steps * wishes.epochs);
  say(cat("model: ", network.name, ", ", network.model.count_params(), " parameters; up to ", wishes.epochs,
          " epochs of ", steps, " steps"));
  if (!kept) say("the model is not kept: --out RUN keeps it");
  std::fflush(stdout);
  run.keep_settings();

  nn::FitOptions options{.epochs = wishes.epochs,
                         .verbose = talk.quiet || !talk.callbacks.empty() ? 0 : 1,
                         .on_bad_number = train::OnBadNumber::stop,
                         .callbacks = talk.callbacks,
                         .doctor = arguments.has("--doctor"),
                         .exit_on_signal = false};
  if (job.validation) {
    options.validation_data.dataset = job.validation->batches;
    // The rate falls to the end, which is where networks get best: it ends before where half of the epochs bring
    // nothing.
    options.callbacks.push_back(train::early_stopping({.monitor = job.classes.empty() ? "val_loss" : "val_accuracy",
                                                       .patience = std::max<int64_t>(5, wishes.epochs / 2),
                                                       .restore_best_weights = true}));
  }
  if (kept) {
    options.callbacks.push_back(train::csv_logger(run.file("log.csv")));
    options.checkpoint = {.directory = run.file("checkpoints"), .every_seconds = checkpoint_seconds()};
    options.resume = arguments.has("--resume");
  }
  const Result result = train(job, network, wishes, options);
  if (result.history.stopped_by != 0) return {.code = 128 + result.history.stopped_by};

  Json found = json_of(result, job, explain);
  if (result.input && result.input->skipped.count > 0) {
    const data::SkippedElement& first = result.input->skipped.first.front();
    const std::string line = cat(result.input->skipped.first.size(),
                                 " or more samples could not be read and were left out, such as ", first.why);
    found["warnings"].push_back(line);
    std::fprintf(stderr, "brio fit: %s\n", line.c_str());
  }
  ReportPage page{
      .title = cat("brio fit ", path), .found = job.found, .warnings = job.warnings, .history = result.history};
  page.summary = {cat(network.name, ", ", network.model.count_params(), " parameters"),
                  cat(result.history.epoch.size(), " epochs in ", static_cast<int64_t>(result.seconds), " s")};
  if (job.validation) page.validation = score_of(job, network.model, *job.validation);
  if (job.test) page.test = score_of(job, network.model, *job.test);
  if (page.validation) found["validation"] = page.validation->to_json();
  if (page.test) found["test"] = page.test->to_json();
  if (job.baseline > 0 && page.validation) {
    found["last_value_mae"] = job.baseline;
    page.summary.push_back(cat("mean absolute error ", page.validation->mae, ", of the last value ", job.baseline));
    if (page.validation->mae >= job.baseline)
      std::fprintf(stderr, "brio fit: the forecast is no better than taking the last value\n");
  }
  if (result.input) page.input = result.input->str();
  page.time = doctor::judge().charts();
  if (page.validation) say(cat("validation: ", page.validation->str()));
  if (page.test) say(cat("test: ", page.test->str()));
  if (kept) {
    network.model.save(run.file("model.keras"), {.about = about_text(job.input, job.classes)});
    formats::write_file(run.file("report.html"), page.html());
    found["model"] = run.file("model.keras");
    found["report"] = run.file("report.html");
    formats::write_file(run.file("summary.json"), formats::sealed_json(dumped(found, 1)));
    say(cat("model: ", run.file("model.keras"), "\nreport: ", run.file("report.html")));
    say(cat("next: brio predict ", run.file("model.keras"), " FILES…"));
  }
  if (arguments.has("--trace")) formats::write_file(arguments.text("--trace"), profile::chrome_trace(0));
  if (explain && !talk.quiet) {
    std::fputs(result.input ? result.input->str().c_str() : "rows in memory: there are no stages of input\n", stdout);
    std::fputs(placement_report().c_str(), stdout);
  }
  return {.found = std::move(found), .model = network.model, .shape = job.shape};
}

int run_fit(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kFitHelp, stdout);
    return 0;
  }
  const Fitted fitted = fit(words);
  if (fitted.code == 0 && std::ranges::find(words, "--json") != words.end()) std::puts(dumped(fitted.found).c_str());
  return fitted.code;
}

}  // namespace brio::cli
