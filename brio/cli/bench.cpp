// brio bench [NAME…] [--explain] [--kernels] [--json]: medians and bests of Brio's own workloads, with --explain
// where the time of their input went, with --kernels which kernels took longest; brio bench ops [WORD…] [--json]: of
// single ops, those whose names begin so; brio bench recorder|gate [NAME…] [--json]: with the recorder of where time
// goes, or the gate against numbers that are not finite, on and off, in turns. `start --once` trains one step and
// ends: whoever times the process has the time from nothing to the first trained step.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brio/base/error.h"
#include "brio/cli/command.h"
#include "brio/cli/explain.h"
#include "brio/cli/gate_bench.h"
#include "brio/cli/recorder_bench.h"
#include "brio/cli/single_ops.h"
#include "brio/cli/workloads.h"
#include "brio/runtime/plan_cache.h"
#include "brio/runtime/symbolic.h"

namespace brio::cli {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timing {
  double median, best;  // seconds a unit of work
  long long n;
  double first = 0;      // seconds of the first iteration, which plans
  double processor = 0;  // seconds of all cores together a unit of work, at best: another program takes no part in it
};

struct Effort {
  double warm_up, block, most;  // seconds
  size_t blocks;
};
constexpr Effort kWorkload{0.3, 0.05, 6, 30}, kSingleOp{0.03, 0.005, 0.3, 25};

Timing measure(const std::function<double()>& iterate, const Effort& effort = kWorkload) {
  const auto start = Clock::now();
  long long warm = 0;
  double first = 0;
  do {
    iterate();
    if (warm++ == 0) first = seconds_since(start);
  } while (seconds_since(start) < effort.warm_up || warm < 3);
  const double each = seconds_since(start) / static_cast<double>(warm);
  const auto per_block = std::max<long long>(1, static_cast<long long>(effort.block / each));
  std::vector<double> blocks;
  double processor = 1e9;
  const auto begin = Clock::now();
  while (blocks.size() < effort.blocks && (seconds_since(begin) < effort.most || blocks.size() < 5)) {
    const auto block = Clock::now();
    const double before = processor_seconds();
    double units = 0;
    for (long long i = 0; i < per_block; ++i) units += iterate();
    blocks.push_back(seconds_since(block) / units);
    processor = std::min(processor, (processor_seconds() - before) / units);
  }
  std::ranges::sort(blocks);
  return {blocks[blocks.size() / 2], blocks.front(), per_block * static_cast<long long>(blocks.size()), first,
          processor};
}

// A process of its own, timed from the outside.
Timing measure_start() {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) throw ResourceError("start: this program's own path cannot be read from /proc/self/exe");
  const std::string command =
      cat("'", std::string_view(self, static_cast<size_t>(length)), "' bench start --once > /dev/null");
  std::vector<double> runs;
  for (int i = 0; i < 15; ++i) {
    const auto begin = Clock::now();
    if (std::system(command.c_str()) != 0) throw ResourceError("start: the timed process failed");
    runs.push_back(seconds_since(begin));
  }
  std::ranges::sort(runs);
  return {runs[runs.size() / 2], runs.front(), static_cast<long long>(runs.size())};
}

// `more`: fields of the JSON object, each with a comma behind it.
void print(std::string_view name, std::string_view unit, const Timing& timing, bool json,
           const std::string& more = "") {
  const double scale = unit == "ns" ? 1e9 : unit == "us" ? 1e6 : 1e3;
  if (json)
    std::printf("{\"name\": \"%s\", %s\"unit\": \"%s\", \"median\": %.6g, \"best\": %.6g, \"n\": %lld}\n",
                std::string(name).c_str(), more.c_str(), std::string(unit).c_str(), timing.median * scale,
                timing.best * scale, timing.n);
  else
    std::printf("%-36s %12.3f %12.3f %s %10lld\n", std::string(name).c_str(), timing.median * scale,
                timing.best * scale, std::string(unit == "us" ? "µs" : unit).c_str(), timing.n);
  std::fflush(stdout);
}

int run_single_ops(std::span<const std::string_view> beginnings, bool json) {
  const std::vector<SingleOp> rows = single_ops();
  auto begins = [](const SingleOp& row, std::string_view word) { return row.name.starts_with(word); };
  for (std::string_view word : beginnings)
    if (std::ranges::none_of(rows, [&](const SingleOp& row) { return begins(row, word); }))
      return misuse("bench", cat("no row of ops begins with '", word, "'; `brio bench ops` lists them all"));
  std::string family;
  for (const SingleOp& row : rows) {
    if (!beginnings.empty() &&
        std::ranges::none_of(beginnings, [&](std::string_view word) { return begins(row, word); }))
      continue;
    if (!json && row.family != std::exchange(family, row.family)) std::printf("%s\n", row.family.c_str());
    const auto call = row.make();
    const auto iterate = [&call] {
      for (const Tensor& result : call()) (void)result.array();
      return 1.0;
    };
    print(row.name, "us", measure(iterate, kSingleOp), json, cat("\"family\": \"", row.family, "\", "));
  }
  return 0;
}

// Shares of an iteration by op, then the kernels that take longest, of all plans that it runs; those inside of loops
// are listed with their loop.
void show_kernels(const Work& work) {
  constexpr int kIterations = 5;
  constexpr size_t kShown = 24;
  work.iterate();
  set_profiling(true);
  const auto start = Clock::now();
  for (int i = 0; i < kIterations; ++i) work.iterate();
  const double total = seconds_since(start);
  set_profiling(false);
  std::vector<Plan::StepTime> steps;
  for_each_plan([&](const Plan& plan) {
    for (const Plan::StepTime& step : plan.times())
      if (step.calls != 0) steps.push_back(step);
  });
  std::map<std::string, uint64_t> ops;
  for (const Plan::StepTime& step : steps) ops[step.label] += step.nanoseconds;
  std::vector<std::pair<std::string, uint64_t>> by_op(ops.begin(), ops.end());
  std::ranges::sort(by_op, std::greater<>(), [](const auto& row) { return row.second; });
  for (const auto& [op, nanoseconds] : by_op)
    if (const double share = static_cast<double>(nanoseconds) * 1e-9 / total; share > 0.005)
      std::printf("  %5.1f%%  %s\n", 100 * share, op.c_str());
  std::ranges::sort(steps, std::greater<>(), &Plan::StepTime::nanoseconds);
  if (steps.size() > kShown) steps.resize(kShown);
  for (const Plan::StepTime& step : steps) {
    const double took = static_cast<double>(step.nanoseconds) * 1e-9;
    std::printf("  %9.3f ms %5.1f%%  %s\n", took / kIterations * 1e3, 100 * took / total, step.what.c_str());
  }
}

void run_workload(const Workload& workload, bool explain, bool json, bool kernels) {
  const Work work = workload.make();
  const auto start = Clock::now();
  const double planned = symbolic_stats().seconds;
  const Timing timing = measure(work.iterate);
  // Of the time, with the warm-up: how much went into plans for sizes that were new.
  const double share = (symbolic_stats().seconds - planned) / seconds_since(start);
  if (kernels) {
    print(workload.name, workload.unit, timing, false);
    return show_kernels(work);
  }
  if (!explain)
    return print(workload.name, workload.unit, timing, json,
                 cat("\"planning\": ", share, ", \"first_ms\": ", timing.first * 1e3,
                     ", \"processor_ms\": ", timing.processor * 1e3, ", "));
  if (json) {
    const std::string input = work.input ? to_json(work.input->report()).dump() : "null";
    return print(workload.name, workload.unit, timing, json, cat("\"input\": ", input, ", "));
  }
  print(workload.name, workload.unit, timing, json);
  std::puts(work.input ? work.input->report().str().c_str() : "it reads no input pipeline\n");
}

}  // namespace

int run_bench(Words words) {
  bool json = false, once = false, explain = false, kernels = false;
  std::vector<std::string_view> names;
  for (std::string_view word : words) {
    if (word == "--json") json = true;
    else if (word == "--once") once = true;
    else if (word == "--explain") explain = true;
    else if (word == "--kernels") kernels = true;
    else if (word.starts_with("-")) return misuse("bench", cat("there is no option ", word));
    else names.push_back(word);
  }
  if (!names.empty() && names[0] == "ops") {
    if (once) return misuse("bench", "--once goes with start alone");
    if (explain) return misuse("bench", "--explain is for workloads that read input; single ops read none");
    return run_single_ops(std::span(names).subspan(1), json);
  }
  if (!names.empty() && names[0] == "recorder") {
    if (once || explain) return misuse("bench", "recorder takes the names of workloads and --json");
    return bench_recorder(std::span(names).subspan(1), json);
  }
  if (!names.empty() && names[0] == "gate") {
    if (once || explain) return misuse("bench", "gate takes names and --json");
    return bench_gate(std::span(names).subspan(1), json);
  }
  std::string known = "ops recorder gate start";
  for (const Workload& workload : workloads()) known += cat(" ", workload.name);
  for (std::string_view name : names)
    if (name != "start" && std::ranges::find(workloads(), name, &Workload::name) == workloads().end())
      return misuse("bench", cat("no workload is called '", name, "'; there are: ", known));
  if (once) {
    if (names.size() != 1 || names[0] != "start") return misuse("bench", "--once goes with start alone");
    std::printf("{\"name\": \"start\", \"loss\": %.6g}\n", train_one_step());
    return 0;
  }
  auto wanted = [&](std::string_view name) { return names.empty() || std::ranges::find(names, name) != names.end(); };
  if (!json) std::printf("%-36s %12s %12s    %10s\n", "workload", "median", "best", "iterations");
  for (const Workload& workload : workloads()) {
    if (!wanted(workload.name)) continue;
    try {
      run_workload(workload, explain, json, kernels);
    } catch (const ResourceError& error) {  // data that are not here stop nobody who did not ask for them
      if (!names.empty()) throw;
      std::fprintf(stderr, "%s: left out: %s\n", std::string(workload.name).c_str(), error.what());
    }
  }
  if (wanted("start")) print("start", "ms", measure_start(), json);
  return 0;
}

}  // namespace brio::cli
