#include "brio/profile/drift.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "brio/base/error.h"
#include "brio/profile/figures.h"
#include "brio/profile/trend.h"

namespace brio::profile {
namespace {

constexpr double kMuch = 32e6, kMuchOutside = 64e6, kMuchSwapped = 16e6;
constexpr double kManyOps = 5000;  // more than a recording that is only pending may have
constexpr double kSomeOps = 256, kManyPlans = 64;

// A figure of each sample against its step.
struct Series {
  std::vector<double> steps, values;
  void add(double step, double value) {
    steps.push_back(step);
    values.push_back(value);
  }
  std::optional<Rise> rise(double least, size_t fewest) const { return steady_rise(steps, values, least, fewest); }
};

template <typename F>
Series series_of(std::span<const Sample> samples, F&& value) {
  Series series;
  for (const Sample& s : samples) series.add(static_cast<double>(s.step), static_cast<double>(value(s)));
  return series;
}

// What a step took between one sample and the next.
template <typename F>
Series per_step(std::span<const Sample> samples, F&& so_far) {
  Series series;
  for (size_t i = 1; i < samples.size(); ++i) {
    const double steps = static_cast<double>(samples[i].step) - static_cast<double>(samples[i - 1].step);
    if (steps <= 0) continue;
    series.add(static_cast<double>(samples[i].step), (so_far(samples[i]) - so_far(samples[i - 1])) / steps);
  }
  return series;
}

constexpr Part kOwnParts[] = {Part::host, Part::record, Part::trace, Part::plan, Part::run, Part::read};

double ticks_of(const Sample& s, Part part) { return static_cast<double>(s.parts[static_cast<size_t>(part)]); }
double own_ticks(const Sample& s) {
  double sum = 0;
  for (const Part part : kOwnParts) sum += ticks_of(s, part);
  return sum;
}

const char* in_words(Part part) {
  switch (part) {
    case Part::host: return "your own code";
    case Part::record: return "recording ops";
    case Part::trace: return "tracing functions";
    case Part::plan: return "making plans";
    case Part::run: return "computing";
    default: return "reading values";
  }
}

std::string whole(double value) { return std::to_string(static_cast<int64_t>(std::llround(value))); }

std::string count_text(double a_step) {
  char text[32];
  std::snprintf(text, sizeof text, a_step < 9.95 ? "%.1f" : "%.0f", a_step);
  return text;
}

class Judge {
 public:
  explicit Judge(const DriftFacts& facts)
      : f_(facts), memory_(grown_memory(f_.samples, f_.gauges, kMuch, kFewestSamples)) {}

  std::vector<Drift> all() {
    if (f_.samples.size() < kFewestSamples) return {};
    look_at_graph();
    look_at_memory();
    look_at_plans();
    look_at_swap();
    if (found_.empty()) look_at_outside();
    if (found_.empty()) look_at_input();
    if (found_.empty()) look_at_steps();
    return std::move(found_);
  }

 private:
  std::string loop() const { return cat(f_.in_fit ? "fit" : "your loop", f_.line.empty() ? "" : " at ", f_.line); }
  const MemoryGrowth* growth_of(std::string_view owner) const {
    const auto it = std::ranges::find(memory_, owner, &MemoryGrowth::owner);
    return it == memory_.end() ? nullptr : &*it;
  }
  static std::string by_bytes(const MemoryGrowth& g) {
    return cat(": +", size_text(g.a_step), " a step since step ", g.since);
  }
  void tell(Grows what, std::string text) { found_.push_back({what, "[drift] " + std::move(text)}); }
  std::optional<Rise> rise_of_gauge(std::string_view name, double least) const {
    const auto it = std::ranges::find(f_.gauges, name);
    if (it == f_.gauges.end()) return {};
    const auto index = static_cast<size_t>(it - f_.gauges.begin());
    return series_of(f_.samples, [index](const Sample& s) { return s.gauges[index]; }).rise(least, kFewestSamples);
  }

  void look_at_graph() {
    const std::optional<Rise> ops = rise_of_gauge(kRecordedOps, memory_.empty() ? kManyOps : kSomeOps);
    if (!ops) return;
    tell(Grows::graph,
         cat("recorded graph is being extended in ", loop(), ": +", count_text(ops->slope), " ops a step since step ",
             whole(ops->since), "; open the GradientTape inside of the loop"));
  }

  void look_at_memory() {
    if (!found_.empty()) return;  // what was recorded keeps its values
    if (const MemoryGrowth* g = growth_of("optimizer"))
      tell(Grows::slots, cat("optimizer state of new variables", by_bytes(*g), ", in ", loop(),
                             "; make variables and optimizers before the loop"));
    else if (const MemoryGrowth* variables = growth_of("parameters"))
      tell(Grows::variables,
           cat("variables that are made in ", loop(), by_bytes(*variables), "; make them before the loop"));
    for (const MemoryGrowth& g : memory_) {
      if (g.owner != "other" && g.owner != "activations" && g.owner != "gradients" && g.owner != "input") continue;
      tell(Grows::tensors,
           cat("tensors that are kept by ", f_.in_fit ? "callbacks or the train_step of " : "", loop(), by_bytes(g),
               "; keep numbers, not tensors: ",
               f_.from_python ? "losses.append(float(loss))" : "losses.push_back(loss.item<float>())"));
      break;
    }
  }

  void look_at_plans() {
    const std::optional<Rise> plans = rise_of_gauge(kPlanCount, kManyPlans);
    if (!plans) return;
    tell(Grows::plans,
         cat("plans are made anew in ", loop(), ": +", count_text(plans->slope), " a step since step ",
             whole(plans->since), f_.why_planned.empty() ? std::string() : cat(", the newest for a ", f_.why_planned),
             "; give the same shapes and structure in every step"));
  }

  void look_at_swap() {
    const double before = static_cast<double>(f_.samples.front().swap);
    const Sample& now = f_.samples.back();
    if (static_cast<double>(now.swap) - before < kMuchSwapped) return;
    const auto began = std::ranges::find_if(
        f_.samples, [&](const Sample& s) { return static_cast<double>(s.swap) - before > 0.05 * kMuchSwapped; });
    const Series time = per_step(f_.samples, own_ticks);
    const double tick = f_.seconds_per_tick, last = time.values.empty() ? 0 : time.values.back() * tick;
    tell(Grows::swap,
         cat("swap: ", size_text(static_cast<double>(now.swap) - before),
             " of this program are out on disk since step ", began->step, ", as the memory is full; a step takes ",
             duration(last), " now, ", duration(median_of(time.values) * tick), " in the middle; ",
             f_.from_python ? "lower batch_size, or fit(..., accumulate=4)"
                            : "lower batch_size, or set FitOptions::accumulate = 4"));
  }

  void look_at_outside() {
    const MemoryGrowth* g = growth_of(kOutside);
    if (!g || g->bytes < kMuchOutside) return;
    tell(Grows::outside, cat(kOutside, by_bytes(*g), ", in ", loop(),
                             f_.from_python ? ": arrays and objects that Python keeps, or another library's memory"
                                            : ": what the program itself or another library keeps"));
  }

  // Times go up by chance, too: more readings, and each window above the one before.
  std::optional<Rise> slower(const Series& time, double factor, double least_seconds) const {
    const double tick = f_.seconds_per_tick;
    const std::optional<Rise> rise = time.rise(least_seconds / tick, 2 * kFewestSamples);
    return rise && rise->last > factor * rise->first ? rise : std::nullopt;
  }

  void look_at_input() {
    const Series waits = per_step(f_.samples, [](const Sample& s) { return ticks_of(s, Part::input); });
    const std::optional<Rise> rise = slower(waits, 2, 1e-4);
    const double tick = f_.seconds_per_tick;
    if (!rise || rise->last < 0.25 * median_of(per_step(f_.samples, own_ticks).values)) return;
    tell(Grows::input, cat("input: waiting for a batch takes ", duration(rise->last * tick), " a step, ",
                           duration(rise->first * tick), " at step ", whole(rise->since),
                           "; fit(doctor) names the stage that makes it wait"));
  }

  void look_at_steps() {
    const Series time = per_step(f_.samples, own_ticks);
    const std::optional<Rise> rise = slower(time, 1.5, 2e-5);
    if (!rise) return;
    // Where the processors work no more than before, others take them: that is no growth of this program.
    const std::optional<Rise> work =
        per_step(f_.samples, [](const Sample& s) { return s.cpu; }).rise(0, kFewestSamples);
    if (!work || work->last < 1.25 * work->first) return;
    Part most = Part::host;
    double most_by = 0;
    for (const Part part : kOwnParts) {
      const auto own =
          per_step(f_.samples, [part](const Sample& s) { return ticks_of(s, part); }).rise(0, kFewestSamples);
      if (own && own->by() > most_by) {
        most = part;
        most_by = own->by();
      }
    }
    const double tick = f_.seconds_per_tick;
    tell(Grows::steps,
         cat("steps become slower in ", loop(), ": ", duration(rise->last * tick), " now, ",
             duration(rise->first * tick), " at step ", whole(rise->since), "; most of it is ", in_words(most)));
  }

  const DriftFacts& f_;
  std::vector<MemoryGrowth> memory_;
  std::vector<Drift> found_;
};

}  // namespace

std::vector<MemoryGrowth> grown_memory(std::span<const Sample> samples, std::span<const std::string> gauges,
                                       double least, size_t fewest) {
  std::vector<MemoryGrowth> grown;
  const auto look = [&](std::string_view owner, auto&& value) {
    if (const std::optional<Rise> rise = series_of(samples, value).rise(least, fewest))
      grown.push_back(
          {std::string(owner), rise->by(), rise->slope, static_cast<uint64_t>(std::llround(rise->since))});
  };
  const auto ahead = static_cast<size_t>(std::ranges::find(gauges, kReadAhead) - gauges.begin());
  for (size_t i = 0; i < gauges.size(); ++i) {
    if (!is_owner(gauges[i])) continue;
    // What pipelines read ahead has a limit of its own, and grows until it is reached.
    const bool less_ahead = gauges[i] == "input" && ahead < gauges.size();
    look(gauges[i], [&, i](const Sample& s) { return s.gauges[i] - (less_ahead ? s.gauges[ahead] : 0); });
  }
  look(kOutside, [&](const Sample& s) {
    int64_t known = 0;
    for (size_t i = 0; i < gauges.size(); ++i)
      if (is_owner(gauges[i])) known += s.gauges[i];
    return s.rss - s.rss_of_files - known;
  });
  std::ranges::sort(grown, std::greater<>(), &MemoryGrowth::bytes);
  return grown;
}

std::vector<Drift> drifts(const DriftFacts& facts) { return Judge(facts).all(); }

}  // namespace brio::profile
