// brio demo: makes itself a folder of pictures and trains a network on it in the way of `brio fit`; then says where
// the time went, what would be faster, what another library takes for the same, and who holds the memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/command.h"
#include "brio/cli/demo_peer.h"
#include "brio/cli/demo_pictures.h"
#include "brio/cli/fit.h"
#include "brio/doctor/verdict.h"
#include "brio/runtime/memory_report.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using profile::Part;

constexpr const char* kDemoHelp = R"(brio demo [options]: shows what Brio does, in half a minute

It makes a folder of small pictures of four shapes, trains a network on it as `brio fit` does, and says where the time
went, what would be faster, what NumPy or TensorFlow takes for the same, and who holds the memory.

  --out FOLDER     where all of it goes; build/demo unless said otherwise. What an earlier demo left there is replaced
  --pictures N     of each shape; 250 unless said otherwise
  --epochs N       12 unless said otherwise
  --python PYTHON  whose NumPy or TensorFlow is timed; python3 unless said otherwise
  --json           one object, in place of the text
)";

constexpr size_t kColumns = 80;

double passed_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Lines of at most 80 columns; those behind the first begin with so many spaces.
std::string wrapped(const std::string& text, size_t indent) {
  std::string all, line;
  const auto columns = [](const std::string& of) {
    return static_cast<size_t>(
        std::ranges::count_if(of, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  };
  size_t at = text.find_first_not_of(' ');
  line.assign(std::min(at, text.size()), ' ');
  bool begun = false;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (begun && columns(line) + 1 + columns(word) > kColumns) {
      all += line + "\n";
      line.assign(indent, ' ');
      begun = false;
    }
    line += (begun ? " " : "") + word;
    begun = true;
    at = text.find_first_not_of(' ', end);
  }
  return all + line + "\n";
}

// The folder, empty but for what says whose it is.
void make_folder(const std::string& folder) {
  const fs::path mark = fs::path(folder) / "demo.txt";
  if (fs::exists(folder)) {
    if (!fs::is_directory(folder)) throw Misuse(cat("--out is ", folder, ", which is no folder"));
    if (!fs::is_empty(folder) && !fs::exists(mark))
      throw Misuse(cat(folder, " holds something that is not an earlier demo's; take another folder for --out"));
    for (const char* made : {"pictures", "run", "peer", "demo.txt"}) fs::remove_all(fs::path(folder) / made);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw ResourceError(cat(folder, ": it cannot be made: ", error.message()));
  formats::write_file(mark.string(), "Made by brio demo, which replaces what is here when it runs again.\n");
}

// A line for each epoch.
class EpochLines : public train::Callback {
 public:
  std::string shown_name() const override { return {}; }
  void on_epoch_begin(train::Progress&, int64_t) override { began_ = Clock::now(); }
  void on_epoch_end(train::Progress& progress, int64_t epoch, train::Logs& logs) override {
    const auto share = [&](const char* name) {
      return logs.has(name) ? profile::percent(logs[name]) : std::string("-");
    };
    std::printf("  epoch %2lld of %lld: loss %.3f, right %4s, of those held out %4s; %s\n",
                static_cast<long long>(epoch) + 1, static_cast<long long>(progress.epochs), logs["loss"],
                share("accuracy").c_str(), share("val_accuracy").c_str(),
                profile::duration(passed_since(began_)).c_str());
    std::fflush(stdout);
  }

 private:
  Clock::time_point began_;
};

struct TimeRow {
  const char* what;
  double seconds;  // of a step
};

// In words of who reads it. Kernels are timed in a few steps: what they make up of the computing is taken for all.
std::vector<TimeRow> time_of(const doctor::Evidence& e) {
  double convolutions = 0, pooling = 0, optimizer = 0, all = 0;
  for (const profile::OpTime& op : e.ops) {
    all += op.seconds;
    if (op.op.starts_with("conv")) convolutions += op.seconds;
    else if (op.op.find("pool") != std::string::npos) pooling += op.seconds;
    else if (op.op.find("_update") != std::string::npos) optimizer += op.seconds;
  }
  const double run = e.part(Part::run), scale = all > 0 ? run / all : 0;
  std::vector<TimeRow> rows = {
      {"input: waiting for pictures", e.part(Part::input)},
      {"layers: convolutions", convolutions * scale},
      {"layers: pooling", pooling * scale},
      {"layers: the others", std::max(0.0, run - (convolutions + pooling + optimizer) * scale)},
      {"optimizer", optimizer * scale},
      {"pictures held out, after epochs", e.part(Part::evaluation)},
      {"checkpoints", e.part(Part::checkpoint)},
  };
  double rest = e.step;
  for (const TimeRow& row : rows) rest -= row.seconds;
  rows.push_back({"the rest", std::max(0.0, rest)});
  return rows;
}

void show_time(const doctor::Evidence& e) {
  std::printf("\nWhere the time went (a step of %.0f pictures takes %s, %lld were made):\n", e.rows,
              profile::duration(e.step).c_str(), static_cast<long long>(e.steps) + 1);
  for (const TimeRow& row : time_of(e)) {
    const double share = e.step > 0 ? row.seconds / e.step : 0;
    if (share < 0.005) continue;
    std::string bar;
    for (int i = 0; i < std::lround(share * 28); ++i) bar += "█";
    std::printf("  %-32s %8s %4s %s\n", row.what, profile::duration(row.seconds).c_str(),
                profile::percent(share).c_str(), bar.c_str());
  }
}

void show_findings(const doctor::Verdict& verdict) {
  std::printf("\nWhat would be faster (brio fit --doctor says more):\n");
  bool any = false;
  for (const doctor::Finding& f : verdict.findings) {
    if (f.gain.how == doctor::How::none || f.gain.factor < 1 + doctor::kWorthSaying) continue;
    any = true;
    std::fputs(wrapped(cat("  ", f.symptom), 4).c_str(), stdout);
    std::fputs(wrapped(cat("    > ", f.remedy), 6).c_str(), stdout);
    std::fputs(wrapped(cat("    the whole run ", doctor::factor_text(f.gain.factor), " times as fast (",
                           f.gain.how == doctor::How::tried ? "tried out" : "computed from what was measured", ")"),
                       4)
                   .c_str(),
               stdout);
  }
  if (!any) std::printf("  nothing that the doctor knows of, by more than 5%%\n");
}

void show_peer(const std::optional<PeerTimes>& peer, const std::string& python) {
  if (!peer) {
    std::printf("\n%s", wrapped(cat("Beside others: ", python,
                                    " has neither TensorFlow nor NumPy, so nothing is compared here; ",
                                    "`make bench` compares"),
                                2)
                            .c_str());
    return;
  }
  std::printf("\nThe same network on the same %lld pictures, read and unchanged, a step in memory:\n",
              static_cast<long long>(peer->rows));
  std::printf("  %-20s %8s\n  %-20s %8s, %s times as fast\n", peer->name.c_str(),
              profile::duration(peer->step).c_str(), "Brio", profile::duration(peer->own_step).c_str(),
              doctor::factor_text(peer->step / peer->own_step).c_str());
}

Json json_of(const MemoryReport& report) {
  Json json = Json::object();
  for (const MemoryReport::Row& row : report.rows) json[row.owner] = {{"bytes", row.bytes}, {"peak", row.peak}};
  json["process"] = report.anonymous;
  return json;
}

Json json_of(const doctor::Verdict& verdict) {
  Json json = Json::parse(verdict.json());
  json["step_in_words"] = Json::array();
  for (const TimeRow& row : time_of(verdict.evidence))
    json["step_in_words"].push_back({{"what", row.what}, {"seconds", row.seconds}});
  return json;
}

}  // namespace

int run_demo(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kDemoHelp, stdout);
    return 0;
  }
  const auto began = Clock::now();
  const Arguments arguments(words, {"--json"}, {"--out", "--pictures", "--epochs", "--python"});
  if (!arguments.names().empty()) throw Misuse(cat("takes options alone, but got ", arguments.names()[0]));
  const bool json = arguments.has("--json");
  const std::string folder = arguments.text("--out", "build/demo"), python = arguments.text("--python", "python3");
  const auto of_each = static_cast<uint32_t>(arguments.number("--pictures", 250, 10, 9999));
  const std::string epochs = cat(arguments.number("--epochs", 12, 1, 10'000));
  const std::string pictures = (fs::path(folder) / "pictures").string(), run = (fs::path(folder) / "run").string();
  make_folder(folder);
  const auto drawing = Clock::now();
  make_demo_pictures(pictures, of_each);
  if (!json) {
    std::printf("%s: %zu pictures of shapes, %lldx%lld, JPEG and PNG, drawn in %s\n", pictures.c_str(),
                of_each * std::size(kDemoShapes), static_cast<long long>(kDemoSide),
                static_cast<long long>(kDemoSide), profile::duration(passed_since(drawing)).c_str());
    std::printf("\nbrio fit %s --out %s --batch 16 --epochs %s\n", pictures.c_str(), run.c_str(), epochs.c_str());
    std::fflush(stdout);
  }

  profile::want_trials(true);
  const std::string_view to_fit[] = {pictures, "--out", run, "--batch", "16", "--epochs", epochs};
  FitTalk talk{.quiet = json};
  if (!json) talk.callbacks = {std::make_shared<EpochLines>()};
  const Fitted fitted = fit(to_fit, talk);
  profile::want_trials(false);
  if (fitted.code != 0) return fitted.code;
  const doctor::Verdict verdict = doctor::judge();
  const MemoryReport memory = memory_report();
  const std::string file = fitted.found.at("model").get<std::string>();
  if (!json) {
    show_time(verdict.evidence);
    show_findings(verdict);
    std::fflush(stdout);
  }
  const std::optional<PeerTimes> peer = time_peer(python, file, *fitted.model, folder);
  const std::string report = fitted.found.at("report").get<std::string>();
  if (!json) {
    show_peer(peer, python);
    std::printf("\nMemory by owner:\n%s", memory.str().c_str());
    std::printf("\nThe report, with curves and what is taken for what: %s\nAll of it took %s.\n", report.c_str(),
                profile::duration(passed_since(began)).c_str());
    return 0;
  }
  Json all = {{"pictures", {{"folder", pictures}, {"files", of_each * std::size(kDemoShapes)}}},
              {"fit", fitted.found},
              {"doctor", json_of(verdict)},
              {"peer", nullptr},
              {"memory", json_of(memory)},
              {"report", report},
              {"seconds", passed_since(began)}};
  if (peer)
    all["peer"] = {
        {"name", peer->name}, {"rows", peer->rows}, {"seconds_a_step", peer->step}, {"brio", peer->own_step}};
  std::puts(all.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  return 0;
}

}  // namespace brio::cli
