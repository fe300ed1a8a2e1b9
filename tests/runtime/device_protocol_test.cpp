// A second device, to keep the core honest: its kernels are the reference's, run with delays by a thread of its own,
// and it checks that they are given its memory. A value read too early or memory released in flight shows as a wrong
// result.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "brio/brio.h"
#include "brio/runtime/interpret.h"
#include "brio/runtime/plan_cache.h"
#include "brio/tensor/strings.h"
#include "tests/fuzz/random_graph.h"

namespace brio {
namespace {

class ToyMemory final : public Memory {
 public:
  void* allocate(size_t bytes) override {
    void* data = host_memory().allocate(bytes);
    std::lock_guard lock(mutex_);
    blocks_[data] = bytes;
    return data;
  }
  void release(void* data, size_t bytes) noexcept override {
    std::lock_guard lock(mutex_);
    blocks_.erase(data);
    host_memory().release(data, bytes);
  }
  bool owns(const void* p) {
    std::lock_guard lock(mutex_);
    auto it = blocks_.upper_bound(const_cast<void*>(p));
    if (it == blocks_.begin()) return false;
    --it;
    return static_cast<const char*>(p) <= static_cast<const char*>(it->first) + it->second;
  }

 private:
  std::mutex mutex_;
  std::map<void*, size_t> blocks_;
};

// Runs what it is given, later, on its own thread.
class ToyStream final : public Stream {
 public:
  explicit ToyStream(ToyMemory& memory) : memory_(memory), worker_([this] { work(); }) {}
  ~ToyStream() override {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    worker_.join();
  }
  void launch(const Kernel& kernel, const KernelArgs& args) override {
    push([this, &kernel, args] {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      check(args);
      kernel.run(args);
    });
  }
  void copy_to_host(void* host, const void* device, size_t bytes) override {
    push([=] { std::memcpy(host, device, bytes); });
  }
  void copy_to_device(void* device, const void* host, size_t bytes) override {
    EXPECT_TRUE(memory_.owns(device));
    push([=] { std::memcpy(device, host, bytes); });
  }
  void synchronize() override {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return queue_.empty() && !busy_; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void check(const KernelArgs& args) {
    // The numbers of pointers are not known here; the first of each suffices to see whose memory it is.
    if (args.in && args.in[0]) {
      EXPECT_TRUE(memory_.owns(args.in[0]));
    }
    if (args.out && args.out[0]) {
      EXPECT_TRUE(memory_.owns(args.out[0]));
    }
  }
  void push(std::function<void()> job) {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(job));
    wake_.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      auto job = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      try {
        if (!error_) job();  // after a failure the rest of the stream is skipped
      } catch (...) {
        error_ = std::current_exception();
      }
      lock.lock();
      busy_ = false;
      done_.notify_all();
    }
  }

  ToyMemory& memory_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false, ending_ = false;
  std::exception_ptr error_;
  std::thread worker_;
};

class ToyDevice final : public Device {
 public:
  std::string_view name() const override { return "toy:0"; }
  ToyMemory& memory() override { return memory_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<ToyStream>(memory_); }
  bool synchronous() const override { return false; }

 private:
  ToyMemory memory_;
};

Device& toy() {
  static Device& device = [&]() -> Device& {
    Registry& r = registry();
    r.add_device(std::make_unique<ToyDevice>());
    for (const OpDef* op : op_table())
      for (const Implementation& implementation : r.implementations(r.default_device(), *op))
        if (implementation.priority == 0) r.add("toy:0", *op, implementation);
    return r.device("toy:0");
  }();
  return device;
}

// Inputs to the device, a run, results back.
std::vector<Array> run_on_toy(const fuzz::Sample& sample) {
  Device& device = toy();
  const CachedPlan cached(Plan::make(sample.graph, device));
  const auto stream = device.make_stream();
  std::vector<BufferRef> inputs, fresh;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Array& array : sample.inputs) {
    if (array.aval.dtype == DType::string) {  // stays on the host
      inputs.push_back(array.buffer);
      in.push_back(array.data());
      continue;
    }
    inputs.push_back(BufferRef::allocate(array.aval.bytes(), Owner::input, device.memory()));
    if (array.aval.bytes()) stream->copy_to_device(inputs.back()->data(), array.data(), array.aval.bytes());
    in.push_back(inputs.back()->data());
  }
  stream->synchronize();
  for (size_t bytes : cached.plan().fresh_buffers()) {
    fresh.push_back(BufferRef::allocate(bytes, Owner::other, device.memory()));
    out.push_back(fresh.back()->data());
  }
  cached.run(in.data(), out.data());
  std::vector<Array> results;
  for (const Plan::Output& output : cached.plan().outputs()) {
    results.push_back(Array::allocate(output.aval));
    const BufferRef& from = output.is_input ? inputs[output.index] : fresh[output.index];
    if (output.aval.bytes())
      stream->copy_to_host(results.back().data(), static_cast<char*>(from->data()) + output.offset,
                           output.aval.bytes());
  }
  stream->synchronize();
  return results;
}

TEST(ToyDevice, RunsRandomGraphsLikeTheReference) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const fuzz::Sample sample = fuzz::Generator(seed).make();
    const std::string problem =
        fuzz::difference(run_on_toy(sample), interpret(sample.graph, sample.inputs), sample.tolerance);
    EXPECT_TRUE(problem.empty()) << "seed " << seed << ": " << problem << "\n" << sample.graph.str();
  }
}

TEST(ToyDevice, AFailureReachesTheCallerAndTheNextRunWorks) {
  (void)toy();
  fuzz::Sample sample;
  sample.graph = Graph::parse("(%0: f32[3], %1: i32[2]) {\n %2 = gather %0, %1 {axis=0} : f32[2]\n return %2\n}");
  sample.inputs.push_back(Tensor({1, 2, 3}).array());
  sample.inputs.push_back(Tensor({0, 3}, i32).array());
  EXPECT_THROW(run_on_toy(sample), InvalidArgument);
  sample.inputs[1] = Tensor({0, 2}, i32).array();
  EXPECT_EQ(run_on_toy(sample)[0].as<float>()[1], 3);
}

std::shared_ptr<const Graph> body(HostCode code, const std::vector<Aval>& outputs) {
  Graph graph;
  for (const Aval& aval : outputs) graph.outputs.push_back(graph.add_value(aval));
  graph.host = std::make_shared<const HostCode>(std::move(code));
  return std::make_shared<const Graph>(std::move(graph));
}

TEST(ToyDevice, AHostCallWaitsForWhatComesBefore) {
  register_runtime();
  const Aval vector{Shape{3}, f32};
  std::vector<float> seen;
  const auto doubled = body({"double",
                             [&](const HostRun& run) {
                               const auto* in = static_cast<const float*>(run.in[0]);
                               seen.assign(in, in + 3);
                               for (int i = 0; i < 3; ++i) static_cast<float*>(run.out[0])[i] = 2 * in[i];
                             }},
                            {vector});
  fuzz::Sample sample;
  Graph& g = sample.graph;
  const ValueId token = g.add_input({Shape{0}, u8}), x = g.add_input(vector);
  const ValueId sum = g.add(op::add, {x, x}).out[0];
  const std::vector<ValueId> called = g.add(op::host_call, {token, sum}, {}, {doubled}).out;
  const ValueId result = g.add(op::add, {called[1], x}).out[0];
  g.outputs = {called[0], result};
  sample.inputs = {Array::allocate({Shape{0}, u8}), Tensor({1, 2, 3}).array()};
  const std::vector<Array> out = run_on_toy(sample);
  EXPECT_EQ(seen, (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(std::vector<float>(out[1].as<float>(), out[1].as<float>() + 3), (std::vector<float>{5, 10, 15}));

  const auto refuse = body({"refuse", [](const HostRun&) { throw InvalidArgument("refused"); }}, {});
  g.outputs[0] = g.add(op::print, {called[0], result}, {}, {refuse}).out[0];
  EXPECT_THROW(run_on_toy(sample), InvalidArgument);
}

TEST(ToyDevice, StringsStayOnTheHost) {
  register_runtime();
  const auto lengths = body({"lengths",
                             [](const HostRun& run) {
                               for (int i = 0; i < 2; ++i)
                                 static_cast<int64_t*>(run.out[0])[i] =
                                     static_cast<int64_t>(string_at(run.in[0], i).size());
                             }},
                            {{Shape{2}, i64}});
  fuzz::Sample sample;
  Graph& g = sample.graph;
  const ValueId x = g.add_input({Shape{2}, DType::string});
  const ValueId found = g.add(op::pure_host_call, {x}, {}, {lengths}).out[0];
  g.outputs = {g.add(op::add, {found, found}).out[0]};
  sample.inputs = {string_tensor({"one", "three"}).array()};
  const std::vector<Array> out = run_on_toy(sample);
  EXPECT_EQ(std::vector<int64_t>(out[0].as<int64_t>(), out[0].as<int64_t>() + 2), (std::vector<int64_t>{6, 10}));
}

TEST(Registry, AnUnknownDeviceNamesThoseThereAre) {
  try {
    (void)registry().device("gpu:9");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("cpu:0"), std::string::npos) << error.what();
  }
}

TEST(Registry, EveryOpHasAReferenceAndRefusalsHaveReasons) {
  for (const OpDef* op : op_table()) {
    const auto& list = registry().implementations(registry().default_device(), *op);
    if (op->kind == OpKind::constant) continue;
    ASSERT_FALSE(list.empty()) << op->name;
    EXPECT_EQ(list.back().priority, 0) << op->name;
  }
  Graph graph;
  const ValueId x = graph.add_input({Shape{2, 3}, f16});
  const Node node = graph.add(op::softmax, {x});
  const Choice choice = choose(registry(), registry().default_device(), {graph, node});
  ASSERT_FALSE(choice.skipped.empty());
  EXPECT_NE(choice.skipped[0].second.find("float16"), std::string::npos) << choice.skipped[0].second;
}

}  // namespace
}  // namespace brio
