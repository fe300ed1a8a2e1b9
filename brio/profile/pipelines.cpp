#include "brio/profile/pipelines.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>

namespace brio::profile {
namespace {

constexpr size_t kMostKept = 8;

struct Table {
  std::mutex mutex;
  std::vector<const std::function<PipelineFacts()>*> open;
  std::vector<PipelineFacts> gone;
};
Table& table() {
  static auto* made = new Table;
  return *made;
}

void forget_in_child() {
  Table& t = table();
  new (&t.mutex) std::mutex;
}
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, forget_in_child);

double waited(const PipelineFacts& facts) { return facts.rings.empty() ? 0 : facts.rings.back().waited; }

bool same_stages(const PipelineFacts& a, const PipelineFacts& b) {
  return a.key == b.key && a.stages.size() == b.stages.size() && a.rings.size() == b.rings.size();
}

// Figures for one element become means, by how many were read.
void add(PipelineFacts& sum, const PipelineFacts& more) {
  const double a = static_cast<double>(sum.read), b = static_cast<double>(more.read), all = std::max(1.0, a + b);
  const auto mean = [&](double& to, double from) { to = (to * a + from * b) / all; };
  for (size_t i = 0; i < sum.stages.size(); ++i) {
    StageFacts& to = sum.stages[i];
    const StageFacts& from = more.stages[i];
    mean(to.elements, from.elements);
    mean(to.seconds, from.seconds);
    mean(to.serial, from.serial);
    mean(to.python, from.python);
    if (from.cpu >= 0) to.cpu = to.cpu < 0 ? from.cpu : (to.cpu * a + from.cpu * b) / all;
    mean(to.kept, from.kept);
    mean(to.padding, from.padding);
    to.bytes = std::max(to.bytes, from.bytes);
    if (to.ops.empty()) to.ops = from.ops;
  }
  for (size_t i = 0; i < sum.rings.size(); ++i) {
    RingFacts& to = sum.rings[i];
    const RingFacts& from = more.rings[i];
    const double ahead =
        to.found_ahead * static_cast<double>(to.elements) + from.found_ahead * static_cast<double>(from.elements);
    to.elements += from.elements;
    to.found_ahead = to.elements > 0 ? ahead / static_cast<double>(to.elements) : 0;
    to.waited += from.waited;
    to.computed += from.computed;
    to.wall += from.wall;
    to.found_empty += from.found_empty;
    to.found_full += from.found_full;
    to.workers = from.workers;
    to.depth = from.depth;
  }
  sum.bytes = std::max(sum.bytes, more.bytes);
  sum.read += more.read;
  sum.walks += more.walks;
}

void keep(std::vector<PipelineFacts>& list, PipelineFacts facts) {
  if (facts.read == 0) return;
  for (PipelineFacts& known : list)
    if (same_stages(known, facts)) return add(known, facts);
  list.push_back(std::move(facts));
}

}  // namespace

constinit thread_local uint64_t detail::python_ticks = 0;

uint64_t ns_of(uint64_t ticks) {
  static const double pace = seconds_per_tick() * 1e9;
  return static_cast<uint64_t>(static_cast<double>(ticks) * pace);
}

OpenPipeline::OpenPipeline(std::function<PipelineFacts()> ask) : ask_(std::move(ask)) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.open.push_back(&ask_);
}

OpenPipeline::~OpenPipeline() {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  std::erase(t.open, &ask_);
  try {
    keep(t.gone, ask_());
    if (t.gone.size() > kMostKept) {
      const auto least = std::ranges::min_element(t.gone, {}, waited);
      t.gone.erase(least);
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for a report is no reason to fail
  }
}

std::vector<PipelineFacts> pipelines() {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  std::vector<PipelineFacts> all = t.gone;
  for (const auto* ask : t.open) keep(all, (*ask)());
  std::ranges::sort(all, std::greater<>(), waited);
  return all;
}

size_t pipelines_bytes() {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  size_t bytes = sizeof(Table);
  for (const PipelineFacts& facts : t.gone)
    bytes += sizeof facts + facts.steps.size() + facts.stages.size() * sizeof(StageFacts) +
             facts.rings.size() * sizeof(RingFacts);
  return bytes;
}

}  // namespace brio::profile
