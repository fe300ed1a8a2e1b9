#include "brio/doctor/evidence.h"

#include <algorithm>
#include <cmath>

#include "brio/base/cpu_count.h"
#include "brio/base/memory_limit.h"
#include "brio/base/thread_pool.h"
#include "brio/train/fit_doctor.h"

namespace brio::doctor {
namespace {

void add_steps(const profile::Run& run, double tick, Evidence& e) {
  std::vector<float> sorted, running;
  for (uint64_t i = run.first_kept(); i < run.written; ++i) {
    const profile::Step& step = run.step(i);
    const double each = tick / static_cast<double>(std::max<uint64_t>(1, step.count));
    sorted.push_back(static_cast<float>(static_cast<double>(step.ended - step.began) * each));
    running.push_back(static_cast<float>(static_cast<double>(run.ticks_of(i, Part::run)) * each));
    uint64_t own = 0;
    for (const Part part : {Part::host, Part::record, Part::trace, Part::plan, Part::run, Part::read})
      own += run.ticks_of(i, part);
    e.step_seconds.push_back(static_cast<float>(static_cast<double>(own) * each));
    TimedStep& timed = e.timeline.emplace_back();
    timed.at = static_cast<double>(step.ended - run.step(run.first_kept()).began) * tick;
    for (size_t p = 0; p < profile::kParts; ++p)
      timed.parts[p] = static_cast<double>(run.ticks_of(i, static_cast<Part>(p))) * each;
  }
  std::ranges::sort(sorted);
  std::ranges::sort(running);
  if (sorted.empty()) return;
  e.quick_run = running[running.size() / 10];
  e.median = sorted[sorted.size() / 2];
  e.p90 = sorted[sorted.size() * 9 / 10];
}

// The pipeline that was waited for about as long as the run waited.
const profile::PipelineFacts* pipeline_of(const Evidence& e) {
  const double waited = e.part(Part::input) * static_cast<double>(e.steps);
  const profile::PipelineFacts* best = nullptr;
  double best_distance = 0;
  for (const profile::PipelineFacts& each : e.pipelines) {
    if (each.rings.empty()) continue;
    const double distance = std::abs(each.rings.back().waited - waited);
    if (!best || distance < best_distance) {
      best = &each;
      best_distance = distance;
    }
  }
  // If the pipeline is another one, which is read beside the training, it explains nothing.
  return best && best->rings.back().waited > 0.3 * waited ? best : nullptr;
}

// One step of many is counted; of another loop there were as many by chance only.
bool are_of(const DeviceSteps& steps, const profile::Run& run) {
  constexpr uint64_t kBetween = 2 * profile::kTimedSteps;
  return run.kind == profile::RunKind::fit ||
         (steps.last <= run.steps + kBetween && run.steps <= steps.last + kBetween);
}

void add_machine(Evidence& e) {
  e.cpus = usable_cpus();
  e.threads = static_cast<int>(thread_count());
  e.free_memory = static_cast<double>(available_memory());
  e.samples = profile::samples();
  e.gauges = profile::gauge_names();
  if (e.samples.size() < 2) return;
  const profile::Sample &first = e.samples.front(), &last = e.samples.back();
  const double seconds = static_cast<double>(last.at - first.at) * profile::seconds_per_tick();
  if (seconds < 0.05) return;
  if (e.step > 0) e.cpu_a_step = (last.cpu - first.cpu) / seconds * e.step;
  e.waited_cpu = std::max(0.0, last.waited_cpu - first.waited_cpu) / seconds;
  e.throttled = std::max(0.0, last.throttled - first.throttled) / seconds;
}

}  // namespace

double Evidence::without_input() const {
  const double others = step - part(Part::input);
  // Input that is made beside the step takes processors from it.
  const double slowed = trials.alone > 0 ? std::max(0.0, part(Part::run) - trials.alone) : 0;
  return std::max(others - slowed, 1e-9);
}

std::vector<Part> Evidence::parts_by_time() const {
  constexpr double kShown = 0.005;  // of a step
  std::vector<Part> order;
  for (size_t i = 0; i < profile::kParts; ++i)
    if (const auto each = static_cast<Part>(i); each != Part::trial && share(each) >= kShown) order.push_back(each);
  std::ranges::sort(order, std::greater<>(), [&](Part each) { return part(each); });
  return order;
}

bool Evidence::runs_eagerly() const {
  return std::ranges::any_of(notes, [](const profile::Named& note) { return note.name == "run_eagerly"; });
}

double Evidence::warm_run() const {
  if (trials.alone <= 0) return part(Part::run);
  constexpr double kAround = 5e-6;  // seconds: what fit() does around the step, at most, beside a share of it
  return std::min(part(Part::run), trials.alone * 1.3 + kAround);
}

Evidence gather() {
  Evidence e;
  const auto runs = profile::runs();
  if (runs.empty() || runs[0]->steady_steps() == 0) return e;
  const profile::Run& run = *runs[0];
  profile::sample_now({run.id, run.steps, run.total});
  const double tick = profile::seconds_per_tick();
  e.kind = run.kind;
  e.steps = static_cast<int64_t>(run.steady_steps());
  const double n = static_cast<double>(e.steps);
  for (size_t i = 0; i < profile::kParts; ++i) e.parts[i] = static_cast<double>(run.total[i]) * tick / n;
  e.wall = static_cast<double>(run.wall) * tick;
  e.step = e.wall / n - e.part(Part::trial);
  e.wall = e.step * n;
  e.rows = static_cast<double>(run.rows);
  e.first_step = static_cast<double>(run.first_step) * tick;
  e.before_first_step = profile::process_age_at_load() + static_cast<double>(run.began - profile::loaded_at()) * tick;
  e.epochs = static_cast<int64_t>(run.epochs);
  e.epochs_asked = static_cast<int64_t>(run.epochs_asked);
  e.steps_an_epoch = static_cast<int64_t>(run.steps_an_epoch);
  e.evaluations = static_cast<int64_t>(run.evaluations);
  e.reads_a_step = static_cast<double>(run.reads) / n;
  e.ops_a_step = static_cast<double>(run.recorded_ops) / n;
  e.trials = run.trials;
  add_steps(run, tick, e);
  const profile::OpTimes& ops = profile::training_ops();
  e.ops = ops.read();
  for (profile::OpTime& op : e.ops) op.seconds /= std::max<double>(1, static_cast<double>(ops.rounds()));
  e.callbacks = profile::named(profile::NameKind::callback);
  e.functions = profile::named(profile::NameKind::function);
  std::erase_if(e.functions, [](const profile::Named& function) { return function.name == train::kTrialName; });
  e.plans = profile::named(profile::NameKind::plan);
  e.read_lines = profile::named(profile::NameKind::read_line);
  e.tape_lines = profile::named(profile::NameKind::tape_line);
  e.notes = profile::named(profile::NameKind::note);
  e.from_python = std::ranges::any_of(e.notes, [](const profile::Named& note) { return note.name == "python"; });
  e.pipelines = profile::pipelines();
  e.input = pipeline_of(e);
  if (DeviceSteps steps = device_steps(); are_of(steps, run)) e.device = std::move(steps);
  add_machine(e);
  return e;
}

}  // namespace brio::doctor
