#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "brio/cli/arguments.h"
#include "brio/cli/command.h"

namespace brio::cli {
namespace {

struct Command {
  std::string_view name, summary;
  int (*run)(Words words);
};
constexpr Command kCommands[] = {
    {"demo", "make pictures, train on them and show where the time goes: brio demo [--out FOLDER] [--json]",
     run_demo},
    {"fit", "train on a folder of pictures or a table: brio fit SRC --out RUN (brio fit --help)", run_fit},
    {"predict", "what a trained model says of files: brio predict MODEL FILES… [--json]", run_predict},
    {"eval", "how good a trained model is: brio eval MODEL SRC… [--json]", run_eval},
    {"export", "write a model for another program: brio export MODEL.keras OUT[.onnx|.weights.h5|…] (--help)",
     run_export},
    {"doctor", "run a program and say what limits it: brio doctor [--page FILE.html] [--trace FILE.json] -- COMMAND…",
     run_doctor},
    {"compare", "what became slower between two reports of the doctor: brio compare BEFORE.json AFTER.json",
     run_compare},
    {"bench", "time Brio's own workloads: brio bench [NAME… | ops [NAME…] | recorder] [--explain] [--json]",
     run_bench},
    {"devices", "list what there is to run on, and what work costs there: brio devices [--json]", run_devices},
    {"ops", "list the op table: brio ops [--markdown]", run_ops},
    {"inspect", "show what files hold: brio inspect PATH… [--sheet OUT.png] [--json]", run_inspect},
    {"verify", "check every byte of files, models and checkpoints too: brio verify PATH… [--json]", run_verify},
    {"verify-resume", "kill runs of brio fit and compare: brio verify-resume SRC [--kills N] [--json]",
     run_verify_resume},
    {"pack", "make sharded TFRecords: brio pack SRC OUT (brio pack --help)", run_pack},
};

void print_help(std::FILE* out) {
  std::fputs("usage: brio COMMAND [ARGUMENTS]\n\n", out);
  for (const Command& command : kCommands)
    std::fprintf(out, "  %-13s %s\n", std::string(command.name).c_str(), std::string(command.summary).c_str());
  std::fputs(
      "\n  --version, --help\n\nExit codes: 0 done, 1 failed, 2 misused; of verify 3: some files could not be "
      "checked; of fit\n130 and 143: ended by a signal. With --json, errors are an object too: {\"error\": …}.\n",
      out);
}

// For machines, on standard output.
void print_error(std::string_view command, std::string_view message) {
  const nlohmann::ordered_json json = {{"command", command}, {"error", message}};
  std::puts(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

int misuse(std::string_view command, std::string_view message) {
  std::fprintf(stderr, "brio %s: %s\nTry `brio --help`.\n", std::string(command).c_str(),
               std::string(message).c_str());
  return 2;
}

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help(words.empty() ? stderr : stdout);
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    std::puts("brio " BRIO_VERSION);
    return 0;
  }
  for (const Command& command : kCommands) {
    if (command.name != words[0]) continue;
    const bool has_help = words[0] == "demo" || words[0] == "export" || words[0] == "pack" || words[0] == "fit" ||
                          words[0] == "predict" || words[0] == "eval" || words[0] == "verify-resume";
    if (words.size() > 1 && !has_help && (words[1] == "--help" || words[1] == "-h")) {
      std::printf("brio %s: %s\n", std::string(command.name).c_str(), std::string(command.summary).c_str());
      return 0;
    }
    const bool json = std::ranges::find(words, "--json") != words.end();
    try {
      return command.run(Words(words).subspan(1));
    } catch (const Misuse& error) {
      if (json) print_error(command.name, error.what());
      return misuse(command.name, error.what());
    } catch (const std::exception& error) {
      if (json) print_error(command.name, error.what());
      std::fprintf(stderr, "brio %s: %s\n", std::string(command.name).c_str(), error.what());
      return 1;
    }
  }
  return misuse(words[0], "no such command");
}

}  // namespace brio::cli

int main(int argc, char** argv) { return brio::cli::main(argc, argv); }
