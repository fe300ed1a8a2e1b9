// brio doctor [--out FILE.json] [--page FILE.html] [--trace FILE.json] -- COMMAND…: runs a program under the doctor;
// brio compare RUN1 RUN2: what became slower between two runs.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "brio/cli/arguments.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Report {
  double step_ms = 0;
  std::vector<std::pair<std::string, double>> parts;  // ms of a step
};

Report read_report(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Misuse(cat(path, " cannot be opened; it is a FILE.json that BRIO_DOCTOR or `brio doctor` wrote"));
  try {
    const Json json = Json::parse(in);
    Report report;
    report.step_ms = json.at("step_ms").at("median").get<double>();
    for (const auto& [name, share] : json.at("time").items())
      report.parts.emplace_back(name, share.get<double>() * report.step_ms);
    if (json.at("steps").get<int64_t>() == 0) throw Misuse(cat(path, " has seen no step of training"));
    return report;
  } catch (const Json::exception& error) {
    throw Misuse(cat(path, " is no report of the doctor: ", error.what()));
  }
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.0f%%", share * 100);
  return text;
}

}  // namespace

int run_doctor(Words words) {
  std::string out = "doctor.json", page, trace;
  const std::pair<std::string, std::string*> options[] = {{"--out", &out}, {"--page", &page}, {"--trace", &trace}};
  size_t at = 0;
  for (; at < words.size() && words[at].starts_with("-") && words[at] != "--"; ++at) {
    bool known = false;
    for (const auto& [name, value] : options) {
      if (words[at] == name && at + 1 < words.size()) *value = words[++at];
      else if (words[at].starts_with(name + "=")) *value = words[at].substr(name.size() + 1);
      else continue;
      known = true;
      break;
    }
    if (!known) throw Misuse(cat("there is no option ", words[at], ", or it lacks its FILE"));
  }
  if (at < words.size() && words[at] == "--") ++at;
  if (at == words.size()) throw Misuse("takes a command: brio doctor -- python train.py");
  std::vector<std::string> command(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  unlink(out.c_str());
  setenv("BRIO_DOCTOR", out.c_str(), 1);
  if (!page.empty()) setenv("BRIO_DOCTOR_PAGE", page.c_str(), 1);
  if (!trace.empty()) setenv("BRIO_TRACE", trace.c_str(), 1);
  // Ctrl-C is the program's: it reports, and ends.
  ::signal(SIGINT, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) throw ResourceError(cat("no process could be started: ", std::strerror(errno)));
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "brio doctor: %s cannot be run: %s\n", arguments[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool written = access(out.c_str(), R_OK) == 0;
  for (const std::string* file : {&out, &page, &trace})
    if (written && !file->empty()) std::fprintf(stderr, "%s is written\n", file->c_str());
  if (!written)
    std::fprintf(stderr, "brio doctor: %s wrote no report: it did not load Brio, or could not write %s\n",
                 arguments[0], out.c_str());
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

int run_compare(Words words) {
  const Arguments arguments(words, {"--json"}, {});
  if (arguments.names().size() != 2) throw Misuse("takes two reports: brio compare BEFORE.json AFTER.json");
  const Report before = read_report(arguments.names()[0]), after = read_report(arguments.names()[1]);
  const double change = after.step_ms / before.step_ms - 1;
  std::vector<std::pair<double, std::string>> parts;  // of the change, as shares of the step before
  for (const auto& [name, ms] : after.parts) {
    double was = 0;
    for (const auto& [other, other_ms] : before.parts)
      if (other == name) was = other_ms;
    parts.emplace_back((ms - was) / before.step_ms, name);
  }
  std::ranges::sort(parts, [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
  if (arguments.has("--json")) {
    Json by_part = Json::object();
    for (const auto& [share, name] : parts) by_part[name] = share;
    const Json all = {{"before_step_ms", before.step_ms},
                      {"after_step_ms", after.step_ms},
                      {"change", change},
                      {"change_by_part", by_part}};
    std::puts(all.dump().c_str());
    return 0;
  }
  std::string text;
  for (const auto& [share, name] : parts)
    if (std::abs(share) >= 0.01) text += cat(text.empty() ? "" : ", ", name, " ", percent(share));
  char times[96];
  std::snprintf(times, sizeof times, " (a step: %.4g ms, then %.4g ms)", before.step_ms, after.step_ms);
  if (std::abs(change) < 0.01)
    std::printf("as fast as before%s%s%s\n", text.empty() ? "" : ": ", text.c_str(), times);
  else
    std::printf("%.0f%% %s: %s%s\n", std::abs(change) * 100, change > 0 ? "slower" : "faster", text.c_str(), times);
  return 0;
}

}  // namespace brio::cli
