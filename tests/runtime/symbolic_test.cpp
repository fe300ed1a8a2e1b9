// A structure that comes in several batch sizes: the symbolic plan must give the bits that plans of one's own give.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>

#include "brio/brio.h"
#include "brio/runtime/backend.h"
#include "tests/fuzz/check_sizes.h"
#include "tests/share.h"

namespace brio {
namespace {

class SymbolicPlans : public testing::Test {
 protected:
  void SetUp() override {
    if (current_device().has_own_kernels()) GTEST_SKIP() << "a device of its own kernels plans every size by itself";
  }
};

using Program = std::function<std::vector<Tensor>(int64_t)>;

// Numbers that differ from size to size, from the host: an input of the plan.
Tensor numbers_by_size(const Shape& shape, float first = 0.5f) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(first + 0.37f * static_cast<float>(i) + static_cast<float>(values.size()));
  return Tensor::from(values, shape);
}
Tensor labels(int64_t n, int32_t classes) {
  std::vector<int32_t> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i * 7 + 3) % classes;
  return Tensor::from(values, {n});
}

std::vector<int64_t> down_from(int64_t high, int64_t low) {
  std::vector<int64_t> sizes;
  for (int64_t n = high; n >= low; --n) sizes.push_back(n);
  return sizes;
}

struct Result {
  std::vector<std::string> bits;  // per size and output
  uint64_t hits;
};
Result run(const Program& program, const std::vector<int64_t>& sizes, bool symbolic) {
  clear_plan_cache();
  set_symbolic_plans(symbolic);
  const uint64_t before = plan_cache_stats().symbolic_hits;
  Result result;
  for (int64_t n : sizes)
    for (const Tensor& t : program(n)) {
      const Array array = t.array();
      std::string& bits = result.bits.emplace_back(array.aval.shape.str());
      if (array.aval.bytes()) bits.append(static_cast<const char*>(array.data()), array.aval.bytes());
    }
  result.hits = plan_cache_stats().symbolic_hits - before;
  set_symbolic_plans(true);
  return result;
}

void expect_same(const Result& a, const Result& b) {
  ASSERT_EQ(a.bits.size(), b.bits.size());
  for (size_t i = 0; i < a.bits.size(); ++i)
    EXPECT_TRUE(a.bits[i] == b.bits[i]) << "result " << i << " has other bits";
}

// Runs the program eagerly and as a function, each with symbolic plans and without; returns how many plans of the
// eager run were made from a symbolic one. `make` gives the arguments for a size.
using Body = std::function<std::vector<Tensor>(const Tensor&)>;
uint64_t check(const Body& body, const std::vector<int64_t>& sizes, const std::function<Tensor(int64_t)>& make) {
  const Program eager = [&](int64_t n) { return body(make(n)); };
  const Result with = run(eager, sizes, true), without = run(eager, sizes, false);
  EXPECT_EQ(without.hits, 0u);
  expect_same(with, without);
  std::vector<Result> traced;
  for (bool symbolic : {true, false}) {
    auto f = function([&](const Tensor& x) { return body(x); });
    traced.push_back(run([&](int64_t n) { return f(make(n)); }, sizes, symbolic));
  }
  expect_same(traced[0], traced[1]);
  EXPECT_EQ(traced[0].hits, with.hits) << "as a function";
  return with.hits;
}
uint64_t check(const Body& body, const std::vector<int64_t>& sizes) {
  return check(body, sizes, [](int64_t n) { return numbers_by_size({n, 6}); });
}
const std::vector<int64_t> kSizes = down_from(12, 2);  // two show what varies, nine come from the symbolic plan

TEST_F(SymbolicPlans, AStructureThatMissesAgainAndAgainOnItsLeadingDimensionIsPlannedForAnySize) {
  clear_plan_cache();
  auto step = [](int64_t n) {
    return sum(Tensor::from(std::vector<float>(static_cast<size_t>(4 * n)), {n, 4}) + 2.f, 0).to_vector<float>();
  };
  for (int64_t n : {32, 31, 30}) step(n);
  const PlanCacheStats before = plan_cache_stats();
  EXPECT_EQ(step(17), std::vector<float>(4, 34.f));
  const PlanCacheStats after = plan_cache_stats();
  EXPECT_EQ(after.symbolic_hits, before.symbolic_hits + 1);
  EXPECT_EQ(after.last_miss, "new shape (17, 4) for input 0, which was (30, 4): made from the plan for (n0, 4)");
}

TEST_F(SymbolicPlans, ReductionsOverTheBatch) {
  EXPECT_EQ(check([](const Tensor& x) { return std::vector{sum(x, 0), max(x, 1), sum(x * x)}; }, kSizes), 9u);
}

TEST_F(SymbolicPlans, NumbersThatFollowTheSizeAreTakenFromTheRecording) {
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  return std::vector{mean(x), mean(x, 0), mean(exp(x) * 2.f, {0, 1})};
                },
                kSizes),
            9u);
  // Folded: 1/N, and what is no formula of N at all.
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  const auto n = static_cast<double>(x.shape()[0]);
                  return std::vector{x * (constant(1, f32) / constant(n, f32)), x + constant(std::sqrt(n), f32)};
                },
                kSizes),
            9u);
}

TEST_F(SymbolicPlans, NumbersThatFollowNoFormula) {
  // Folded to false but at 7; a count that stops to follow at 5.
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  const Tensor n = constant(static_cast<double>(x.shape()[0]), f32);
                  return std::vector{select(equal(n, constant(7, f32)), x, -x)};
                },
                kSizes),
            9u);
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  const auto n = static_cast<double>(x.shape()[0]);
                  return std::vector{x * constant(n, f32) + tanh(x) * constant(std::max(n, 5.0), f32)};
                },
                kSizes),
            9u);
}

TEST_F(SymbolicPlans, Broadcasts) {
  const Tensor row = numbers_by_size({6});
  EXPECT_EQ(
      check(
          [&](const Tensor& x) {
            const int64_t n = x.shape()[0];
            return std::vector{x + row, broadcast_to(row, {n, 6}) * x, x - mean(x, 0, true), x - mean(x, 1, true)};
          },
          kSizes),
      9u);
}

TEST_F(SymbolicPlans, ShapesAreMoved) {
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  const int64_t n = x.shape()[0];
                  const Tensor flat = reshape(x, {n * 6}), halves = reshape(x, {2 * n, 3});
                  return std::vector{exp(flat), sum(halves, 0), transpose(x) * 2.f,
                                     reshape(transpose(reshape(x, {n, 2, 3}), {1, 0, 2}), {2, 3 * n}) + 1.f};
                },
                kSizes),
            9u);
}

TEST_F(SymbolicPlans, BatchesAreJoinedAndCut) {
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  const int64_t n = x.shape()[0];
                  const Tensor twice = concat({x, tanh(x)}, 0);
                  return std::vector{twice * 2.f, slice(x, {Range{0, 2}, Range{1, 5}}) + 1.f,
                                     slice(x, {Range{}, Range{2, 5}}) + 1.f, slice(twice, {Range{n}}) + 1.f,
                                     slice(x, {Range{.stride = -1}}) + 1.f};
                },
                kSizes),
            9u);
  EXPECT_EQ(check([](const Tensor& x) { return std::vector{slice(x, {Range{2}}) + 1.f}; }, kSizes), 8u);  // of 2 none
}

TEST_F(SymbolicPlans, Products) {
  const Tensor w = numbers_by_size({6, 6}), b = numbers_by_size({6});
  EXPECT_EQ(check(
                [&](const Tensor& x) {
                  return std::vector{relu(matmul(x, w) + b), matmul(x, x, {.transpose_a = true}),
                                     matmul(x, transpose(x)), softmax(matmul(x, transpose(x)))};
                },
                kSizes),
            9u);
}

TEST_F(SymbolicPlans, ABatchAsLargeAsALayer) {
  // With seven rows two expressions are equal, and a plan of its own would have one for both.
  const Tensor row = numbers_by_size({6});
  const Body body = [&](const Tensor& x) {
    return std::vector{exp(broadcast_to(row, {x.shape()[0], 6})), exp(broadcast_to(row, {7, 6})), x + row};
  };
  EXPECT_EQ(check(body, {9, 8, 6, 7, 5}), 3u);
  EXPECT_EQ(check(body, {9, 7, 8, 6, 5, 4}), 4u);
  const Tensor w = numbers_by_size({6, 6});
  EXPECT_EQ(check(
                [&](const Tensor& x) {
                  return std::vector{matmul(x, w), transpose(matmul(x, w)) + 1.f};
                },
                {9, 8, 7, 6, 5}),
            3u);
}

TEST_F(SymbolicPlans, IndicesAndLosses) {
  const Tensor table = numbers_by_size({5, 4});
  const auto make = [](int64_t n) { return labels(n, 5); };
  EXPECT_EQ(check(
                [&](const Tensor& index) {
                  const Tensor rows = gather(table, index);
                  return std::vector{rows, one_hot(index, 5), mean(softmax_xent(rows, index % 4))};
                },
                kSizes, make),
            9u);
  EXPECT_EQ(check(
                [&](const Tensor& index) {
                  GradientTape tape;
                  tape.watch(table);
                  const Tensor loss = mean(softmax_xent(gather(table, index), index % 4));
                  return std::vector{loss, tape.gradient(loss, {table})[0]};
                },
                kSizes, make),
            9u);
}

TEST_F(SymbolicPlans, OneAndZeroAreSizesAsOthersAre) {
  const Tensor row = numbers_by_size({1, 6});
  const Body body = [&](const Tensor& x) { return std::vector{x + row, sum(x * row, 0), mean(x, 1)}; };
  EXPECT_EQ(check(body, {9, 8, 7, 1, 0, 6}), 4u);
  EXPECT_EQ(check(body, {1, 9, 0, 8, 7, 6, 5, 1}), 5u);
}

TEST_F(SymbolicPlans, TwoSizesThatVaryApart) {
  const std::vector<std::pair<int64_t, int64_t>> shapes{{8, 3}, {7, 5}, {5, 4}, {9, 9}, {6, 2}, {4, 7}, {3, 3}};
  const std::vector<int64_t> which{0, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  return std::vector{softmax(x), sum(x, 0)};
                },
                which,
                [&](int64_t i) {
                  const auto [rows, columns] = shapes[static_cast<size_t>(i)];
                  return numbers_by_size({rows, columns});
                }),
            5u);
  EXPECT_NE(plan_cache_stats().last_miss.find("new shape"), std::string::npos);
}

TEST_F(SymbolicPlans, SizesThatBelongTogetherByNoRule) {
  const Body body = [](const Tensor& x) { return std::vector{softmax(x), sum(x * 2.f, 0)}; };
  EXPECT_EQ(check(body, down_from(9, 2), [](int64_t n) { return numbers_by_size({n, n * n}); }), 6u);
}

TEST_F(SymbolicPlans, SaysWhyNoMoreIsOpened) {
  clear_plan_cache();
  std::vector<int64_t> sizes(12, 2);
  const auto run_once = [&] {
    const std::span all(sizes);
    (void)(sum(zeros(Shape(all.first(6)))) + sum(zeros(Shape(all.last(6)))) +
           sum(numbers_by_size(Shape(all.first(6)))) + sum(numbers_by_size(Shape(all.last(6)))))
        .array();
  };
  run_once();
  for (int64_t& size : sizes) {  // each call opens one more, up to eight
    size = 3;
    run_once();
  }
  EXPECT_NE(plan_cache_stats().last_miss.find("its sizes vary in ever more ways"), std::string::npos)
      << plan_cache_stats().last_miss;
}

TEST_F(SymbolicPlans, WhatVariesAlikeAtFirstIsToldApartLater) {
  const std::vector<std::pair<int64_t, int64_t>> shapes{{8, 8}, {7, 7}, {5, 5}, {9, 3}, {6, 2}, {4, 4}, {3, 9}};
  EXPECT_EQ(check(
                [](const Tensor& x) {
                  return std::vector{softmax(x), sum(x, 0), mean(x, 1)};
                },
                {0, 1, 2, 3, 4, 5, 6},
                [&](int64_t i) {
                  const auto [rows, columns] = shapes[static_cast<size_t>(i)];
                  return numbers_by_size({rows, columns});
                }),
            4u);  // all but the first, the second and {9, 3}
}

TEST_F(SymbolicPlans, BodiesOfLoops) {
  EXPECT_GE(check(
                [](const Tensor& x) {
                  const auto step = [](const std::vector<Tensor>& carried, const std::vector<Tensor>& element) {
                    const Tensor next = tanh(carried[0] + element[0] * mean(element[0]));
                    return ScanStep{{next}, {next * 2.f}};
                  };
                  // Over the columns, so that the batch is inside the body.
                  const ScanStep done = scan(step, {sum(x, 1)}, {transpose(x)});
                  return std::vector{done.carried[0], done.results[0]};
                },
                kSizes),
            1u);
  EXPECT_GE(check(
                [](const Tensor& x) {
                  return while_loop([](const auto& s) { return s[0] < 3.f; },
                                    [](const auto& s) {
                                      return std::vector{s[0] + 1.f, s[1] * 2.f + 1.f};
                                    },
                                    {Tensor(0.f), x});
                },
                kSizes),
            9u);
}

TEST_F(SymbolicPlans, ATrainingStep) {
  const auto train = [](bool traced) -> Program {
    random::set_seed(3);
    auto model =
        std::make_shared<nn::Sequential>(nn::Sequential{{nn::Dense(16, {.activation = "relu"}), nn::Dense(4)}});
    (void)(*model)(numbers_by_size({3, 6})).array();
    auto adam = std::make_shared<nn::Adam>(0.01);
    const auto weights = model->trainable_variables();
    const auto step = [model, adam, weights](const Tensor& x, const Tensor& y) {
      GradientTape tape;
      const Tensor loss = mean(softmax_xent((*model)(x, true), y));
      adam->apply_gradients(tape.gradient(loss, weights), weights);
      return loss;
    };
    const auto as_function = function(step);
    return [=](int64_t n) {
      const Tensor x = numbers_by_size({n, 6}), y = labels(n, 4);
      std::vector<Tensor> results{traced ? as_function(x, y) : step(x, y)};
      for (const Variable& w : weights) results.push_back(w.value());
      return results;
    };
  };
  for (const bool traced : {false, true}) {
    std::vector<int64_t> sizes = down_from(32, 0);
    sizes.insert(sizes.begin(), {33, 33, 33});  // the first steps make the optimizer's slots: other structures
    const Result with = run(train(traced), sizes, true), without = run(train(traced), sizes, false);
    expect_same(with, without);
    EXPECT_GE(with.hits, 28u) << plan_cache_stats().last_miss;
  }
}

// All sizes run on one arena: what one of them cannot have, the others do not ask for.
TEST_F(SymbolicPlans, ASizeThatMemoryRefusesSpoilsNoOther) {
  const auto products = [](const Tensor& x) { return sum(tanh(matmul(x, transpose(x)))); };
  const auto kept = function(products, Sizes::open);
  const auto expect_all_but_huge = [](const auto& f) {
    const auto at = [&](int64_t n) { return f(zeros({n, 1})).template item<float>(); };
    for (const int64_t n : {2, 3}) EXPECT_EQ(at(n), 0);
    const size_t bytes = plan_cache_stats().bytes;
    EXPECT_THROW(at(int64_t{1} << 24), ResourceError);  // 2^50 bytes: more than there are addresses
    EXPECT_LT(plan_cache_stats().bytes, bytes + (1 << 20));
    for (const int64_t n : {4, 300, 2, 5}) EXPECT_EQ(at(n), 0);
  };
  expect_all_but_huge(products);
  expect_all_but_huge(kept);
}

TEST_F(SymbolicPlans, ManyThreadsShareAFamily) {
  const Program program = [](int64_t n) { return std::vector{mean(exp(numbers_by_size({n, 6})), 0)}; };
  const std::vector<std::string> expected = run(program, kSizes, false).bits;
  clear_plan_cache();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (size_t i = 0; i < kSizes.size(); ++i) {
        const Array array = program(kSizes[i])[0].array();
        const std::string bits(static_cast<const char*>(array.data()), array.aval.bytes());
        EXPECT_TRUE(array.aval.shape.str() + bits == expected[i]) << kSizes[i];
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// One, two or three unknown sizes at random axes; ten sets of sizes for each graph.
TEST_F(SymbolicPlans, RandomGraphsOfUnknownSizes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr uint64_t kGraphs = 500;
#else
  constexpr uint64_t kGraphs = 10000;
#endif
  const uint64_t wanted = test::share_of(kGraphs);
  uint64_t graphs = 0, seed = 0;
  while (graphs < wanted) {
    const fuzz::SizesChecked checked = fuzz::check_sizes(++seed);
    ASSERT_TRUE(checked.problem.empty()) << checked.problem;
    graphs += checked.open == 10;
  }
  EXPECT_LT(seed, 2 * wanted) << "few graphs have ten sets of sizes";
}

}  // namespace
}  // namespace brio
