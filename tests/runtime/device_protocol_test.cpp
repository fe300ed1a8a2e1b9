// A tensor knows where it lives: eager ops, functions, control flow and reads on devices that the host cannot touch
// and that run behind it. Other tests run on them too: BRIO_DEVICE=walled:0.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "brio/brio.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/interpret.h"
#include "brio/runtime/plan_cache.h"
#include "brio/tensor/strings.h"
#include "tests/fuzz/random_graph.h"
#include "tests/place.h"
#include "tests/walled_device.h"

namespace brio {
namespace {

using test::device_of;
using test::walled_device;

TEST(Devices, ResultsLiveWhereTheyWereComputed) {
  Device& device = walled_device(0);
  const Tensor a = Tensor({1, 2, 3});
  Tensor b;
  {
    const DeviceScope scope(device);
    b = a + a;
    EXPECT_EQ(&device_of(b), &device);
  }
  EXPECT_EQ(&device_of(b * b), &default_device());
  EXPECT_EQ(b.to_vector<float>(), (std::vector<float>{2, 4, 6}));
  const DeviceScope scope("walled:0");
  EXPECT_EQ((b * Tensor(2) + a).to_vector<float>(), (std::vector<float>{5, 10, 15}));
}

TEST(Devices, WhatWasRecordedRunsWhereItWasRecorded) {
  const Tensor a = Tensor({1, 2, 3});
  const Tensor before = a + a;
  Tensor inside;
  {
    const DeviceScope scope(walled_device(0));
    inside = before * a;
  }
  const Tensor after = inside - a;
  EXPECT_EQ(&device_of(before), &default_device());
  EXPECT_EQ(&device_of(inside), &walled_device(0));
  EXPECT_EQ(&device_of(after), &default_device());
  EXPECT_EQ(after.to_vector<float>(), (std::vector<float>{1, 6, 15}));
}

TEST(Devices, MemoryThatRunsOutNamesItsOwnersAndLeavesTheRestUsable) {
  const DeviceScope scope(walled_device(0));
  const Tensor kept = Tensor({1, 2, 3}) * Tensor(2);
  EXPECT_EQ(kept.to_vector<float>(), (std::vector<float>{2, 4, 6}));
  try {
    const Tensor huge = broadcast_to(kept, {int64_t{1} << 36, 3}) + kept;
    (void)huge.array();
    FAIL() << "there were 824 GB";
  } catch (const ResourceError& error) {
    const std::string text = error.what();
    // Where the host computes for a device that lacks a kernel, what comes back belongs to no plan.
    const char* owner = getenv("BRIO_WALLED_LACKS") ? "other" : "activations";
    for (const char* part : {"no 824633720832 bytes", "in use", owner, "smaller batch"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ((kept + kept).to_vector<float>(), (std::vector<float>{4, 8, 12}));
}

TEST(Devices, ValuesGoFromOneToTheOther) {
  const Tensor a = Tensor({1, 2, 3});
  Tensor b, c;
  {
    const DeviceScope scope(walled_device(0));
    b = a * Tensor(2);
  }
  {
    const DeviceScope scope(walled_device(1));
    c = b + a;
    EXPECT_EQ(&device_of(c), &walled_device(1));
  }
  EXPECT_EQ(c.to_vector<float>(), (std::vector<float>{3, 6, 9}));
}

// Inputs to the device, a run, results back.
std::vector<Array> run_on_device(const fuzz::Sample& sample) {
  Device& device = walled_device(0);
  const auto cached = std::make_shared<const CachedPlan>(Plan::make(sample.graph, device));
  std::vector<Tensor> inputs;
  std::vector<BufferRef> fresh;
  std::vector<const Buffer*> buffers;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Array& array : sample.inputs) {
    inputs.emplace_back(array);
    const Array& there = inputs.back().impl()->copy_in(device.memory());
    in.push_back(there.data());
    buffers.push_back(there.buffer.get());
  }
  for (size_t bytes : cached->plan().fresh_buffers()) {
    fresh.push_back(BufferRef::allocate(bytes, Owner::other, device.memory()));
    out.push_back(fresh.back()->data());
    buffers.push_back(fresh.back().get());
  }
  cached->run(in.data(), out.data(), buffers);
  std::vector<Array> results;
  for (const Plan::Output& output : cached->plan().outputs()) {
    results.push_back(Array::allocate(output.aval));
    const Buffer& from = output.is_input ? *inputs[output.index].impl()->copy_in(device.memory()).buffer.get()
                                         : *fresh[output.index].get();
    device.memory().copy_to_host(results.back().data(), from, output.offset, output.aval.bytes());
  }
  return results;
}

TEST(Devices, RunRandomGraphsLikeTheReference) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const fuzz::Sample sample = fuzz::Generator(seed).make();
    if (has_strings(sample.graph)) continue;  // they stay on the host
    const std::string problem =
        fuzz::difference(run_on_device(sample), interpret(sample.graph, sample.inputs), sample.tolerance);
    EXPECT_TRUE(problem.empty()) << "seed " << seed << ": " << problem << "\n" << sample.graph.str();
  }
}

TEST(Devices, AFailureReachesTheCallerAndChangesNoVariable) {
  const DeviceScope scope(walled_device(0));
  Variable table(Tensor({1, 2, 3}), {.name = "table"});
  const auto step = function([&](const Tensor& index) {
    const Tensor found = gather(table, index);
    table.assign(table.value() + Tensor({10, 10, 10}));
    return found;
  });
  EXPECT_EQ(step(Tensor({0, 2}, i32)).to_vector<float>(), (std::vector<float>{1, 3}));
  EXPECT_EQ(step(Tensor({0, 2}, i32)).to_vector<float>(), (std::vector<float>{11, 13}));
  EXPECT_THROW(step(Tensor({0, 3}, i32)), InvalidArgument);
  EXPECT_EQ(table.value().to_vector<float>(), (std::vector<float>{21, 22, 23}));
  EXPECT_EQ(step(Tensor({1, 1}, i32)).to_vector<float>(), (std::vector<float>{22, 22}));
}

TEST(Devices, ATrainingStepStaysThere) {
  Device& device = walled_device(0);
  const auto trained = [] {
    random::set_seed(3);
    const nn::Dense layer(16, {.activation = "tanh"}), last(1);
    const nn::Adam adam(0.01);
    const auto step = function([&](const Tensor& x) {
      GradientTape tape;
      const Tensor loss = mean(square(last(layer(x))));
      std::vector<Variable> weights = layer.variables();
      for (const Variable& v : last.variables()) weights.push_back(v);
      adam.apply_gradients(tape.gradient(loss, weights), weights);
      return loss;
    });
    Tensor loss;
    for (int i = 0; i < 20; ++i) loss = step(random::normal({32, 8}));
    return std::pair(loss.item<float>(), &device_of(layer.variables()[0].value()));
  };
  const auto trained_on = [&](Device& where) {
    const DeviceScope scope(where);
    return trained();
  };
  // The walled device computes with the host's kernels, so bits agree; those of the tests' own device may be others.
  const auto on_host = trained_on(registry().host()), there = trained_on(device);
  EXPECT_EQ(on_host.first, there.first);
  EXPECT_EQ(there.second, &device);
}

TEST(Devices, ThreadsShareValues) {
  const Tensor shared = [] {
    const DeviceScope scope(walled_device(0));
    return random::normal({64, 64}) * Tensor(0.1f);
  }();
  const auto work = [&] {
    const DeviceScope scope(walled_device(0));
    Tensor x = shared;
    for (int i = 0; i < 30; ++i) x = tanh(matmul(x, shared));
    return x.to_vector<float>();
  };
  const std::vector<float> alone = work();
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (auto& result : found) threads.emplace_back([&] { result = work(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : found) EXPECT_EQ(result, alone);
}

TEST(Devices, AHostCallWaitsForWhatComesBefore) {
  const DeviceScope scope(walled_device(0));
  const Tensor x({1, 2, 3});
  std::vector<float> seen;
  const auto doubled = [&](const std::vector<Array>& in) {
    seen.assign(in[0].as<float>(), in[0].as<float>() + 3);
    Array out = Array::allocate(in[0].aval);
    for (int i = 0; i < 3; ++i) out.as<float>()[i] = 2 * seen[static_cast<size_t>(i)];
    return std::vector{out};
  };
  const Tensor y = host_call(doubled, {x + x}, {x.aval()})[0] + x;
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{5, 10, 15}));
  EXPECT_EQ(seen, (std::vector<float>{2, 4, 6}));
}

TEST(Devices, WhatFailsWhenAScopeEndsIsReported) {
  ::testing::internal::CaptureStderr();
  {
    const DeviceScope scope(walled_device(1));
    debugging::assert_less(Tensor({3}), Tensor({2}), "too large");
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("too large"), std::string::npos);
  EXPECT_EQ((Tensor({1, 2}) + Tensor({3, 4})).to_vector<float>(), (std::vector<float>{4, 6}));
}

TEST(Devices, StringsStayOnTheHost) {
  const DeviceScope scope(walled_device(0));
  const Tensor words = string_tensor({"one", "three"}), lengths = strings::length(words);
  EXPECT_EQ(&device_of(lengths), &registry().host());
  EXPECT_EQ((lengths + lengths).to_vector<int32_t>(), (std::vector<int32_t>{6, 10}));
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
    const auto& list = registry().implementations(registry().host(), *op);
    if (op->kind == OpKind::constant) continue;
    ASSERT_FALSE(list.empty()) << op->name;
    EXPECT_EQ(list.back().priority, 0) << op->name;
  }
  Graph graph;
  const ValueId x = graph.add_input({Shape{2, 3}, f16});
  const Node node = graph.add(op::softmax, {x});
  const Choice choice = choose(registry(), registry().host(), {graph, node});
  ASSERT_FALSE(choice.skipped.empty());
  EXPECT_NE(choice.skipped[0].second.find("float16"), std::string::npos) << choice.skipped[0].second;
}

}  // namespace
}  // namespace brio
