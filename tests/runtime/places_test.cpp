// Where work goes: names of devices, functions whose parts stand on several, what is counted, what passes ask, and
// the choice by cost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "brio/brio.h"
#include "brio/formats/file.h"
#include "brio/ir/trace.h"
#include "brio/ops/network/composites.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/device_target.h"
#include "brio/runtime/devices.h"
#include "brio/runtime/explain.h"
#include "brio/runtime/interpret.h"
#include "brio/runtime/placed.h"
#include "brio/runtime/plan_cache.h"
#include "tests/fuzz/random_graph.h"
#include "tests/place.h"
#include "tests/walled_device.h"

namespace brio {
namespace {

using test::device_of;
using test::walled_device;
using Floats = std::vector<float>;

std::string failure_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "it did not fail";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// ---- Names

TEST(DeviceNames, AreReadAsTensorFlowSpellsThem) {
  const DeviceSpec gpu{"GPU", 1};
  for (const char* name : {"GPU:1", "gpu:1", "/gpu:1", "/GPU:1", "/device:GPU:1", "device:gpu:1",
                           "/job:localhost/replica:0/task:0/device:GPU:1", "/task:0/device:GPU:1"})
    EXPECT_EQ(parse_device(name), gpu) << name;
  for (const char* name : {"cpu", "CPU", "/cpu", "/device:CPU:*", "/device:CPU"})
    EXPECT_EQ(parse_device(name), (DeviceSpec{"CPU", 0})) << name;
  for (const char* name : {"", "/", "/job:localhost", "/job:localhost/task:0"})
    EXPECT_EQ(parse_device(name), std::nullopt) << name;
}

TEST(DeviceNames, WhatIsNoneSaysWhichThereAre) {
  for (const char* name : {"gpu:x", "/job:worker/device:GPU:0", "/task:1/device:CPU:0", "/gpu:0/cpu:0", ":0",
                           "/device::0", "gpu:-1", "gpu:1:2", "12"}) {
    const std::string text = failure_of([&] { (void)parse_device(name); });
    EXPECT_TRUE(has(text, "/device:CPU:0")) << name << ": " << text;
  }
}

TEST(DeviceNames, OneThatIsAbsentIsTheHostOnlyWhereThatIsSoft) {
  ASSERT_TRUE(soft_placement());
  EXPECT_EQ(&device_for({"GPU", 77}), &registry().host());
  set_soft_placement(false);
  const std::string text = failure_of([] { (void)device_for({"GPU", 77}); });
  set_soft_placement(true);
  EXPECT_TRUE(has(text, "/device:GPU:77") && has(text, "/device:CPU:0")) << text;
  EXPECT_TRUE(has(failure_of([] { const DeviceScope scope("gpu:77"); }), "cpu:0"));
}

TEST(DeviceNames, HiddenDevicesAreNotThereAndOthersAreCountedAnew) {
  Device &first = walled_device(0), &second = walled_device(1);
  EXPECT_EQ(full_name(second), "/job:localhost/replica:0/task:0/device:WALLED:1");
  set_visible_devices({&registry().host(), &second});
  EXPECT_EQ(find_device({"WALLED", 0}), &second);
  EXPECT_EQ(find_device({"WALLED", 1}), nullptr);
  set_visible_devices(physical_devices());
  EXPECT_EQ(find_device({"WALLED", 0}), &first);
}

// ---- Functions whose parts stand on several devices

TEST(Places, PartsOfAFunctionRunWhereTheyStand) {
  Device &a = walled_device(0), &b = walled_device(1);
  const auto f = function([&](const Tensor& x) {
    Tensor y, z;
    {
      const DeviceScope scope(a);
      y = matmul(x, x) + Tensor(1);
    }
    {
      const DeviceScope scope(b);
      z = tanh(y) * Tensor({2, 3});
    }
    return z + y - x;
  });
  const Tensor x({{0.5f, 0.25f}, {-0.5f, 1}});
  const Tensor y = matmul(x, x) + Tensor(1), expected = tanh(y) * Tensor({2, 3}) + y - x;
  const uint64_t before_a = a.traffic.copies_in, before_b = b.traffic.copies_in;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(x).to_vector<float>(), expected.to_vector<float>());
  EXPECT_GT(a.traffic.copies_in, before_a);
  EXPECT_GT(b.traffic.copies_in, before_b);
  EXPECT_EQ(f.traces(), 1u);
  const DeviceScope scope(b);  // called from there: what has no place runs there
  EXPECT_EQ(f(x).to_vector<float>(), expected.to_vector<float>());
}

TEST(Places, AFunctionThatStandsOnOneDeviceRunsThereAndNowhereElse) {
  Device& device = walled_device(0);
  const auto f = function([&](const Tensor& x) {
    const DeviceScope scope(device);
    return matmul(x, x) * Tensor(2);
  });
  const Tensor result = f(Tensor({{1, 2}, {3, 4}}));
  EXPECT_EQ(&device_of(result), &device);
  EXPECT_EQ(result.to_vector<float>(), (Floats{14, 20, 30, 44}));
}

TEST(Places, ScopesNestAndEndAlsoInATrace) {
  Device &a = walled_device(0), &b = walled_device(1);
  std::vector<uint16_t> places;
  const auto place = [] { return current_recording().place; };
  const auto f = function([&](const Tensor& x) {
    places.push_back(place());
    {
      const DeviceScope outer(a);
      places.push_back(place());
      {
        const DeviceScope inner(b);
        places.push_back(place());
        const DeviceScope nowhere(nullptr);
        places.push_back(place());
      }
      places.push_back(place());
    }
    places.push_back(place());
    return x + x;
  });
  f(Tensor({1}));
  const uint16_t pa = registry().place_of(a), pb = registry().place_of(b);
  EXPECT_EQ(places, (std::vector<uint16_t>{0, pa, pb, 0, pa, 0}));
}

TEST(Places, GradientsVariablesAndUpdatesWorkAcrossThem) {
  Device &a = walled_device(0), &b = walled_device(1);
  const auto trained = [](Device& first, Device& second) {
    random::set_seed(5);
    std::optional<Variable> w, v;
    {
      const DeviceScope scope(first);
      w.emplace(random::normal({4, 8}));
    }
    {
      const DeviceScope scope(second);
      v.emplace(random::normal({8, 1}));
    }
    const auto step = function([&](const Tensor& x) {
      GradientTape tape;
      Tensor h, loss;
      {
        const DeviceScope scope(first);
        h = tanh(matmul(x, w->value()));
      }
      {
        const DeviceScope scope(second);
        loss = mean(square(matmul(h, v->value())));
      }
      const std::vector<Tensor> gradients = tape.gradient(loss, {*w, *v});
      w->assign_sub(gradients[0] * Tensor(0.1f));
      v->assign_sub(gradients[1] * Tensor(0.1f));
      return loss;
    });
    Floats losses;
    for (int i = 0; i < 10; ++i) losses.push_back(step(random::normal({16, 4})).item<float>());
    return losses;
  };
  const Floats on_host = trained(registry().host(), registry().host());
  EXPECT_EQ(trained(a, b), on_host);
  EXPECT_EQ(trained(registry().host(), b), on_host);
  EXPECT_LT(on_host.back(), on_host.front());
}

TEST(Places, AFailureInOnePartChangesNoVariable) {
  Device& device = walled_device(0);
  Variable total(Tensor({1, 2}), {.name = "total"});
  const auto f = function([&](const Tensor& index) {
    total.assign(total.value() + Tensor({10, 10}));
    const DeviceScope scope(device);
    return gather(Tensor({5, 6, 7}), index);
  });
  EXPECT_EQ(f(Tensor({2, 0}, i32)).to_vector<float>(), (Floats{7, 5}));
  EXPECT_THROW(f(Tensor({3, 0}, i32)), InvalidArgument);
  EXPECT_EQ(total.value().to_vector<float>(), (Floats{11, 12}));
  EXPECT_EQ(f(Tensor({1, 1}, i32)).to_vector<float>(), (Floats{6, 6}));
}

// What a section may hold, and a device keep as one thing.
TEST(Places, ALoopOfKnownLengthIsHandedOverWithoutAWait) {
  Device& device = walled_device(0);
  const Aval parameters[] = {{Shape{5, 3}, f32}};
  const auto launches = [&](const BodyFn& body) {
    return Plan::make(*trace_body(parameters, body).graph, device)->launches();
  };
  const auto one_step = [](const auto& carried, const auto& element) {
    return ScanStep{{tanh(carried[0] + element[0])}, {}};
  };
  const size_t of_scan = launches([&](const auto& x) { return scan(one_step, {zeros({3})}, {x[0]}).carried; });
  if (registry().implementations(device, op::tanh).empty()) EXPECT_EQ(of_scan, 0u);  // the host runs each, and waits
  else EXPECT_GE(of_scan, 5u);
  EXPECT_EQ(launches([](const auto& x) {
              return while_loop([](const auto& s) { return all(less(s[0], constant(9, f32))); },
                                [](const auto& s) { return std::vector{s[0] + constant(1, f32)}; }, {x[0]});
            }),
            0u);  // who knows how many rounds
  EXPECT_EQ(launches([](const auto& x) {
              const auto look_up = [](const auto& carried, const auto& element) {
                return ScanStep{{gather(carried[0], cast(element[0], i32))}, {}};
              };
              return scan(look_up, {zeros({3})}, {x[0]}).carried;
            }),
            0u);  // an index may be refused, and the plan waits for that
}

TEST(Places, LoopsAndBranchesMayStandInsideAndAround) {
  Device& device = walled_device(0);
  const auto f = function([&](const Tensor& x) {
    const auto body = [&](const std::vector<Tensor>& s) {
      const DeviceScope scope(device);
      return std::vector<Tensor>{s[0] * Tensor(2), s[1] + Tensor(1)};
    };
    const auto condition = [](const std::vector<Tensor>& s) { return s[1] < Tensor(3); };
    const Tensor looped = while_loop(condition, body, {x, Tensor(0)})[0];
    const DeviceScope scope(device);
    return cond(
        sum(looped) > Tensor(0), [&] { return looped + Tensor(1); }, [&] { return looped - Tensor(1); });
  });
  EXPECT_EQ(f(Tensor({1, 2})).to_vector<float>(), (Floats{9, 17}));
  EXPECT_EQ(f(Tensor({-1, -2})).to_vector<float>(), (Floats{-9, -17}));
}

TEST(Places, UnderATapeTheyAreKept) {
  Device& device = walled_device(0);
  const auto f = function([&](const Tensor& x) {
    const DeviceScope scope(device);
    return x * x;
  });
  Variable v(Tensor({3, 4}));
  const uint64_t before = device.traffic.copies_in;
  GradientTape tape;
  const Tensor y = f(v.value());
  EXPECT_EQ(tape.gradient(sum(y), {v})[0].to_vector<float>(), (Floats{6, 8}));
  EXPECT_GT(device.traffic.copies_in, before);
}

// Every node of a random graph is put somewhere: the host, or one of two devices.
TEST(Places, RandomGraphsGiveTheSameWhereverTheirNodesStand) {
  const uint16_t places[] = {0, registry().place_of(walled_device(0)), registry().place_of(walled_device(1))};
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    fuzz::Sample sample = fuzz::Generator(seed).make();
    if (has_strings(sample.graph)) continue;
    const std::vector<Array> expected = interpret(sample.graph, sample.inputs);  // the plan may write over the inputs
    uint64_t random = seed * 0x9e3779b97f4a7c15ull;
    for (Node& node : sample.graph.nodes) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      node.place = places[(random >> 40) % 3];
    }
    const auto cached = std::make_shared<const CachedPlan>(Plan::make(sample.graph, registry().host()));
    std::vector<const void*> in;
    std::vector<BufferRef> fresh;
    std::vector<void*> out;
    for (const Array& array : sample.inputs) in.push_back(array.data());
    for (const size_t bytes : cached->plan().fresh_buffers()) {
      fresh.push_back(BufferRef::allocate(bytes, Owner::other));
      out.push_back(fresh.back()->data());
    }
    cached->run(in.data(), out.data());
    std::vector<Array> results;
    for (const Plan::Output& output : cached->plan().outputs())
      results.push_back({output.aval, output.is_input ? sample.inputs[output.index].buffer : fresh[output.index],
                         output.offset + (output.is_input ? sample.inputs[output.index].offset : 0)});
    const std::string problem = fuzz::difference(results, expected, sample.tolerance);
    EXPECT_TRUE(problem.empty()) << "seed " << seed << ": " << problem << "\n" << sample.graph.str();
  }
}

// ---- What moves

TEST(Places, AVariableTakesAFirstValueOfItsDeviceWithoutTheHost) {
  Device& device = walled_device(0);
  const DeviceScope scope(device);
  const Tensor first = random::normal({64}) * Tensor(2);
  (void)test::own_array(first);
  const uint64_t in = device.traffic.copies_in, out = device.traffic.copies_out;
  const Variable v(first);
  EXPECT_EQ(device.traffic.copies_in, in);
  EXPECT_EQ(device.traffic.copies_out, out);
  EXPECT_EQ(&device_of(v.value()), &device);
  EXPECT_EQ(v.value().to_vector<float>(), first.to_vector<float>());
  EXPECT_NE(test::place(v.value()), test::place(first));
}

TEST(Places, WhatIsHandedThroughLiesWhereItWasHandedThrough) {
  Device& device = walled_device(0);
  const Tensor x({1, 2, 3, 4});
  Tensor there, back;
  {
    const DeviceScope scope(device);
    there = reshape(x, {2, 2});
    EXPECT_EQ(&device_of(there), &device);
  }
  {
    const DeviceScope scope(registry().host());
    back = reshape(there, {4});
    EXPECT_EQ(&device_of(back), &registry().host());
  }
  EXPECT_EQ(back.to_vector<float>(), (Floats{1, 2, 3, 4}));
}

TEST(Counts, CopiesAndTheirBytes) {
  Device& device = walled_device(0);
  const Tensor x = random::normal({100});
  (void)x.array();
  const DeviceScope scope(device);
  const uint64_t in = device.traffic.bytes_in, out = device.traffic.bytes_out;
  const Tensor y = x + x;
  (void)y.array();
  EXPECT_EQ(device.traffic.bytes_out - out, 400u);
  EXPECT_EQ(device.traffic.bytes_in - in, &device_of(x) == &device ? 0u : 400u);
}

TEST(Counts, WhatTheHostRunsForADeviceIsNamed) {
  Device& device = walled_device(0);
  if (!registry().implementations(device, op::tanh).empty()) GTEST_SKIP() << "for walled_lacking";
  reset_device_counts();
  const DeviceScope scope(device);
  (void)tanh(Tensor({1, 2, 3})).array();
  const auto counts = fallback_counts();
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].op, "tanh");
  EXPECT_EQ(counts[0].runs, 1u);
  EXPECT_EQ(counts[0].bytes, 24u);
  EXPECT_TRUE(has(placement_report(), "tanh has no kernel on walled:0: 1 times"));
  Graph graph;
  graph.outputs = {graph.add(op::tanh, {graph.add_input({Shape{8}, f32})}).out[0]};
  EXPECT_TRUE(
      has(Plan::make(graph, device)->explain_placement(), "tanh, which it has no kernel for, runs on the host"));
}

TEST(Explain, AWordThatMeansNothingIsNamedWithThoseThatDo) {
  EXPECT_EQ(unknown_words("kernels,placement plans"), "");
  const std::string text = unknown_words("kernels,place,x");
  EXPECT_TRUE(has(text, "'place', 'x'") && has(text, "placement")) << text;
}

// ---- What passes ask

class Picky final : public Target {
 public:
  explicit Picky(std::vector<const OpDef*> lacks, bool fuses = true) : lacks_(std::move(lacks)), fuses_(fuses) {}
  bool runs(const Graph&, const Node& node) const override {
    return std::ranges::find(lacks_, node.op) == lacks_.end();
  }
  bool fuses(const Graph&, const Node&) const override { return fuses_; }

 private:
  std::vector<const OpDef*> lacks_;
  bool fuses_;
};

std::string optimized_for(const Target& target, Graph graph) {
  const TargetScope scope(target);
  optimize(graph);
  return graph.str();
}

Graph dense_softmax() {
  return Graph::parse(R"((%0: f32[3,2], %1: f32[2,4], %2: f32[4]) {
    %3 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3,4]
    %4 = add %3, %2 : f32[3,4]
    %5 = relu %4 : f32[3,4]
    %6 = softmax %5 : f32[3,4]
    return %6
  })");
}

TEST(Targets, ADeviceThatLacksAFormIsNotGivenIt) {
  EXPECT_TRUE(has(optimized_for(Target(), dense_softmax()), "linear"));
  const std::string plain = optimized_for(Picky({&op::linear}), dense_softmax());
  EXPECT_FALSE(has(plain, "linear")) << plain;
  EXPECT_TRUE(has(plain, "matmul")) << plain;
  const std::string apart = optimized_for(Picky({&op::linear}, false), dense_softmax());
  EXPECT_FALSE(has(apart, "fused")) << apart;
}

TEST(Targets, ALackingOpBecomesItsPlainFormWhereAllPartsRun) {
  const std::string parts = optimized_for(Picky({&op::softmax}), dense_softmax());
  EXPECT_FALSE(has(parts, "softmax")) << parts;
  EXPECT_TRUE(has(parts, "exp")) << parts;
  const std::string whole = optimized_for(Picky({&op::softmax, &op::exp}), dense_softmax());
  EXPECT_TRUE(has(whole, "softmax")) << whole;
}

TEST(Targets, OnTheWalledDeviceLackingOpsAreExpandedBeforeTheHostHelps) {
  Device& device = walled_device(0);
  if (!registry().implementations(device, op::softmax).empty()) GTEST_SKIP() << "for walled_lacking";
  Graph graph = dense_softmax();
  optimize_for(device, graph);
  // Its plain form needs reduce_sum, which is taken away as well.
  EXPECT_TRUE(has(graph.str(), "softmax")) << graph.str();
  EXPECT_FALSE(has(graph.str(), "linear")) << graph.str();
  EXPECT_FALSE(has(graph.str(), "fused")) << graph.str();
}

TEST(Targets, AnOptimizersUpdateIsExpandedThere) {
  Device& device = walled_device(0);
  if (!registry().implementations(device, op::softmax).empty()) GTEST_SKIP() << "for walled_lacking";
  reset_device_counts();
  const DeviceScope scope(device);
  const Variable w(Tensor({1, 2, 3}));
  const nn::Adam adam(0.1);
  for (int i = 0; i < 3; ++i) adam.apply_gradients({Tensor({1, -1, 2})}, {w});
  EXPECT_EQ(w.value().to_vector<float>().size(), 3u);
  for (const FallbackCount& count : fallback_counts()) EXPECT_NE(count.op, "adam_update");
}

// ---- The choice by cost

class ByCost : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_host()) GTEST_SKIP() << "BRIO_DEVICE says where everything runs";
    set_costs(registry().host(), {.launch = 0.05, .flops = 1e5, .memory = 1e4});
    set_costs(walled_device(0), {.launch = 5, .copy = 10, .in = 1e4, .out = 1e4, .flops = 1e7, .memory = 1e6});
    set_candidates({&walled_device(0)});
  }
  void TearDown() override { set_candidates({}); }
  static Tensor on_host(const Shape& shape) {
    const DeviceScope scope(registry().host());
    const Tensor x = random::normal(shape);
    (void)x.array();
    return x;
  }
};

TEST_F(ByCost, SmallWorkStaysOnTheHostAndLargeWorkGoes) {
  const Tensor small = on_host({8, 8}), large = on_host({512, 512});
  EXPECT_EQ(&device_of(matmul(small, small)), &registry().host());
  const Tensor product = matmul(large, large);
  EXPECT_EQ(&device_of(product), &walled_device(0));
  {
    const DeviceScope scope(registry().host());
    EXPECT_EQ(&device_of(matmul(large, large)), &registry().host());
    EXPECT_EQ(matmul(large, large).to_vector<float>(), product.to_vector<float>());
  }
  EXPECT_EQ(&device_of(product + product), &walled_device(0));  // what lies there stays there
}

TEST_F(ByCost, AFunctionIsDecidedOnce) {
  const auto step = function([](const Tensor& x) { return sum(matmul(x, x)); });
  EXPECT_EQ(&device_of(step(on_host({8, 8}))), &registry().host());
  EXPECT_EQ(&device_of(step(on_host({512, 512}))), &walled_device(0));
  EXPECT_EQ(&device_of(step(on_host({8, 8}))), &registry().host());
}

TEST_F(ByCost, VariablesFollowTheStepThatTrainsThem) {
  Variable w(on_host({512, 512}));
  EXPECT_EQ(&device_of(w.value()), &registry().host());
  const auto step = function([&](const Tensor& x) { w.assign(matmul(w.value(), w.value()) * x); });
  step(Tensor(0.01f));
  EXPECT_EQ(&device_of(w.value()), &walled_device(0));
}

TEST(Costs, AreMeasuredOnceAndKeptInAFile) {
  const std::filesystem::path dir = std::filesystem::temp_directory_path() / cat("brio_costs_", getpid());
  const char* const named = std::getenv("BRIO_CACHE");  // comes before the other, and may be set for all tests
  const std::optional<std::string> before = named ? std::optional<std::string>(named) : std::nullopt;
  unsetenv("BRIO_CACHE");
  setenv("XDG_CACHE_HOME", dir.c_str(), 1);
  const DeviceCosts costs = costs_of(walled_device(1));
  EXPECT_TRUE(costs.launch > 0 && costs.copy > 0 && costs.in > 0 && costs.out > 0 && costs.flops > 0);
  const std::string kept = formats::read_file((dir / "brio" / "device_costs").string());
  EXPECT_TRUE(has(kept, "brio device costs 1") && has(kept, "walled:1")) << kept;
  unsetenv("XDG_CACHE_HOME");
  if (before) setenv("BRIO_CACHE", before->c_str(), 1);
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace brio
