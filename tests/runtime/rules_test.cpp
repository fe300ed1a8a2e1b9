// The rules of "record → plan → run" in the design, one test each.
#include <gtest/gtest.h>
#include <malloc.h>

#include <functional>
#include <thread>

#include "brio/base/thread_pool.h"
#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/tensor/memory.h"
#include "tests/place.h"

namespace brio {
namespace {

uint64_t misses() { return plan_cache_stats().misses; }

TEST(PlanKey, HostScalarsAreInputsOfThePlan) {
  const Tensor x({1, 2, 3});
  auto step = [&](float rate) { return (x * rate + 1.f).to_vector<float>(); };
  step(0.5f);
  const uint64_t before = misses();
  EXPECT_EQ(step(2.f), (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(step(3.f), (std::vector<float>{4, 7, 10}));
  EXPECT_EQ(misses(), before);
}

TEST(PlanKey, ShapesDtypesAndLiveHandlesAreStructure) {
  auto step = [](const Tensor& x, bool keep) {
    const Tensor a = exp(x);
    Tensor b = a + a;
    const Tensor kept = keep ? a : Tensor();
    return b.array().aval.shape.elements();
  };
  const Tensor x({0.25f, 0.5f});
  step(x, false);
  uint64_t before = misses();
  step(x, false);
  EXPECT_EQ(misses(), before);
  {
    // `a` is alive in step() until it returns, so both calls above kept it; a chain that drops it is another
    // structure.
    Tensor b = exp(x);
    b = b + b;
    (void)b.array();
    EXPECT_EQ(misses(), before + 1);
  }
  before = misses();
  step(Tensor({1, 2, 3}), false);
  EXPECT_EQ(misses(), before + 1);
  EXPECT_NE(plan_cache_stats().last_miss.find("new shape (3,) for input 0"), std::string::npos)
      << plan_cache_stats().last_miss;
  step(Tensor({1, 2, 3}, f64), false);
  EXPECT_NE(plan_cache_stats().last_miss.find("new dtype float64 for input 0"), std::string::npos)
      << plan_cache_stats().last_miss;
}

TEST(PlanCache, IsBoundedAndLeastRecentlyUsedGoes) {
  clear_plan_cache();
  set_plan_cache_limit(200 << 10);
  for (int n = 1; n < 300; ++n) (void)(exp(zeros({n})) * 2.f).array();
  const PlanCacheStats stats = plan_cache_stats();
  EXPECT_LE(stats.bytes, stats.limit);
  EXPECT_GT(stats.evictions, 0u);
  const uint64_t before = misses();
  (void)(exp(zeros({299})) * 2.f).array();  // the newest is still there
  EXPECT_EQ(misses(), before);
  (void)(exp(zeros({1})) * 2.f).array();  // the oldest is not
  EXPECT_EQ(misses(), before + 1);
  set_plan_cache_limit(512 << 20);
}

TEST(PlanCache, PlansThatFunctionsKeepAreBoundedToo) {
  clear_plan_cache();
  set_plan_cache_limit(plan_cache_stats().bytes + (200 << 10));
  auto f = function([](const Tensor& x) { return matmul(exp(x), tanh(x)) * 2.f; });
  std::vector<float> first;
  for (int n = 1; n < 50; ++n) {
    const std::vector<float> result = f(ones({n, n})).to_vector<float>();
    if (n == 1) first = result;
    EXPECT_LE(plan_cache_stats().bytes, plan_cache_stats().limit) << n;
  }
  EXPECT_EQ(f(ones({1, 1})).to_vector<float>(), first);  // planned again
  EXPECT_EQ(f.traces(), 49u);                            // not traced again
  set_plan_cache_limit(512 << 20);
}

// What plans take of the heap, as malloc knows it, and as their count has it.
TEST(PlanCache, CountsWhatPlansReallyTake) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's malloc does not say what is in use";
#endif
  if (default_device().name().starts_with("gpu"))
    GTEST_SKIP() << "kernels of a GPU are its compiler's, not the plans'";
  const auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const auto chain = [](int i) {
    Tensor x = ones({8});
    for (int k = 0; k < 12; ++k) x = i >> k & 1 ? exp(x) : tanh(x);
    x.array();
  };
  const auto shapes = [](int i) {
    const Tensor x = ones({1 + i % 57, 3 + i / 57});
    sum(exp(x) * 2.f + tanh(x), 1).array();
  };
  for (const std::function<void(int)>& make : {std::function<void(int)>(chain), std::function<void(int)>(shapes)}) {
    clear_plan_cache();
    make(0);
    const size_t heap = in_use(), counted = plan_cache_stats().bytes;
    for (int i = 1; i <= 1000; ++i) make(i);
    const auto took = static_cast<double>(in_use() - heap);
    EXPECT_LT(took, 1.35 * static_cast<double>(plan_cache_stats().bytes - counted));
    EXPECT_GT(took, 0.7 * static_cast<double>(plan_cache_stats().bytes - counted));
  }
  clear_plan_cache();
}

TEST(PlanCache, DropsIdlePlansOfFunctionsAndKeepsThoseInUse) {
  clear_plan_cache();
  const auto make = [](int n) {
    auto f = function([](const Tensor& x) { return matmul(exp(x), tanh(x)) * 2.f; });
    f(ones({n, n}));
    return f;
  };
  using F = decltype(make(1));
  std::vector<F> idle;
  F busy = make(200);
  set_plan_cache_limit(plan_cache_stats().bytes + (1 << 20));
  for (int i = 0; i < 300; ++i) {
    idle.push_back(make(64 + i % 32));
    busy(ones({200, 200}));
  }
  const PlanCacheStats stats = plan_cache_stats();
  EXPECT_LE(stats.bytes, stats.limit + (12 << 20));  // what the last 64 plannings used may stay
  const uint64_t made = plan_clock();
  busy(ones({200, 200}));
  EXPECT_EQ(plan_clock(), made);  // never planned again
  EXPECT_EQ(idle[0](ones({64, 64})).to_vector<float>(), make(64)(ones({64, 64})).to_vector<float>());
  EXPECT_EQ(idle[0].traces(), 1u);  // planned again, not traced
  set_plan_cache_limit(512 << 20);
}

TEST(Donation, AVariableThatNobodyElseHoldsIsWrittenInPlace) {
  Variable v(zeros({1000}));
  const void* before = test::place(v.value());
  v.assign_add(ones({1000}));
  flush();
  EXPECT_EQ(test::place(v.value()), before);
  EXPECT_EQ(v.value().to_vector<float>()[999], 1);
}

TEST(Donation, AHeldValueSurvivesTheUpdate) {
  Variable v(zeros({1000}));
  const Tensor old = v.value();
  v.assign_add(ones({1000}));
  EXPECT_EQ(v.value().to_vector<float>()[0], 1);
  EXPECT_EQ(old.to_vector<float>()[0], 0);
  auto step = function([&] { v.assign_add(ones({1000})); });
  const Tensor second = v.value();
  step();
  EXPECT_EQ(second.to_vector<float>()[0], 1);
  EXPECT_EQ(v.value().to_vector<float>()[0], 2);
}

TEST(Donation, ExportedMemoryIsNeverOverwritten) {
  Variable v(zeros({1000}));
  test::own_array(v.value()).buffer->mark_exported();
  const Buffer* before = test::own_array(v.value()).buffer.get();
  v.assign_add(ones({1000}));
  const Tensor first = v.value();
  EXPECT_NE(test::own_array(first).buffer.get(), before);
}

TEST(Donation, AViewOfAVariableKeepsItsBytes) {
  Variable v(zeros({4, 2}));
  const Tensor view = reshape(v.value(), {8});
  (void)view.array();
  v.assign_add(ones({4, 2}));
  flush();
  EXPECT_EQ(view.to_vector<float>(), std::vector<float>(8, 0));
}

TEST(Pending, UpdatesThatNobodyReadsDoNotPileUp) {
  Variable v(zeros({16}));
  for (int i = 0; i < 20000; ++i) {
    v.assign_add(ones({16}));
    ASSERT_LE(current_recording().nodes.size(), recording_limits().nodes);
  }
  EXPECT_EQ(v.value().to_vector<float>()[3], 20000);
}

TEST(Pending, OpsThatNobodyReadsDoNotPileUp) {
  Tensor x = zeros({16});
  for (int i = 0; i < 20000; ++i) {
    x = x + 1.f;
    ASSERT_LE(current_recording().nodes.size(), recording_limits().nodes);
  }
  EXPECT_EQ(x.to_vector<float>()[3], 20000);
}

TEST(Pending, BytesKeptAliveAreBounded) {
  const size_t limit = std::exchange(recording_limits().kept_bytes, size_t{1} << 20);
  Tensor total = zeros({1 << 16});
  for (int i = 0; i < 300; ++i) {
    const Tensor fresh = Tensor::from(std::vector<float>(1 << 16, 1.f), {1 << 16});
    total = total + fresh;  // only the recording keeps `fresh`, 256 KiB, afterwards
    size_t kept = 0;
    for (const auto& [impl, value] : current_recording().leaves)
      if (impl->refs.load() == 1) kept += impl->array.aval.bytes();
    ASSERT_LE(kept, (size_t{1} << 20) + 65 * (size_t{1} << 18));
  }
  recording_limits().kept_bytes = limit;
  EXPECT_EQ(total.to_vector<float>()[7], 300);
}

TEST(Pending, ApplyGradientsEndsAnEagerStep) {
  Variable v(zeros({2}));
  nn::SGD sgd(0.1);
  GradientTape tape;
  const Tensor loss = sum(square(v.value() - 1.f));
  sgd.apply_gradients(tape.gradient(loss, {v}), {v});
  EXPECT_FALSE(current_recording().pending());
}

TEST(Threads, ATensorHandedToAnotherThreadIsRun) {
  const Tensor x = exp(zeros({3})) + 1.f;
  std::vector<float> seen;
  std::thread([&] { seen = (x * 2.f).to_vector<float>(); }).join();
  EXPECT_EQ(seen, (std::vector<float>{4, 4, 4}));
}

TEST(Threads, APendingTensorOutlivesTheThreadThatMadeIt) {
  Tensor x;
  std::thread([&] { x = exp(zeros({3})) + 1.f; }).join();
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

TEST(Threads, ManyThreadsTrainAtOnce) {
  std::vector<std::thread> threads;
  std::vector<float> results(6);
  for (size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      Variable v(zeros({8}));
      auto step = function([&] {
        GradientTape tape;
        const Tensor loss = sum(square(v.value() - static_cast<float>(t)));
        v.assign_sub(tape.gradient(loss, {v})[0] * 0.1f);
      });
      for (int i = 0; i < 200; ++i) {
        step();
        v.assign_add(zeros({8}));
      }
      results[t] = v.value().to_vector<float>()[0];
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < results.size(); ++t) EXPECT_NEAR(results[t], static_cast<float>(t), 1e-4);
}

TEST(Threads, OneTensorReadByManyThreadsIsRunOnce) {
  const Tensor x = exp(zeros({100})) * 3.f;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { EXPECT_EQ(x.to_vector<float>()[50], 3); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Tape, AFlushUnderATapeKeepsWhatGradientsNeed) {
  const Tensor x({0.5f, 1.f});
  GradientTape tape;
  tape.watch(x);
  const Tensor loss = sum(exp(tanh(x * 2.f)) * x);
  const float value = loss.item<float>();  // runs the forward pass while the tape lives
  EXPECT_FALSE(current_recording().pending());
  const std::vector<float> read = tape.gradient(loss, {x})[0].to_vector<float>();
  GradientTape again;
  again.watch(x);
  const Tensor loss2 = sum(exp(tanh(x * 2.f)) * x);
  const std::vector<float> unread = again.gradient(loss2, {x})[0].to_vector<float>();
  EXPECT_EQ(read, unread);
  EXPECT_EQ(loss2.item<float>(), value);
}

std::string refusal_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Failure, IsToldWhereAnOpStandsWhoseIndicesAreKnown) {
  const Tensor table({1, 2, 3}), logits = zeros({2, 3});
  const Tensor seven({0, 7}, i32);
  const std::vector<std::function<Tensor()>> calls{
      [&] { return gather(table, seven); },
      [&] { return gather_nd(table, Tensor({{7}}, i32)); },
      [&] { return scatter_add(table, seven, ones({2})); },
      [&] { return tensor_scatter_nd_update(table, Tensor({{7}}, i32), ones({1})); },
      [&] { return softmax_xent(logits, seven); },
      [&] {
        return floor_div(seven, Tensor({0, 1}, i32));
      },
      [&] { return seven % 0; },
  };
  size_t told = 0;
  for (const auto& call : calls) told += refusal_of([&] { static_cast<void>(call()); }) != "nothing";
  EXPECT_EQ(told, calls.size());
  EXPECT_EQ(refusal_of([&] { static_cast<void>(floor_div(zeros({0}, i32), Tensor({0}, i32))); }), "nothing");
  EXPECT_NO_THROW(flush()) << "what was refused is not recorded";
}

// Where the indices are known only when it runs.
Tensor late(const Tensor& indices) { return indices + constant(0, i32); }

TEST(Failure, TakesNothingAlongThatHasNothingToDoWithIt) {
  Variable v(zeros({4}));
  const Tensor table({1, 2, 3});
  const Tensor before = table * 2.f;
  const Tensor bad = gather(table, late(Tensor({0, 7}, i32)));
  const Tensor after = before + 1.f, worse = bad + 1.f, worst = sum(worse);
  v.assign_add(ones({4}));
  EXPECT_EQ(after.to_vector<float>(), (std::vector<float>{3, 5, 7}));
  EXPECT_EQ(before.to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(v.value().to_vector<float>(), std::vector<float>(4, 1));
  for (const Tensor& x : {bad, worse, worst})
    for (int time = 0; time < 2; ++time) {
      const std::string text = refusal_of([&] { (void)x.array(); });
      EXPECT_NE(text.find("[gather] index 7 at position 1"), std::string::npos) << text;
    }
}

TEST(Failure, OfANewValueChangesNoVariable) {
  Variable v(zeros({2})), w(zeros({2}));
  const Tensor table({1, 2, 3});
  const Tensor other = table + 1.f;
  w.assign_add(ones({2}));
  v.assign_add(gather(table, late(Tensor({0, 7}, i32))));
  const std::string text = refusal_of([&] { (void)other.array(); });
  EXPECT_NE(text.find("[gather] index 7"), std::string::npos) << "the first to be read tells what is lost: " << text;
  EXPECT_EQ(other.to_vector<float>(), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(v.value().to_vector<float>(), std::vector<float>(2, 0));
  EXPECT_EQ(w.value().to_vector<float>(), std::vector<float>(2, 0));
  v.assign_add(ones({2}));  // the variable works on
  EXPECT_EQ(v.value().to_vector<float>(), std::vector<float>(2, 1));
}

TEST(Failure, UnderATapeLeavesTheRestToGradients) {
  Variable v(ones({3}));
  GradientTape tape;
  const Tensor x = v * v;
  const Tensor bad = gather(x, late(Tensor({5}, i32)));
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(3, 1));
  const Tensor loss = sum(x * x);
  EXPECT_EQ(loss.item<float>(), 3);
  const Tensor gradient = tape.gradient(loss, {v})[0];
  EXPECT_EQ(gradient.to_vector<float>(), std::vector<float>(3, 4));
  EXPECT_THROW((void)bad.array(), InvalidArgument);
}

TEST(Failure, IsToldByFlushThoughNobodyReadsIt) {
  const Tensor table({1, 2, 3});
  const Tensor bad = gather(table, late(Tensor({0, 7}, i32)));
  EXPECT_THROW(flush(), InvalidArgument);
  EXPECT_NO_THROW(flush());
  EXPECT_THROW((void)bad.array(), InvalidArgument);
}

TEST(Failure, AFunctionThatFailsChangesNoVariable) {
  Variable v(zeros({4}));
  const Tensor table({1, 2, 3, 4});
  auto step = function([&](const Tensor& index) {
    v.assign_add(ones({4}));
    v.assign_add(gather(table, index));
  });
  step(Tensor({0, 1, 2, 3}, i32));
  const std::vector<float> before = v.value().to_vector<float>();
  EXPECT_THROW(step(Tensor({0, 1, 2, 4}, i32)), InvalidArgument);
  EXPECT_EQ(v.value().to_vector<float>(), before);
  step(Tensor({3, 2, 1, 0}, i32));
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{7, 7, 7, 7}));
}

TEST(Fusion, APrintCannotChangeAResult) {
  const Tensor x = random::normal({1000}, {.seed = 5});
  auto chain = [&](bool print) {
    Tensor a = x * 1.1f;
    if (print) (void)a.str();
    Tensor b = a + 0.3f;
    if (print) (void)b.str();
    Tensor c = sum(exp(b) * a);
    return c.item<float>();
  };
  EXPECT_EQ(chain(false), chain(true));
}

TEST(Function, FreezesHostValuesAndTensorsButNotVariables) {
  float host = 2;
  Tensor captured({10.f});
  Variable v(Tensor({100.f}));
  auto f = function([&](const Tensor& x) { return x * host + captured + v.value(); });
  EXPECT_EQ(f(Tensor({1.f})).item<float>(), 112);
  host = 3;
  captured = Tensor({20.f});
  v.assign(Tensor({200.f}));
  EXPECT_EQ(f(Tensor({1.f})).item<float>(), 212);
  EXPECT_EQ(f.traces(), 1u);
}

TEST(Function, TracesOncePerShapeAndDtype) {
  int calls = 0;
  auto f = function([&](const Tensor& x) {
    ++calls;
    return x + x;
  });
  f(zeros({2}));
  f(ones({2}));
  f(zeros({3}));
  f(zeros({2}, f64));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(f.traces(), 3u);
}

TEST(Function, ReadingAValueInsideSaysWhatToDo) {
  auto f = function([](const Tensor& x) { return x * x.item<float>(); });
  try {
    f(Tensor({2.f}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("traced"), std::string::npos) << error.what();
  }
  EXPECT_EQ((Tensor({2.f}) * 2.f).item<float>(), 4);  // the thread records as before
}

TEST(Function, DrawsNewNumbersAtEachCall) {
  random::set_seed(7);
  auto f = function([] { return random::uniform({4}); });
  const auto a = f().to_vector<float>(), b = f().to_vector<float>();
  EXPECT_NE(a, b);
  random::set_seed(7);
  EXPECT_EQ(f().to_vector<float>(), a);
}

TEST(HostArrays, AreCopiedWhenTheyComeIn) {
  std::vector<float> host{1, 2, 3};
  const Tensor x = Tensor::from(host, {3});
  host[0] = 99;
  EXPECT_EQ(x.to_vector<float>()[0], 1);
}

TEST(Determinism, ReductionsHaveTheSameBitsForAnyThreadCount) {
  const Tensor x = random::normal({300, 1001}, {.seed = 11});
  (void)x.array();
  std::vector<std::vector<float>> seen;
  const int before = thread_count();
  for (int threads : {1, 2, 7}) {
    set_thread_count(threads);
    std::vector<float> bits = sum(x, 0).to_vector<float>();
    const std::vector<float> rows = sum(x, 1).to_vector<float>();
    bits.insert(bits.end(), rows.begin(), rows.end());
    bits.push_back(sum(x).item<float>());
    bits.push_back(sum(matmul(x, x, {.transpose_b = true})).item<float>());
    seen.push_back(std::move(bits));
  }
  set_thread_count(before);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST(Ledger, EveryByteHasAnOwner) {
  auto bytes = [](Owner owner) { return memory_ledger()[static_cast<size_t>(owner)].bytes; };
  const int64_t before = bytes(Owner::parameters);
  {
    Variable v(zeros({1024}));
    EXPECT_EQ(bytes(Owner::parameters), before + 4096);
    v.assign_add(ones({1024}));
    flush();
    EXPECT_EQ(bytes(Owner::parameters), before + 4096);
    const Tensor hold = v.value();
    v.assign_add(ones({1024}));
    flush();
    EXPECT_EQ(bytes(Owner::parameters), before + 2 * 4096);
  }
  EXPECT_EQ(bytes(Owner::parameters), before);
}

// Traces come to lie where earlier ones lay: what was noted about a variable there is no longer true.
TEST(Function, ATraceKnowsNothingOfEarlierOnes) {
  const Variable v(Tensor(3));
  for (int n = 8; n > 0; --n) {
    auto slope = function([&](const Tensor& x) {
      GradientTape tape;
      Tensor y = x;
      for (int i = 0; i < n; ++i) y = y * x;
      return tape.gradient(sum(y * v.value()), {v})[0];
    });
    EXPECT_EQ(slope(Tensor({1, 1, 1})).item<float>(), 3);
  }
}

}  // namespace
}  // namespace brio
