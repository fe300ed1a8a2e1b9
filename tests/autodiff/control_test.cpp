// Branches and loops: values, gradients against finite differences in float64, nesting, variables inside bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "brio/brio.h"
#include "brio/ir/trace.h"

namespace brio {
namespace {

Tensor scalar64(double x) { return Tensor(Literal(x), f64); }

// Compares the tape's gradient of f at x with central differences.
void check_gradient(const std::function<Tensor(const Tensor&)>& f, const std::vector<double>& at,
                    double tolerance = 1e-7) {
  const Shape shape{static_cast<int64_t>(at.size())};
  const Tensor x = Tensor::from(at, shape);
  GradientTape tape;
  tape.watch(x);
  const std::vector<double> gradient = tape.gradient(f(x), {x})[0].to_vector<double>();
  for (size_t i = 0; i < at.size(); ++i) {
    std::vector<double> low = at, high = at;
    low[i] -= 1e-6;
    high[i] += 1e-6;
    const double difference =
        (f(Tensor::from(high, shape)).item<double>() - f(Tensor::from(low, shape)).item<double>()) / 2e-6;
    EXPECT_NEAR(gradient[i], difference, tolerance * std::max(1.0, std::abs(difference))) << "element " << i;
  }
}

TEST(Cond, TakesTheBranchOfThePredicate) {
  for (const bool yes : {true, false}) {
    const Tensor p(Literal(yes), boolean);
    const Tensor x({1, 2});
    const Tensor r = cond(
        p, [&] { return x * 2.f; }, [&] { return x - 5.f; });
    EXPECT_EQ(r.to_vector<float>(), (yes ? std::vector<float>{2, 4} : std::vector<float>{-4, -3}));
  }
}

TEST(Cond, HasTheGradientOfItsBranch) {
  for (const double a : {-1.0, 2.0})
    check_gradient(
        [&](const Tensor& x) {
          return cond(
              greater(scalar64(a), scalar64(0)), [&] { return sum(square(x)); }, [&] { return sum(exp(x)); });
        },
        {0.3, -0.7, 1.1});
}

TEST(Cond, RefusesBranchesThatDiffer) {
  const Tensor p(Literal(true), boolean);
  try {
    cond(
        p, [&] { return zeros({2}); }, [&] { return zeros({3}); });
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("[cond]"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("(3,)"), std::string::npos) << error.what();
  }
}

TEST(While, RepeatsWhileTheConditionHolds) {
  const auto out = while_loop([](const auto& s) { return s[0] < 100.f; },
                              [](const auto& s) {
                                return std::vector<Tensor>{s[0] * 2.f, s[1] + 1.f};
                              },
                              {Tensor(Literal(3)), Tensor(Literal(0))});
  EXPECT_EQ(out[0].item<float>(), 192);
  EXPECT_EQ(out[1].item<float>(), 6);
}

TEST(While, StopsAtTheMostIterations) {
  const auto out = while_loop([](const auto& s) { return s[0] < 100.f; },
                              [](const auto& s) { return std::vector<Tensor>{s[0] * 2.f}; }, {Tensor(Literal(3))},
                              {.max_iterations = 2});
  EXPECT_EQ(out[0].item<float>(), 12);
}

TEST(While, GradientReachesCarriedAndCapturedTensors) {
  check_gradient(
      [](const Tensor& x) {
        const Tensor w = slice(x, {{0, 1}});
        const auto out = while_loop([](const auto& s) { return s[1] < 5.0; },
                                    [&](const auto& s) {
                                      return std::vector<Tensor>{sin(s[0] * w) + x * 0.1, s[1] + 1.0};
                                    },
                                    {x, scalar64(0)});
        return sum(square(out[0]));
      },
      {0.4, -0.8, 1.3});
}

TEST(While, GradientOfNoRoundIsTheCotangent) {
  check_gradient(
      [](const Tensor& x) {
        const auto out = while_loop([](const auto& s) { return greater(sum(square(s[0])), scalar64(1e9)); },
                                    [&](const auto& s) { return std::vector<Tensor>{s[0] * s[0]}; }, {x});
        return sum(out[0] * x);
      },
      {0.4, -0.8});
}

Tensor gradient_of(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(f(x), {x})[0];
}

// Carried and captured tensors, an integer that is carried, and a captured bound.
Tensor looped(const Tensor& x, int64_t rounds) {
  const Tensor w = slice(x, {{0, 1}}), bound = constant(rounds, i32);
  const auto out = while_loop([&](const auto& s) { return less(s[1], bound); },
                              [&](const auto& s) {
                                return std::vector<Tensor>{sin(s[0] * w) + x * 0.1, s[1] + constant(1, i32)};
                              },
                              {x, constant(0, i32)});
  return sum(out[0] * out[0] * x);
}

TEST(While, HasSecondDerivatives) {
  for (const int64_t rounds : {0, 1, 4})
    check_gradient(
        [&](const Tensor& x) {
          return sum(square(gradient_of([&](const Tensor& at) { return looped(at, rounds); }, x)));
        },
        {0.4, -0.8, 1.3}, 1e-6);
}

TEST(While, HasThirdDerivatives) {
  check_gradient(
      [](const Tensor& x) {
        const auto slope = [](const Tensor& at) {
          return sum(square(gradient_of([](const Tensor& b) { return looped(b, 3); }, at)));
        };
        return sum(sin(gradient_of(slope, x)));
      },
      {0.4, -0.8, 0.7}, 1e-5);
}

TEST(While, SecondDerivativesStopAtTheMostIterationsAndWorkInFunctions) {
  const auto f = [](const Tensor& x) {
    return while_loop([](const auto& s) { return s[0] < 1e9; },
                      [](const auto& s) { return std::vector<Tensor>{s[0] * s[0]}; }, {x}, {.max_iterations = 2})[0];
  };
  auto second =
      function([&](const Tensor& x) { return gradient_of([&](const Tensor& at) { return gradient_of(f, at); }, x); });
  EXPECT_DOUBLE_EQ(second(scalar64(1.5)).item<double>(), 12 * 1.5 * 1.5);  // of x⁴
}

TEST(Scan, CarriesAndStacks) {
  const Tensor x({1, 2, 3, 4});
  const ScanStep out = scan(
      [](const auto& c, const auto& e) {
        const Tensor total = c[0] + e[0];
        return ScanStep{{total}, {total * 10.f}};
      },
      {Tensor(Literal(0))}, {x});
  EXPECT_EQ(out.carried[0].item<float>(), 10);
  EXPECT_EQ(out.results[0].to_vector<float>(), (std::vector<float>{10, 30, 60, 100}));
}

TEST(Scan, WalksBackwards) {
  const ScanStep out = scan(
      [](const auto& c, const auto& e) {
        return ScanStep{{c[0] + e[0]}, {c[0]}};
      },
      {Tensor(Literal(0))}, {Tensor({1, 2, 3})}, {.reverse = true});
  EXPECT_EQ(out.results[0].to_vector<float>(), (std::vector<float>{5, 3, 0}));
}

TEST(Scan, OverNothingReturnsWhatItWasGiven) {
  const ScanStep out = scan(
      [](const auto& c, const auto& e) {
        return ScanStep{{c[0] + sum(e[0])}, {c[0]}};
      },
      {Tensor(Literal(7))}, {zeros({0, 3})});
  EXPECT_EQ(out.carried[0].item<float>(), 7);
  EXPECT_EQ(out.results[0].shape(), Shape({0}));
}

TEST(Scan, GradientReachesCarriedElementsAndCaptured) {
  check_gradient(
      [](const Tensor& x) {
        const Tensor w = slice(x, {{0, 2}}), elements = reshape(slice(x, {{2, 8}}), {3, 2});
        const ScanStep out = scan(
            [&](const auto& c, const auto& e) {
              const Tensor h = tanh(c[0] * w + e[0]);
              return ScanStep{{h}, {h * e[0]}};
            },
            {w}, {elements});
        return sum(square(out.results[0])) + sum(out.carried[0]);
      },
      {0.4, -0.8, 1.3, 0.2, -0.5, 0.9, 0.1, -1.1});
}

TEST(Scan, HasSecondDerivatives) {
  check_gradient(
      [](const Tensor& x) {
        GradientTape inner;
        inner.watch(x);
        const ScanStep out = scan(
            [&](const auto& c, const auto& e) {
              return ScanStep{{sin(c[0] * e[0])}, {}};
            },
            {slice(x, {{0, 1}})}, {reshape(x, {3, 1})});
        return sum(square(inner.gradient(sum(out.carried[0]), {x})[0]));
      },
      {0.4, -0.8, 1.3}, 1e-6);
}

// A recurrent cell: products with captured weights on either side, one of them used twice.
Tensor two_products(const Tensor& x, bool reverse) {
  const Tensor w = reshape(slice(x, {{0, 4}}), {2, 2}), v = reshape(slice(x, {{4, 8}}), {2, 2});
  const Tensor elements = reshape(slice(x, {{8, 14}}), {3, 1, 2});
  const ScanStep out = scan(
      [&](const auto& c, const auto& e) {
        const Tensor z = matmul(c[0], w);
        const Tensor h = tanh(z + e[0]) + z * scalar64(0.5);
        return ScanStep{{h}, {matmul(v, transpose(h)), square(z)}};
      },
      {slice(reshape(x, {7, 2}), {{6, 7}})}, {elements}, {.reverse = reverse});
  return sum(square(out.results[0])) + sum(out.results[1]) + sum(out.carried[0]);
}
const std::vector<double> kFourteen = {0.4, -0.8, 1.3, 0.2, -0.5, 0.9, 0.1, -1.1, 0.3, 0.7, -0.6, 0.2, 0.8, -0.4};

TEST(Scan, GradientsOfProductsWithWhatIsCaptured) {
  for (const bool reverse : {false, true})
    check_gradient([&](const Tensor& x) { return two_products(x, reverse); }, kFourteen, 1e-6);
}

TEST(Scan, LargeFactorsAreSummedStepByStep) {  // they are wider than all that a step takes and gives
  check_gradient(
      [](const Tensor& x) {
        const Tensor w = reshape(slice(x, {{0, 6}}), {6, 1}), spread = ones({1, 6}, f64);
        const ScanStep out = scan(
            [&](const auto& c, const auto& e) {
              return ScanStep{{c[0] + matmul(sin(e[0] * spread), w)}, {}};
            },
            {zeros({1, 1}, f64)}, {reshape(slice(x, {{6, 8}}), {2, 1, 1})});
        return sum(square(out.carried[0]));
      },
      {0.4, -0.8, 1.3, 0.2, -0.5, 0.9, 0.1, -1.1}, 1e-6);
}

TEST(Scan, OverNothingHasAGradientOfNothing) {
  const Tensor w = ones({2, 2});
  GradientTape tape;
  tape.watch(w);
  const ScanStep out = scan(
      [&](const auto& c, const auto& e) {
        return ScanStep{{tanh(matmul(c[0], w) + e[0])}, {}};
      },
      {ones({1, 2})}, {zeros({0, 1, 2})});
  EXPECT_EQ(tape.gradient(sum(out.carried[0]), {w})[0].to_vector<float>(), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Scan, ProductsHaveSecondDerivatives) {
  check_gradient(
      [](const Tensor& x) {
        GradientTape inner;
        inner.watch(x);
        return sum(square(inner.gradient(two_products(x, false), {x})[0]));
      },
      kFourteen, 1e-6);
}

TEST(Scan, ProductsAreNeitherRepeatedNorSummedStepByStep) {
  const std::vector<Aval> parameters = {{Shape{5, 3, 4}, f32}, {Shape{4, 4}, f32}};
  const auto traced = trace_body(parameters, [](const std::vector<Tensor>& p) {
    GradientTape tape;
    tape.watch(p[1]);
    const ScanStep out = scan(
        [&](const auto& c, const auto& e) {
          const Tensor h = tanh(matmul(c[0], p[1]) + e[0]);
          return ScanStep{{h}, {}};
        },
        {zeros({3, 4})}, {p[0]});
    return std::vector{tape.gradient(sum(out.carried[0]), {p[1]})[0]};
  });
  const auto plan = Plan::make(*traced.graph, registry().host());
  std::vector<const Node*> scans;
  size_t products = 0;
  for (const Node& node : plan->graph().nodes) {
    if (node.op == &op::scan) scans.push_back(&node);
    products += node.op == &op::matmul;
  }
  ASSERT_EQ(scans.size(), 2u);
  EXPECT_EQ(products, 1u);                                        // the sum over the steps, after the loop
  EXPECT_EQ(scans[0]->graphs[0]->outputs.size(), 2u);             // h, and the product
  EXPECT_EQ(ScanLayout::of(Attrs(scans[1]->attrs)).carried, 1u);  // the cotangent of h alone
  const auto back = Plan::make(*scans[1]->graphs[0], registry().host());
  size_t inside = 0;
  for (const Node& node : back->graph().nodes) inside += node.op == &op::matmul;
  EXPECT_EQ(inside, 1u);  // into that cotangent
}

TEST(Slices, GradientsOfNeighboursAreJoined) {
  const Tensor factors = Tensor::from(std::vector<double>{2, 3, 5, 7, 11, 13, 17, 19}, {8});
  auto weighted = [&](const Tensor& part, int64_t at) {
    return sum(square(part) * slice(factors, {{at, at + part.size()}}));
  };
  const std::vector<double> at = {0.4, -0.8, 1.3, 0.2, -0.5, 0.9, 0.1, -1.1};
  using Ranges = std::vector<std::pair<int64_t, int64_t>>;
  for (const Ranges& ranges : {Ranges{{0, 2}, {2, 5}, {5, 8}}, Ranges{{5, 8}, {0, 2}, {2, 5}}, Ranges{{0, 2}, {5, 8}},
                               Ranges{{0, 5}, {3, 8}}, Ranges{{2, 4}, {4, 6}}, Ranges{{0, 8}, {0, 3}}})
    check_gradient(
        [&](const Tensor& x) {
          Tensor total = scalar64(0);
          for (const auto& [low, high] : ranges) total = total + weighted(slice(x, {{low, high}}), low);
          return total;
        },
        at, 1e-6);
  check_gradient(  // strips along different axes
      [](const Tensor& x) {
        const Tensor m = reshape(x, {2, 4});
        return sum(square(slice(m, {{0, 1}}))) + sum(sin(slice(m, {{}, {1, 3}}))) + sum(slice(m, {{1, 2}, {3, 4}}));
      },
      at, 1e-6);
  // Parts of a whole leave neither padding nor additions.
  const std::vector<Aval> parameters = {{Shape{2, 6}, f32}};
  const auto traced = trace_body(parameters, [](const std::vector<Tensor>& p) {
    GradientTape tape;
    tape.watch(p[0]);
    auto part = [&](int64_t i) { return slice(p[0], {{}, {2 * i, 2 * i + 2}}); };
    return std::vector{tape.gradient(sum(square(part(0)) + sin(part(1)) * exp(part(2))), {p[0]})[0]};
  });
  const auto plan = Plan::make(*traced.graph, registry().host());
  for (const Node& node : plan->graph().nodes)
    EXPECT_TRUE(node.op != &op::pad && node.op != &op::add) << node.op->name;
}

TEST(Slices, GradientsOfManyAreJoinedOnce) {  // two by two, the first would be copied as often as there are others
  constexpr int64_t kRows = 400;
  const Tensor x = cast(reshape(range(2 * kRows), {kRows, 2}), f32);
  for (const bool backwards : {false, true}) {
    GradientTape tape;
    tape.watch(x);
    Tensor total = constant(0, f32);
    for (int64_t k = 0; k < kRows; ++k) {
      const int64_t row = backwards ? kRows - 1 - k : k;
      total = total + sum(square(slice(x, {{row, row + 1}})));
    }
    const size_t before = current_recording().inputs.size();
    const Tensor gradient = tape.gradient(total, {x})[0];
    EXPECT_LT(current_recording().inputs.size() - before, 20u * kRows);
    EXPECT_EQ(gradient.to_vector<float>(), (x * 2.0f).to_vector<float>());
  }
}

TEST(Scan, IsRunOnceWhenDifferentiated) {
  // The forward scan and the one that the gradient records are merged: cond, grads and all, two scans remain.
  Variable w(Tensor({0.5f, 0.25f}));
  const Tensor xs({{1, 2}, {3, 4}});
  auto step = function([&] {
    GradientTape tape;
    const ScanStep out = scan(
        [&](const auto& c, const auto& e) {
          return ScanStep{{c[0] * w + e[0]}, {}};
        },
        {zeros({2})}, {xs});
    const Tensor loss = sum(out.carried[0]);
    return std::vector<Tensor>{loss, tape.gradient(loss, {w})[0]};
  });
  const auto out = step();
  EXPECT_FLOAT_EQ(out[0].item<float>(), 3 + 0.5f + 4 + 0.5f);
  EXPECT_EQ(out[1].to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(While, VariablesInsideBodiesAreFollowed) {
  Variable w(Tensor({2.f}));
  GradientTape tape;
  const auto out = while_loop([](const auto& s) { return s[1] < 3.f; },
                              [&](const auto& s) {
                                return std::vector<Tensor>{s[0] * w, s[1] + 1.f};
                              },
                              {Tensor({1.f}), Tensor(Literal(0))});
  const Tensor gradient = tape.gradient(sum(out[0]), {w})[0];
  EXPECT_EQ(gradient.to_vector<float>(), std::vector<float>{12});  // d w³ = 3w²
}

TEST(While, RunsInsideAFunctionAndInsideAnotherLoop) {
  auto f = function([](const Tensor& n) {
    return while_loop([&](const auto& s) { return less(s[0], n); },
                      [](const auto& s) {
                        const auto inner = while_loop([](const auto& t) { return t[0] < 2.f; },
                                                      [&](const auto& t) {
                                                        return std::vector<Tensor>{t[0] + 1.f, t[1] + s[0]};
                                                      },
                                                      {zeros({}), s[1]});
                        return std::vector<Tensor>{s[0] + 1.f, inner[1]};
                      },
                      {zeros({}), zeros({})})[1];
  });
  EXPECT_EQ(f(Tensor(Literal(3))).item<float>(), 2 * (0 + 1 + 2));
  EXPECT_EQ(f(Tensor(Literal(4))).item<float>(), 2 * (0 + 1 + 2 + 3));
  EXPECT_EQ(f.traces(), 1u);
}

TEST(While, ABodyThatReturnsTooFewIsRefused) {
  EXPECT_THROW(while_loop([](const auto& s) { return s[0] < 3.f; },
                          [&](const auto& s) {
                            print("round", s[0]);
                            return std::vector<Tensor>{random::uniform({})};
                          },
                          {zeros({}), zeros({})}),
               InvalidArgument);
}

TEST(While, AssignedVariablesAreCarriedThroughTheGradient) {
  Variable v(ones({}));
  const Tensor x = constant(2, f32);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = while_loop([](const auto& s) { return s[0] < 3.f; },
                              [&](const auto& s) {
                                v.assign(v.value() * x);
                                return std::vector<Tensor>{s[0] + 1.f, v.value()};
                              },
                              {zeros({}), zeros({})})[1];
  EXPECT_EQ(y.item<float>(), 8);
  EXPECT_EQ(v.value().item<float>(), 8);
  EXPECT_EQ(tape.gradient(y, {x})[0].item<float>(), 12);
}

// ---- random numbers in loops

Tensor two_draws_a_step(int64_t steps) {
  return scan(
             [](const auto& c, const auto&) {
               return ScanStep{c, {random::uniform({2}) + random::uniform({2})}};
             },
             {zeros({})}, {zeros({steps})})
      .results[0];
}
std::vector<float> draws_of_scan(int64_t steps) { return two_draws_a_step(steps).to_vector<float>(); }

void expect_all_differ(std::vector<float> values) {
  std::ranges::sort(values);
  EXPECT_EQ(std::ranges::adjacent_find(values), values.end());
}

TEST(LoopDraws, AreNewInEveryRoundAndTheSameForASeed) {
  random::set_seed(3);
  const auto first = draws_of_scan(20);
  expect_all_differ(first);
  auto both = first;
  const auto second = draws_of_scan(20);
  both.insert(both.end(), second.begin(), second.end());
  expect_all_differ(both);
  random::set_seed(3);
  EXPECT_EQ(draws_of_scan(20), first);
  random::set_seed(3);
  const auto longer = draws_of_scan(30);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), longer.begin()));
  random::set_seed(3);
  EXPECT_EQ(function([] { return two_draws_a_step(20); })().to_vector<float>(), first);
}

TEST(LoopDraws, AreNewAtEachCallOfAFunctionAndNeedNoNewPlan) {
  auto f = function([] {
    return scan(
               [](const auto& c, const auto&) {
                 return ScanStep{c, {random::normal({3})}};
               },
               {zeros({})}, {zeros({4})})
        .results[0];
  });
  random::set_seed(5);
  auto all = f().to_vector<float>();
  const auto second = f().to_vector<float>();
  random::set_seed(5);
  EXPECT_EQ(f().to_vector<float>(), all);
  all.insert(all.end(), second.begin(), second.end());
  expect_all_differ(all);
  draws_of_scan(7);
  const uint64_t before = plan_cache_stats().misses;
  draws_of_scan(7);
  EXPECT_EQ(plan_cache_stats().misses, before);
}

TEST(LoopDraws, OfNestedLoopsBranchesAndConditionsDiffer) {
  const auto run = [] {
    random::set_seed(9);
    // Fills a vector, two elements a round: one from an inner loop, one from a branch. The condition draws too.
    const auto out = while_loop(
        [](const auto& s) { return logical_and(s[0] < 6.f, random::uniform({}) < 2.f); },
        [](const auto& s) {
          const Tensor inner = while_loop([](const auto& t) { return t[0] < 3.f; },
                                          [](const auto& t) {
                                            return std::vector<Tensor>{t[0] + 1.f, t[1] + random::uniform({1})};
                                          },
                                          {zeros({}), zeros({1})})[1];
          const Tensor branch = cond(
              less(random::uniform({}), constant(0.5, f32)), [] { return random::uniform({1}); },
              [] { return random::uniform({1}) + 1.f; });
          return std::vector<Tensor>{s[0] + 1.f, concat({slice(s[1], {{2}}), inner, branch}, 0)};
        },
        {zeros({}), zeros({12})});
    EXPECT_EQ(out.size(), 2u);
    return out[1].template to_vector<float>();
  };
  const auto values = run();
  expect_all_differ(values);
  const int threads = thread_count();
  for (int n : {1, 2, 7}) {
    set_thread_count(n);
    EXPECT_EQ(run(), values);
  }
  set_thread_count(threads);
}

TEST(LoopDraws, AreSeenAgainByTheGradient) {
  const Tensor w({0.5f, 2.f});
  for (const bool scanned : {false, true}) {
    GradientTape tape;
    tape.watch(w);
    const Tensor total = scanned
                             ? scan(
                                   [&](const auto& c, const auto&) {
                                     return ScanStep{{c[0] + w * random::uniform({2})}, {}};
                                   },
                                   {zeros({2})}, {zeros({5})})
                                   .carried[0]
                             : while_loop([](const auto& s) { return s[1] < 5.f; },
                                          [&](const auto& s) {
                                            return std::vector<Tensor>{s[0] + w * random::uniform({2}), s[1] + 1.f};
                                          },
                                          {zeros({2}), zeros({})})[0];
    // d total / d w is the sum of the numbers, which is total / w.
    const auto gradient = tape.gradient(sum(total), {w})[0].to_vector<float>(),
               value = (total / w).to_vector<float>();
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(gradient[i], value[i], 1e-5) << scanned;
  }
}

TEST(LoopDraws, AreSeenAgainByTheSecondDerivative) {
  Tensor value;
  const auto product = [&](const Tensor& w) {
    value = while_loop([](const auto& s) { return s[1] < 4.0; },
                       [&](const auto& s) {
                         const Tensor u = random::uniform({}, {.low = 1, .high = 2, .dtype = f64});
                         return std::vector<Tensor>{s[0] * w * u, s[1] + 1.0};
                       },
                       {scalar64(1), scalar64(0)})[0];
    return value;
  };
  const Tensor second =
      gradient_of([&](const Tensor& at) { return gradient_of(product, at); }, scalar64(1.5));  // of c w⁴
  EXPECT_NEAR(second.item<double>(), 12 * value.item<double>() / (1.5 * 1.5), 1e-9);
}

TEST(LoopDraws, WithASeedAreTheSameInEveryRound) {
  const auto values = scan(
                          [](const auto& c, const auto&) {
                            return ScanStep{c, {random::uniform({}, {.seed = 4})}};
                          },
                          {zeros({})}, {zeros({3})})
                          .results[0]
                          .to_vector<float>();
  EXPECT_EQ(values, std::vector<float>(3, random::uniform({}, {.seed = 4}).item<float>()));
}

}  // namespace
}  // namespace brio
