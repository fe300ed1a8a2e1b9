// brio verify-resume SRC: proves on the user's own data that a run which is killed ends with the same bits. It trains
// once to the end; then once more, killed at random instants and resumed, and compares.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/formats/file.h"
#include "brio/train/model.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kHelp =
    R"(brio verify-resume SRC [--kills N] [--seed N] [options of brio fit]: kills runs, and compares

Trains on SRC once to the end, and once more killed N times (10 unless said otherwise) at random instants and resumed,
with another number of threads each time. Weights, optimizer, log and history must be the same, to the last bit.

  --kills N    how often
  --json       one object

Exit codes: 0 the same bits, 1 they differ or a run failed, 2 misused.
)";

// A folder that goes when it is no longer needed.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "brio-verify-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw ResourceError(cat(path_, ": no folder can be made there"));
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

pid_t start(std::vector<std::string> words, const std::string& log, const char* threads) {
  const pid_t child = fork();
  if (child < 0) throw ResourceError(cat("no process can be started: ", std::strerror(errno)));
  if (child > 0) return child;
  setenv("BRIO_THREADS", threads, 1);
  if (!std::freopen("/dev/null", "w", stdout) || !std::freopen(log.c_str(), "a", stderr)) _exit(127);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  _exit(127);
}

// Whether it ended by itself; false: it was killed. Throws where it failed.
bool ended(pid_t child, const std::string& log) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  const std::string said = formats::read_file(log);
  throw Error(cat("a run failed: ", said.substr(said.size() > 500 ? said.size() - 500 : 0)));
}

std::vector<std::string> bits_of(const std::string& path) {
  const nn::Model model = nn::load_model(path);
  std::vector<std::string> all;
  const auto add = [&](const Tensor& value) { all.emplace_back(value.array().as<char>(), value.aval().bytes()); };
  for (const Tensor& weight : model.get_weights()) add(weight);
  if (model.compiled())
    for (const Variable& variable : model.optimizer().variables()) add(variable.value());
  return all;
}

}  // namespace

int run_verify_resume(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const Arguments arguments(words, {"--json"},
                            {"--kills", "--seed", "--model", "--epochs", "--batch", "--size", "--label", "--task",
                             "--header", "--delimiter"});
  if (arguments.names().size() != 1) throw Misuse("takes one SRC");
  const int64_t kills = arguments.number("--kills", 10, 1, 100'000);
  const bool json = arguments.has("--json");
  const Scratch scratch;
  const std::string log = scratch / "log";
  const auto fit = [&](const std::string& run) {
    std::vector<std::string> all = {"brio", "fit", arguments.names()[0], "--out", run, "--resume"};
    for (const char* option :
         {"--seed", "--model", "--epochs", "--batch", "--size", "--label", "--task", "--header", "--delimiter"})
      if (arguments.has(option)) all.insert(all.end(), {option, arguments.text(option)});
    return all;
  };
  if (!json) std::printf("training to the end …\n"), std::fflush(stdout);
  const auto begin = Clock::now();
  ended(start(fit(scratch / "whole"), log, "2"), log);
  const auto took = Clock::now() - begin;

  setenv("BRIO_CHECKPOINT_SECONDS", cat(std::chrono::duration<double>(took).count() / 20).c_str(), 1);
  std::mt19937_64 random(static_cast<uint64_t>(arguments.number("--seed", 1, 0, INT64_MAX)));
  int64_t killed = 0, runs = 0;
  bool same = true;
  while (killed < kills && same) {
    std::error_code ignored;
    std::filesystem::remove_all(scratch / "cut", ignored);
    ++runs;
    for (bool done = false; !done;) {
      const pid_t child = start(fit(scratch / "cut"), log, random() % 2 == 0 ? "1" : "2");
      if (killed < kills) {
        std::this_thread::sleep_for(took * static_cast<int64_t>(random() % 1000) / 1500);
        kill(child, SIGKILL);
      }
      done = ended(child, log);
      killed += done ? 0 : 1;
      if (!json)
        std::printf("\rkilled %lld of %lld times", static_cast<long long>(killed), static_cast<long long>(kills)),
            std::fflush(stdout);
    }
    same = bits_of(scratch / "whole/model.keras") == bits_of(scratch / "cut/model.keras") &&
           formats::read_file(scratch / "whole/log.csv") == formats::read_file(scratch / "cut/log.csv");
  }
  if (json) {
    const Json found = {{"kills", killed}, {"runs", runs}, {"same_bits", same}};
    std::puts(found.dump().c_str());
  } else {
    std::printf("\n%s\n", same ? "the same bits: weights, optimizer and log" : "they differ");
  }
  return same ? 0 : 1;
}

}  // namespace brio::cli
