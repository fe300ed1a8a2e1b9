#include "brio/runtime/device_costs.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "brio/base/cache_folder.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/runtime/devices.h"
#include "brio/runtime/plan_cache.h"

namespace brio {
namespace {

constexpr std::string_view kFormat = "brio device costs 1";

struct Known {
  std::mutex mutex;      // of what follows
  std::mutex measuring;  // once is enough
  std::map<const Device*, DeviceCosts> costs;
  std::vector<Device*> candidates;
  bool searched = false;
};
Known& known() {
  static auto* all = new Known;
  return *all;
}

// ---- Measuring

template <typename F>
double best_microseconds(int times, F f) {
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best =
        std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  return std::max(best, 1e-3);
}

// A plan with memory of its own, to be run again and again.
class Bench {
 public:
  Bench(Graph graph, Device& device)
      : device_(device), plan_(std::make_shared<const CachedPlan>(Plan::make_unoptimized(std::move(graph), device))) {
    const Graph& made = plan_->plan().graph();
    for (const Graph::Input& input : made.inputs) {
      const size_t bytes = made.values[input.value].bytes();
      const Array zeros = Array::allocate(made.values[input.value]);
      std::memset(zeros.data(), 0, bytes);
      add(bytes, in_);
      device_.memory().copy_from_host(*buffers_.back().get(), zeros.data(), bytes);
    }
    for (const size_t bytes : plan_->plan().fresh_buffers()) add(bytes, out_);
    for (const BufferRef& buffer : buffers_) uses_.push_back(buffer.get());
  }
  void run() const {
    plan_->run(in_.data(), out_.data(), device_.is_host() ? std::span<const Buffer* const>() : uses_);
    if (!device_.is_host()) device_.stream().synchronize();
  }

 private:
  template <typename P>
  void add(size_t bytes, std::vector<P>& list) {
    buffers_.push_back(BufferRef::allocate(bytes, Owner::other, device_.memory()));
    list.push_back(buffers_.back()->data());
  }
  Device& device_;
  std::shared_ptr<const CachedPlan> plan_;
  std::vector<BufferRef> buffers_;
  std::vector<const Buffer*> uses_;
  std::vector<const void*> in_;
  std::vector<void*> out_;
};

Graph chain(const Shape& shape, int steps) {
  Graph graph;
  ValueId v = graph.add_input({shape, f32});
  for (int i = 0; i < steps; ++i) v = graph.add(op::neg, {v}).out[0];
  graph.outputs = {v};
  return graph;
}

Graph product(int64_t n) {
  Graph graph;
  const ValueId a = graph.add_input({Shape{n, n}, f32}), b = graph.add_input({Shape{n, n}, f32});
  graph.outputs = {graph.add(op::matmul, {a, b}, {0, 0}).out[0]};
  return graph;
}

DeviceCosts measured(Device& device) {
  constexpr int kSteps = 64, kTimes = 5;
  constexpr int64_t kMany = int64_t{4} << 20, kWide = 768;
  DeviceCosts costs;
  const Bench one(chain({8}, 1), device), many(chain({8}, 1 + kSteps), device);
  one.run();
  many.run();
  const double least = best_microseconds(kTimes, [&] { one.run(); });
  costs.launch = std::max(best_microseconds(kTimes, [&] { many.run(); }) - least, 0.01) / kSteps;
  const Bench large(chain({kMany}, 4), device), wide(product(kWide), device);
  large.run();
  wide.run();
  costs.memory = 4 * 2 * 4.0 * kMany / best_microseconds(kTimes, [&] { large.run(); });
  costs.flops = 2.0 * kWide * kWide * kWide / best_microseconds(kTimes, [&] { wide.run(); });
  if (device.is_host()) return costs;
  costs.copy = std::max(least - costs.launch, 0.01);
  const Array here = Array::allocate({Shape{kMany}, f32});
  std::memset(here.data(), 0, here.aval.bytes());
  const BufferRef there = BufferRef::allocate(here.aval.bytes(), Owner::other, device.memory());
  const auto bytes = static_cast<double>(here.aval.bytes());
  const auto copy_in = [&] {
    device.memory().copy_from_host(*there.get(), here.data(), here.aval.bytes());
    device.stream().synchronize();
  };
  copy_in();
  costs.in = bytes / best_microseconds(kTimes, copy_in);
  costs.out = bytes / best_microseconds(kTimes, [&] {
                device.memory().copy_to_host(here.data(), *there.get(), 0, here.aval.bytes());
              });
  return costs;
}

// ---- The file: a line that says which machine, then one for each device.

std::filesystem::path cache_file() {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "device_costs";
}

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return cat(line, ", ", std::thread::hardware_concurrency(), " threads");
  return cat(std::thread::hardware_concurrency(), " threads");
}

std::string name_in_file(const Device& device) {
  std::string name = cat(device.name(), " ", device.description());
  std::ranges::replace(name, '\t', ' ');
  std::ranges::replace(name, '\n', ' ');
  return name;
}

using CostRows = std::map<std::string, DeviceCosts>;

bool is_sound(const DeviceCosts& c, bool on_host) {
  return c.launch > 0 && c.flops > 0 && c.memory > 0 && (on_host || (c.copy > 0 && c.in > 0 && c.out > 0));
}

CostRows read_file() {
  CostRows rows;
  std::ifstream file(cache_file());
  std::string line;
  if (!std::getline(file, line) || line != kFormat || !std::getline(file, line) || line != machine()) return rows;
  while (std::getline(file, line)) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    std::istringstream numbers(line.substr(tab + 1));
    DeviceCosts c;
    if (numbers >> c.launch >> c.copy >> c.in >> c.out >> c.flops >> c.memory) rows[line.substr(0, tab)] = c;
  }
  return rows;
}

// If the file cannot be written, the next process measures again.
void write_file(const CostRows& rows) noexcept {
  try {
    const std::filesystem::path path = cache_file();
    if (path.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    const std::filesystem::path aside = path.string() + cat(".", getpid());
    {
      std::ofstream file(aside);
      file << kFormat << "\n" << machine() << "\n";
      for (const auto& [name, c] : rows)
        file << name << "\t" << c.launch << " " << c.copy << " " << c.in << " " << c.out << " " << c.flops << " "
             << c.memory << "\n";
      if (!file.flush()) return;
    }
    std::filesystem::rename(aside, path, ignored);
  } catch (const std::exception&) {
  }
}

}  // namespace

constinit std::atomic<bool> detail::chooses_by_cost = false;

std::optional<DeviceCosts> known_costs(const Device& device) {
  const std::lock_guard lock(known().mutex);
  const auto it = known().costs.find(&device);
  return it == known().costs.end() ? std::nullopt : std::optional(it->second);
}

DeviceCosts costs_of(Device& device) {
  if (const auto costs = known_costs(device)) return *costs;
  const std::lock_guard once(known().measuring);
  if (const auto costs = known_costs(device)) return *costs;
  CostRows rows = read_file();
  DeviceCosts& costs = rows[name_in_file(device)];
  if (!is_sound(costs, device.is_host())) {
    costs = measured(device);
    write_file(rows);
  }
  set_costs(device, costs);
  return costs;
}

void set_costs(Device& device, const DeviceCosts& costs) {
  const std::lock_guard lock(known().mutex);
  known().costs[&device] = costs;
}

double copy_microseconds(const Device& device, size_t bytes) {
  DeviceCosts costs{.copy = 10, .in = 10e3, .out = 10e3};  // what a bus of today does
  if (const auto measured_once = known_costs(device); measured_once && measured_once->in > 0) costs = *measured_once;
  return costs.copy + static_cast<double>(bytes) / std::min(costs.in, costs.out);
}

void add_cost(Work& work, const OpDef& op, std::span<const Aval* const> in, Attrs attrs,
              std::span<const Graph* const> graphs, std::span<const Aval> out) {
  if (op.kind == OpKind::constant || op.kind == OpKind::view) return;
  Cost cost;
  if (op.cost) cost = op.cost({op, in, attrs, graphs}, out);
  if (cost.bytes == 0) {
    for (const Aval* aval : in) cost.bytes += static_cast<double>(aval->bytes());
    for (const Aval& aval : out) cost.bytes += static_cast<double>(aval.bytes());
  }
  work.flops += cost.flops;
  work.bytes += cost.bytes;
  ++work.steps;
}

void add_cost(Work& work, const Graph& graph, const Node& node) {
  std::vector<const Aval*> in;
  std::vector<Aval> out;
  std::vector<const Graph*> graphs;
  for (const ValueId v : node.in) in.push_back(&graph.values[v]);
  for (const ValueId v : node.out) out.push_back(graph.values[v]);
  for (const auto& body : node.graphs) graphs.push_back(body.get());
  add_cost(work, *node.op, in, Attrs(node.attrs), graphs, out);
}

Work work_of(const Graph& graph) {
  Work work;
  for (const Node& node : graph.nodes) add_cost(work, graph, node);
  return work;
}

double microseconds(const DeviceCosts& costs, const Work& work, bool on_host) {
  // Neighbours are fused: as a rule one step in three remains, and moves a third of the bytes.
  const double computing =
      static_cast<double>(work.steps) / 3 * costs.launch + work.flops / costs.flops + work.bytes / 3 / costs.memory;
  if (on_host) return computing;
  double copies = 0;
  if (work.to_device != 0) copies += costs.copy + static_cast<double>(work.to_device) / costs.in;
  if (work.results != 0) copies += costs.copy + static_cast<double>(work.results) / costs.out;
  return computing + copies;
}

// A device that cannot be measured is too expensive for everything. A program that names it gets the reason.
static DeviceCosts costs_to_choose_by(Device& device) {
  try {
    return costs_of(device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brio: nothing is put on %s without a word: %s\n", std::string(device.name()).c_str(),
                 error.what());
    const DeviceCosts never{.launch = 1e12, .copy = 1e12, .in = 1, .out = 1, .flops = 1, .memory = 1};
    set_costs(device, never);
    return never;
  }
}

Device& cheapest_device(const Work& work) {
  constexpr double kSmall = 1 << 18;  // bytes: no launch pays for less
  Device* best = &registry().host();
  if (work.to_host == 0 && work.bytes < kSmall) return *best;
  const std::vector<Device*> others = candidates();
  if (others.empty()) return *best;
  const double on_host = microseconds(costs_of(*best), work, true);
  double least = 1e300;
  for (Device* device : others) {
    const DeviceCosts costs = costs_to_choose_by(*device);
    const double here = microseconds(costs, work, false);
    // What lies there already would have to be copied to the host.
    const double back = work.to_host == 0 ? 0 : costs.copy + static_cast<double>(work.to_host) / costs.out;
    if (here >= least || here > 0.8 * (on_host + back)) continue;
    least = here;
    best = device;
  }
  return *best;
}

// Device files that a GPU driver always has: without them there is no need to search.
static bool may_have_gpu() { return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; }

std::vector<Device*> candidates() {
  {
    const std::lock_guard lock(known().mutex);
    if (known().searched) return known().candidates;
  }
  std::vector<Device*> found;
  for (Device* device : visible_devices())
    if (spec_of(*device).kind == "GPU") found.push_back(device);
  set_candidates(found);
  return found;
}

void set_candidates(std::vector<Device*> devices) {
  const std::lock_guard lock(known().mutex);
  detail::chooses_by_cost.store(!devices.empty(), std::memory_order_relaxed);
  known().candidates = std::move(devices);
  known().searched = true;
}

void look_for_candidates_later() {
  const char* named = std::getenv("BRIO_DEVICE");
  if ((named && *named) || !may_have_gpu()) return set_candidates({});
  const std::lock_guard lock(known().mutex);
  detail::chooses_by_cost.store(true, std::memory_order_relaxed);
  known().searched = false;
}

}  // namespace brio
