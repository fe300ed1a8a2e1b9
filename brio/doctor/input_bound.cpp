// The steps wait for their batches. Which stage limits, and why: what it does (Python, reading, decoding), how many
// threads may do it, where it stands, or that it does the same again in each epoch.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {
namespace {

using profile::PipelineFacts;
using profile::RingFacts;
using profile::StageFacts;
using profile::StageKind;

constexpr double kCopyRate = 3e9;  // bytes a second, out of a cache

// What the stages that one set of threads computes need for a batch.
struct Load {
  double all = 0, serial = 0, python = 0;
  void add(const StageFacts& s) {
    all += s.seconds;
    serial += s.serial;
    // While Python waits for something it lets others run.
    python += s.python * (s.cpu >= 0 ? s.cpu : 1);
  }
  // Seconds between two batches: what is serial, and Python, comes one after the other whatever the threads.
  double pace(double threads) const { return std::max({serial, python, all / std::max(1.0, threads)}); }
};

// Of what a function does, the share of ops whose names begin so.
double ops_share(const StageFacts& stage, std::string_view name) {
  double some = 0, all = 0;
  for (const profile::OpTime& op : stage.ops) {
    all += op.seconds;
    if (op.op.starts_with(name)) some += op.seconds;
  }
  return all > 0 ? some / all : 0;
}

// "decode_jpeg 2.10 ms, resize 0.31 ms": of one element.
std::string shown_ops(const StageFacts& stage) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(3, stage.ops.size()); ++i)
    text += cat(i > 0 ? ", " : "", stage.ops[i].op, " ", duration(stage.ops[i].seconds));
  return text;
}

// Part of the rest is waiting for Python's lock, too.
bool in_python(const StageFacts& stage) { return stage.python > 0.2 * stage.seconds; }

class Diagnosis {
 public:
  Diagnosis(const Evidence& e, const PipelineFacts& facts) : e_(e), facts_(facts) {
    loads_.resize(facts.rings.size());
    for (const StageFacts& stage : facts.stages) loads_[ring_of(stage)].add(stage);
  }

  std::optional<Finding> finding() {
    find_limit();
    if (!limit_ || limit_->seconds <= 0) return {};
    // What a cache holds, and filling it, is done once, in the first epoch.
    if (limit_->kind == StageKind::cache || behind(StageKind::cache)) return {};
    choose();
    if (after_ <= 0) return {};
    Finding f{.id = "input_bound", .where = place(), .evidence = {}};
    f.evidence = {{"cause", cause_},
                  {"share", e_.share(Part::input)},
                  {"wait_ms_a_step", e_.part(Part::input) * 1e3},
                  {"stage_ms_a_batch", limit_->seconds * 1e3},
                  {"python_ms_a_batch", limit_->python * 1e3},
                  {"threads", static_cast<double>(std::max<int64_t>(1, ring().workers))},
                  {"step_ms_without_input", e_.without_input() * 1e3}};
    if (!limit_->ops.empty()) f.evidence.emplace_back("ops", shown_ops(*limit_));
    f.symptom = cat("steps wait ", percent(e_.share(Part::input)), " of the time for input; ", place(), " takes ",
                    duration(limit_->seconds), " a batch", why_.empty() ? "" : cat(": ", why_));
    f.remedy = remedy_;
    f.gain = gain_of(e_.step, after_, worst_, best_, how_);
    f.confidence = confidence_;
    if (how_ != How::none && f.gain.factor < 1 + kWorthSaying) return {};
    return f;
  }

 private:
  size_t ring_of(const StageFacts& stage) const {
    return std::min<size_t>(static_cast<size_t>(stage.ring), facts_.rings.size() - 1);
  }
  const RingFacts& ring() const { return facts_.rings[ring_of(*limit_)]; }
  double threads_of(size_t ring) const {
    const RingFacts& r = facts_.rings[ring];
    return std::max<double>(1, static_cast<double>(r.workers) + (r.fixed_workers ? 0 : 1));  // who waits helps
  }

  void find_limit() {
    size_t slowest = 0;
    double pace = -1;
    for (size_t r = 0; r < loads_.size(); ++r)
      if (const double each = loads_[r].pace(threads_of(r)); each > pace) {
        pace = each;
        slowest = r;
      }
    const Load& load = loads_[slowest];
    const double threads = threads_of(slowest);
    // Where steps wait most of the time, batches come as fast as steps: what was timed of a few is set right by that.
    if (e_.share(Part::input) > 0.3 && pace > 0) truth_ = std::clamp(e_.step / pace, 0.5, 3.0);
    // What holds its threads up: serial work, Python, or all of it.
    const auto weight = [&](const StageFacts& s) {
      if (load.serial >= load.all / threads && load.serial >= load.python) return s.serial;
      return load.python >= load.all / threads ? s.python : s.seconds;
    };
    for (const StageFacts& stage : facts_.stages)
      if (ring_of(stage) == slowest && (!limit_ || weight(stage) > weight(*limit_))) limit_ = &stage;
  }

  std::string place() const {
    int alike = 0, number = 0;
    for (const StageFacts& stage : facts_.stages) {
      if (stage.name != limit_->name) continue;
      ++alike;
      if (&stage == limit_) number = alike;
    }
    return alike > 1 ? cat(limit_->name, " ", number) : limit_->name;
  }

  // Batches out of what follows the limiting stage, when it and all below need not be computed.
  double pace_without(bool all_below) const {
    std::vector<Load> loads(loads_.size());
    bool behind = false;
    for (const StageFacts& stage : facts_.stages) {
      if (&stage == limit_) {
        behind = true;
        continue;
      }
      if (behind || !all_below) loads[ring_of(stage)].add(stage);
    }
    double pace = 0;
    for (size_t r = 0; r < loads.size(); ++r) pace = std::max(pace, loads[r].pace(threads_of(r)));
    return pace * truth_;
  }

  double epochs() const { return static_cast<double>(std::max({e_.epochs_asked, e_.epochs, facts_.walks})); }
  // Of an epoch, as the limiting stage makes them.
  double cached_bytes() const {
    const double batches = facts_.cardinality > 0  ? static_cast<double>(facts_.cardinality)
                           : e_.steps_an_epoch > 0 ? static_cast<double>(e_.steps_an_epoch)
                                                   : static_cast<double>(facts_.read) / std::max(1.0, epochs());
    const double of_a_batch = limit_->bytes > 0 ? static_cast<double>(limit_->bytes) * std::max(1.0, limit_->elements)
                                                : static_cast<double>(facts_.bytes);
    return batches * of_a_batch;
  }
  bool can_cache() const {
    bool pure = limit_->pure || limit_->kind == StageKind::generator || in_python(*limit_);
    for (const StageFacts& stage : facts_.stages)
      if (&stage == limit_) break;
      else pure &= stage.pure || stage.kind != StageKind::map;
    return pure && epochs() >= 2 && cached_bytes() < e_.free_memory / 2;
  }

  // A run of several epochs pays for the first one still.
  void cache_it() {
    const double later =
        std::max({e_.without_input(), pace_without(true), static_cast<double>(facts_.bytes) / kCopyRate});
    const double n = epochs();
    const auto over_run = [&](double each) { return (e_.step + (n - 1) * each) / n; };
    after_ = over_run(later);
    worst_ = over_run(later * 1.2);
    best_ = over_run(std::min(later, e_.without_input()));
    how_ = How::computed;
    const std::string held =
        cat("holds ", size_text(cached_bytes()), " of the ", size_text(e_.free_memory), " that are free",
            limit_->pure || limit_->kind == StageKind::generator ? "" : ", if it gives the same each time");
    remedy_ = is_method(*limit_)
                  ? cat("@functools.lru_cache(None)  # above ", limit_->name, " (import functools); ", held)
                  : cat(".cache()  ", e_.from_python ? "# " : "// ", "right behind ", call_of(*limit_), "; ", held);
  }
  // The batches of a PyDataset (python/brio/keras/_py_dataset.py): the program has a class, and no pipeline.
  static bool is_method(const StageFacts& stage) { return stage.name.ends_with(".__getitem__"); }
  static std::string call_of(const StageFacts& stage) {
    switch (stage.kind) {
      case StageKind::generator: return "from_generator(...)";
      case StageKind::read:
      case StageKind::decode:
        return "image_dataset_from_directory(..., batch_size=None), before shuffle() and batch()";
      case StageKind::map: return stage.name == "map" ? "map(...)" : cat("map(..., name=\"", stage.name, "\")");
      default: return stage.name + "(...)";
    }
  }

  void more_threads() {
    const Load& load = loads_[ring_of(*limit_)];
    double pace = load.pace(e_.cpus + 1);
    for (size_t r = 0; r < loads_.size(); ++r)
      if (r != ring_of(*limit_)) pace = std::max(pace, loads_[r].pace(threads_of(r)));
    pace *= truth_;
    // Processors that compute cannot do more than they do.
    const double busy = e_.cpu_a_step / e_.cpus;
    after_ = std::max({e_.without_input(), pace, busy});
    worst_ = after_ * 1.2;
    best_ = std::max(e_.without_input(), pace);
    how_ = How::computed;
  }

  void drop_it(double confidence) {
    after_ = std::max(e_.without_input(), pace_without(false));
    worst_ = after_ + 0.15 * (e_.step - after_);
    best_ = e_.without_input();
    how_ = How::computed;
    confidence_ = confidence;
  }

  const StageFacts* before(StageKind kind) const {  // the nearest below the limiting stage
    const StageFacts* found = nullptr;
    for (const StageFacts& stage : facts_.stages) {
      if (&stage == limit_) break;
      if (stage.kind == kind) found = &stage;
    }
    return found;
  }
  const StageFacts* behind(StageKind kind) const {
    bool passed = false;
    for (const StageFacts& stage : facts_.stages) {
      if (passed && stage.kind == kind) return &stage;
      passed |= &stage == limit_;
    }
    return nullptr;
  }

  void map_instead_of(const StageFacts& s) {
    cause_ = "one_thread";
    why_ = "it gives elements one after the other, in one thread";
    if (can_cache()) return cache_it();
    // What it does for an element, done by all threads.
    after_ = std::max(e_.without_input(), s.seconds * truth_ / (e_.cpus + 1));
    worst_ = std::max(e_.without_input(), s.seconds * truth_);
    best_ = e_.without_input();
    how_ = How::computed;
    confidence_ = 0.5;
    remedy_ = e_.from_python
                  ? "tf.data.Dataset.range(n).map(f)  # f(i) makes what the generator yields i-th, in several threads"
                  : "data::range(n).map(f)  // f(i) makes what the generator gives i-th, in several threads";
  }

  void choose() {
    const StageFacts& s = *limit_;
    const RingFacts& r = ring();
    // Python that computes, one thread at a time; what waits in it can wait in several.
    const bool python = in_python(s) && !(s.cpu >= 0 && s.cpu < 0.25 && r.fixed_workers && r.workers < e_.cpus);
    const double pace = loads_[ring_of(s)].pace(threads_of(ring_of(s))) * truth_;
    confidence_ = 0.8;
    if (s.kind == StageKind::generator || (s.kind == StageKind::source && s.serial > 0)) return map_instead_of(s);
    if (python) {
      cause_ = "python_map";
      why_ = "Python code runs for each element, one thread at a time";
      if (can_cache()) return cache_it();
      drop_it(0.55);
      remedy_ = is_method(s) ? cat(s.name, " of NumPy's functions over whole batches, without a loop over elements")
                             : cat(call_of(s), " of TensorFlow's functions, without py_function and numpy_function");
      return;
    }
    const StageFacts* filter = behind(StageKind::filter);
    if (filter && filter->kept < 0.5 && s.kind == StageKind::map) {
      cause_ = "order";
      why_ = cat("the filter behind it keeps ", percent(filter->kept));
      const double share = std::min(1.0, s.seconds / std::max(1e-12, loads_[ring_of(s)].all));
      after_ = std::max(e_.without_input(), pace * (1 - share * (1 - filter->kept)));
      worst_ = after_ * 1.2;
      best_ = after_;
      how_ = How::computed;
      confidence_ = 0.6;
      remedy_ = cat(".filter(...) before .", call_of(s), ", if it can do without what that makes");
      return;
    }
    if (s.kind == StageKind::map && s.pure && before(StageKind::cache)) {
      cause_ = "order";
      why_ = "it stands behind the cache and computes the same in each epoch";
      if (can_cache()) {
        cache_it();
        remedy_ = cat(".", call_of(s), " before .cache()");
        return;
      }
    }
    if (r.fixed_workers && r.workers < e_.cpus) {
      cause_ = "one_thread";
      why_ = cat(r.workers, r.workers == 1 ? " thread" : " threads", " of ", e_.cpus, " may make elements");
      more_threads();
      const bool prefetch = !(s.kind == StageKind::map && r.stage == s.name && r.depth == r.workers);
      remedy_ = e_.from_python
                    ? (prefetch ? ".prefetch(tf.data.AUTOTUNE)" : ".map(f, num_parallel_calls=tf.data.AUTOTUNE)")
                    : (prefetch ? ".prefetch(data::kAutotune)" : ".map(f)  // without num_parallel_calls");
      if (after_ < e_.step / (1 + kWorthSaying)) return;
    }
    if (pace < 0.9 * e_.without_input() && r.found_full > 0 && r.found_empty > 0) {
      cause_ = "small_prefetch";
      why_ =
          cat("a batch takes ", duration(pace), " on average, but they come unevenly and ", r.depth, " wait at most");
      after_ = std::max(e_.without_input(), pace);
      worst_ = after_ + 0.4 * (e_.step - after_);
      best_ = after_;
      how_ = How::computed;
      confidence_ = 0.6;
      remedy_ = e_.from_python ? ".prefetch(tf.data.AUTOTUNE)" : ".prefetch(data::kAutotune)";
      return;
    }
    constexpr double kMuch = 0.3;  // what else is done to a picture (casts, resizing) goes with it
    const double decoding = ops_share(s, "decode"), reading = ops_share(s, "read_file");
    const bool decodes = s.kind == StageKind::decode || (decoding > kMuch && decoding >= reading);
    const bool reads = s.kind == StageKind::read || (!decodes && reading > kMuch);
    if (reads || decodes) {
      cause_ = decodes ? "decode" : s.cpu >= 0 && s.cpu < 0.5 ? "read" : "not_packed";
      why_ = decodes ? "pictures are decoded" : "files are opened and read one by one";
      if (can_cache()) return cache_it();
      drop_it(0.6);
      remedy_ = "brio pack DIR OUT --decode --resize HxW  # once, in the shell; then read OUT";
      return;
    }
    if (s.pure && can_cache()) {
      cause_ = "repeated_work";
      why_ = "it computes the same in each epoch";
      return cache_it();
    }
    cause_ = s.pure ? "repeated_work" : "compute";
    why_ = s.pure ? "it computes the same in each epoch" : "what it computes keeps the processors busy";
    after_ = e_.step;
    worst_ = best_ = after_;
    how_ = How::none;
    confidence_ = 0.6;
    remedy_ = s.pure ? cat(".cache(\"FILE\")  # right behind ", call_of(s))
                     : cat("make ", is_method(s) ? s.name : call_of(s), " cheaper: smaller elements first");
  }

  const Evidence& e_;
  const PipelineFacts& facts_;
  std::vector<Load> loads_;  // by ring
  const StageFacts* limit_ = nullptr;
  std::string cause_, why_, remedy_;
  double truth_ = 1;
  double after_ = 0, worst_ = 0, best_ = 0, confidence_ = 0;
  How how_ = How::none;
};

}  // namespace

std::optional<Finding> input_bound(const Evidence& e) {
  if (!e.input || e.share(Part::input) < kWorthSaying || e.input->stages.empty()) return {};
  // Batches of rows in memory are copies: what little waiting there is comes from elsewhere.
  constexpr double kCopies = 0.25;
  const bool copies = std::ranges::all_of(e.input->stages, [](const StageFacts& stage) {
    return stage.kind == StageKind::other || stage.kind == StageKind::batch || stage.kind == StageKind::cache;
  });
  if (copies && e.share(Part::input) < kCopies) return {};
  return Diagnosis(e, *e.input).finding();
}

}  // namespace brio::doctor
