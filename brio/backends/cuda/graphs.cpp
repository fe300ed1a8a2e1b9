// A section of a plan as a CUDA graph: captured when the same pointers come a second time, then started by one call.
// Memory is recycled, so the pointers of a loop are a few sets in turn; each has its graph.
#include <algorithm>
#include <cstdlib>

#include "brio/backends/cuda/device.h"
#include "brio/backends/cuda/kernel_times.h"

namespace brio::cuda {
namespace {

constexpr size_t kMostGraphs = 4;

struct CapturedSection final : Stream::Kept {
  struct Entry {
    std::vector<void*> pointers;       // of the launches, then the arena
    const Failure* failure = nullptr;  // of the stream: kernels that refuse their data write there
    CUgraphExec graph = nullptr;       // none: they came once so far
    uint64_t last_used = 0;
  };
  std::vector<Entry> entries;
  uint64_t clock = 0;
  std::shared_ptr<const OpNames> ops;  // of its kernels

  ~CapturedSection() override {
    for (const Entry& entry : entries)
      if (entry.graph) driver().cuGraphExecDestroy(entry.graph);
  }
};

bool switched_off() {
  static const char* const setting = std::getenv("BRIO_CUDA_GRAPHS");
  return setting && *setting == '0';
}

// Sections within a section, of loops, are launched as parts of it.
class Within {
 public:
  explicit Within(bool& flag) : flag_(flag) { flag_ = true; }
  ~Within() { flag_ = false; }
  Within(const Within&) = delete;

 private:
  bool& flag_;
};

std::shared_ptr<const OpNames> ops_of(const Stream::Section& section) {
  auto ops = std::make_shared<OpNames>();
  for (const Stream::Launch& launch : section.launches)
    ops->push_back(launch.led ? "a loop" : static_cast<const CudaKernel*>(launch.kernel)->op);
  return ops;
}

bool is_one_launch(const Stream::Section& section) {
  return section.launches.size() == 1 && !section.launches.front().led;
}

}  // namespace

void CudaStream::launch_all(const Section& section, void** pointers, char* arena) {
  if (in_section_ || switched_off() || times_kernels() || waits_for_each() || is_one_launch(section))
    return Stream::launch_all(section, pointers, arena);
  const Within within(in_section_);
  device_.enter();
  const std::lock_guard lock(section.mutex);
  if (!section.kept) section.kept = std::make_shared<CapturedSection>();
  auto& captured = static_cast<CapturedSection&>(*section.kept);
  if (!captured.ops) captured.ops = ops_of(section);
  const size_t first = section.launches.front().in, count = section.launches.back().end - first;
  const auto same = [&](const CapturedSection::Entry& entry) {
    return std::equal(pointers + first, pointers + first + count, entry.pointers.begin(), entry.pointers.end() - 1) &&
           entry.pointers.back() == arena && entry.failure == failure_;
  };
  auto entry = std::ranges::find_if(captured.entries, same);
  if (entry == captured.entries.end()) {
    if (captured.entries.size() == kMostGraphs) {
      entry = std::ranges::min_element(captured.entries, {}, &CapturedSection::Entry::last_used);
      if (entry->graph) driver().cuGraphExecDestroy(entry->graph);
      *entry = {};
    } else {
      captured.entries.emplace_back();
      entry = captured.entries.end() - 1;
    }
    entry->pointers.assign(pointers + first, pointers + first + count);
    entry->pointers.push_back(arena);
    entry->failure = failure_;
    entry->last_used = ++captured.clock;
    return Stream::launch_all(section, pointers, arena);
  }
  entry->last_used = ++captured.clock;
  if (!entry->graph) {
    must(driver().cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "beginning a graph");
    CUgraph graph = nullptr;
    try {
      Stream::launch_all(section, pointers, arena);
    } catch (...) {
      driver().cuStreamEndCapture(stream_, &graph);
      if (graph) driver().cuGraphDestroy(graph);
      throw;
    }
    must(driver().cuStreamEndCapture(stream_, &graph), "ending a graph");
    const CUresult made = driver().cuGraphInstantiate(&entry->graph, graph, 0);
    driver().cuGraphDestroy(graph);
    must(made, "making a graph");
  }
  must(driver().cuGraphLaunch(entry->graph, stream_), "starting a graph");
  const std::lock_guard counting(mutex_);
  under_way_.add(++pushed_, captured.ops);
}

}  // namespace brio::cuda
