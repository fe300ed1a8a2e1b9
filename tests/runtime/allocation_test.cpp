// Allocations: none in the steady state; and when one fails, a clean exception, no leak, and everything works on.
#include <gtest/gtest.h>

#include "brio/brio.h"
#include "brio/tensor/memory.h"
#include "tests/counting_new.h"
#include "tests/place.h"

namespace brio {
namespace {

uint64_t allocations() { return counting_new::count.load() + host_allocations(); }

TEST(Allocations, AFunctionStepMakesNoneAfterWarmUp) {
  SKIP_UNLESS_ON_HOST();
  const Tensor x = random::normal({32, 20}, {.seed = 1}), y = random::normal({32, 1}, {.seed = 2});
  (void)x.array();
  (void)y.array();
  Variable w(random::normal({20, 1}, {.seed = 3})), b(zeros({1}));
  nn::Adam adam(0.01);
  auto step = function([&] {
    GradientTape tape;
    const Tensor loss = mean(square(matmul(x, w) + b - y));
    adam.apply_gradients(tape.gradient(loss, {w, b}), {w, b});
  });
  for (int i = 0; i < 5; ++i) step();
  const uint64_t before = allocations();
  for (int i = 0; i < 100; ++i) step();
  EXPECT_EQ(allocations(), before);
}

// One loop reads and writes several variables of one size: each keeps its own memory.
TEST(Allocations, VariablesOfOneSizeStayWhereTheyAre) {
  SKIP_UNLESS_ON_HOST();
  Variable a(ones({100})), b(ones({100}) * 2.f), c(ones({100}) * 3.f);
  auto step = function([&] {
    const Tensor next_c = c.value() * 0.5f + a.value(), next_b = maximum(b.value(), next_c);
    a.assign(a.value() - next_b * next_c);
    b.assign(next_b);
    c.assign(next_c);
  });
  float x = 1, y = 2, z = 3;
  auto follow = [&] {
    step();
    z = z * 0.5f + x, y = std::max(y, z), x = x - y * z;
  };
  for (int i = 0; i < 2; ++i) follow();
  const void* places[] = {test::place(a.value()), test::place(b.value()), test::place(c.value())};
  const uint64_t before = allocations();
  for (int i = 0; i < 3; ++i) follow();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(test::place(a.value()), places[0]);
  EXPECT_EQ(test::place(b.value()), places[1]);
  EXPECT_EQ(test::place(c.value()), places[2]);
  EXPECT_EQ(a.value().to_vector<float>()[99], x);
  EXPECT_EQ(b.value().to_vector<float>()[99], y);
  EXPECT_EQ(c.value().to_vector<float>()[99], z);
}

// A count whose next value is made first and which is read afterwards.
TEST(Allocations, ASmallVariableMayBeReadAfterItsNextValue) {
  SKIP_UNLESS_ON_HOST();
  Variable count(Tensor({1, 2})), sum_of_counts(zeros({2})), weights(ones({50}));
  auto step = function([&] {
    const Tensor next = count.value() + 1.f;
    const Tensor scale = sum(exp(next * 0.f));
    sum_of_counts.assign(sum_of_counts.value() + count.value() * scale);
    weights.assign(weights.value() * sum(count.value()));
    count.assign(next);
  });
  for (int i = 0; i < 3; ++i) step();
  const uint64_t before = allocations();
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(count.value().to_vector<float>(), (std::vector<float>{7, 8}));
  EXPECT_EQ(sum_of_counts.value().to_vector<float>(), (std::vector<float>{2 * 21, 2 * 27}));
  EXPECT_EQ(weights.value().to_vector<float>()[0], 3.f * 5 * 7 * 9 * 11 * 13);
}

TEST(Allocations, TheSystemIsNotAskedByAnEagerStepAfterWarmUp) {
  const Tensor x = random::normal({32, 20}, {.seed = 1});
  (void)x.array();
  Variable w(random::normal({20, 1}, {.seed = 3}));
  auto step = [&] {
    GradientTape tape;
    const Tensor loss = mean(square(matmul(x, w)));
    w.assign_sub(tape.gradient(loss, {w})[0] * 0.1f);
    flush();
  };
  for (int i = 0; i < 5; ++i) step();
  const int64_t before = memory_ledger()[static_cast<size_t>(Owner::cache)].peak;
  const uint64_t misses = plan_cache_stats().misses;
  for (int i = 0; i < 100; ++i) step();
  EXPECT_EQ(plan_cache_stats().misses, misses);
  EXPECT_EQ(memory_ledger()[static_cast<size_t>(Owner::cache)].peak, before);
}

int64_t held() {
  int64_t bytes = 0;
  for (const LedgerRow& row : memory_ledger())
    if (row.owner == Owner::parameters || row.owner == Owner::optimizer || row.owner == Owner::gradients)
      bytes += row.bytes;
  return bytes;
}

// A small training run, eager and by fit.
void train() {
  const Tensor x = random::uniform({40, 6}, {.seed = 1});
  const Tensor y = cast(random::uniform({40, 1}, {.seed = 2}) > 0.5f, f32);
  Variable w(zeros({6, 1}));
  nn::SGD sgd(0.1);
  for (int i = 0; i < 2; ++i) {
    GradientTape tape;
    const Tensor loss = mean(square(matmul(x, w) - y));
    sgd.apply_gradients(tape.gradient(loss, {w}), {w});
  }
  nn::Sequential model({nn::Dense(4, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  model.fit(x, y, {.epochs = 1, .batch_size = 16, .verbose = 0});
}

// What must hold after a failure: nothing is leaked, and the same thread computes and trains.
void expect_sound(int64_t before, uint64_t n) {
  ASSERT_EQ(current_recording().kind, Recording::Kind::eager) << "after failure " << n;
  ASSERT_TRUE(current_recording().tapes.empty()) << "after failure " << n;
  ASSERT_EQ((Tensor({1, 2}) * 3.f).to_vector<float>(), (std::vector<float>{3, 6})) << "after failure " << n;
  ASSERT_EQ(held(), before) << "after failure " << n;  // what was recorded before the failure is gone with that run
}

TEST(Allocations, FailureOfEachOfTheFirstTwoThousandIsClean) {
  train();  // ops, backends and thread pool are there afterwards, as in any run but the first
  clear_plan_cache();
  const int64_t before = held();
  uint64_t failures = 0;
  for (uint64_t n = 1; n <= 2000; ++n) {
    clear_plan_cache();  // planning is part of what may fail
    counting_new::fail_in.store(static_cast<int64_t>(n));
    try {
      train();
    } catch (const std::bad_alloc&) {
      ++failures;
    } catch (const Error&) {
      ++failures;
    }
    counting_new::fail_in.store(0);
    expect_sound(before, n);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(failures, 1000u);
  train();
}

TEST(Allocations, FailureOfTensorMemoryIsClean) {
  const int64_t before = held();
  uint64_t failures = 0;
  for (uint64_t n = 1; n <= 400; ++n) {
    clear_plan_cache();
    fail_host_allocation(n);
    try {
      train();
    } catch (const ResourceError&) {
      ++failures;
    } catch (const InvalidArgument&) {  // a handle that remembers it
      ++failures;
    }
    fail_host_allocation(0);
    expect_sound(before, n);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(failures, 50u);
}

}  // namespace
}  // namespace brio
