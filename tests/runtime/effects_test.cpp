// When effects happen: once, in order, whoever reads what, under every pass; and what a failure leaves behind.
#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "brio/brio.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/symbolic.h"
#include "tests/place.h"

namespace brio {
namespace {

class Effects : public testing::Test {
 protected:
  void say(const std::vector<Printed>& parts) { print(parts, {.to = &out_}); }
  std::string said() {  // since the last time
    std::string text = out_.str();
    out_.str("");
    return text;
  }

 private:
  std::ostringstream out_;
};

const Tensor& one() {
  static const Tensor tensor({1.f});
  return tensor;
}

TEST_F(Effects, HappenWithTheNextRunAndOnce) {
  const Tensor x = one() + 1.f;
  say({"x", x});
  say({"again"});
  say({"again"});
  EXPECT_EQ(said(), "");
  const Tensor later = one() * 3.f;
  (void)later.array();
  EXPECT_EQ(said(), "x [2]\nagain\nagain\n");
  (void)(x + later).array();
  flush();
  EXPECT_EQ(said(), "");
}

TEST_F(Effects, HappenWhenAStepEnds) {
  Variable v(zeros({2}));
  nn::SGD sgd(0.1);
  GradientTape tape;
  const Tensor loss = sum(square(v.value() - 1.f));
  say({"loss", loss});
  sgd.apply_gradients(tape.gradient(loss, {v}), {v});
  EXPECT_EQ(said(), "loss 2\n");
}

TEST_F(Effects, HappenWhenTheRecordingIsFullAndWhenItsThreadEnds) {
  Tensor x = zeros({2});
  say({"full"});
  for (uint32_t i = 0; i <= recording_limits().nodes; ++i) x = x + 1.f;
  EXPECT_EQ(said(), "full\n");
  std::thread([&] {
    (void)(x * 2.f).array();
    say({"ended"});
  }).join();
  EXPECT_EQ(said(), "ended\n");
}

TEST_F(Effects, OfEagerCodeComeBeforeThoseOfAFunctionThatIsCalledLater) {
  auto f = function([&](const Tensor& x) {
    say({"inside", x});
    return x + 1.f;
  });
  say({"before"});
  const Tensor y = f(one());
  say({"after", y});
  f(y);
  flush();
  EXPECT_EQ(said(), "before\ninside [1]\nafter [2]\ninside [2]\n");
}

TEST_F(Effects, OfAFunctionHappenAtEachCall) {
  Variable v(zeros({}));
  auto step = function([&] {
    say({"v", v.value()});
    v.assign_add(ones({}));
    say({"v", v.value()});
  });
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(said(), "v 0\nv 1\nv 1\nv 2\nv 2\nv 3\n");
  auto outer = function([&] {
    step();
    say({"outer"});
  });
  outer();
  outer();
  EXPECT_EQ(said(), "v 3\nv 4\nouter\nv 4\nv 5\nouter\n");
}

TEST_F(Effects, OfABranchHappenWhenItIsTaken) {
  auto f = function([&](const Tensor& p, const Tensor& x) {
    const Tensor y = cond(
        p,
        [&] {
          say({"yes", x});
          return x * 2.f;
        },
        [&] { return x; });
    say({"then", y});
    return y;
  });
  f(Tensor(Literal(true), boolean), one());
  f(Tensor(Literal(false), boolean), one());
  EXPECT_EQ(said(), "yes [1]\nthen [2]\nthen [1]\n");
}

TEST_F(Effects, OfALoopHappenInEachRound) {
  say({"start"});
  const auto out = while_loop([](const auto& s) { return s[0] < 3.f; },
                              [&](const auto& s) {
                                say({"round", s[0]});
                                cond(
                                    s[0] > 0.f,
                                    [&] {
                                      say({"later"});
                                      return zeros({});
                                    },
                                    [] { return zeros({}); });
                                return std::vector<Tensor>{s[0] + 1.f};
                              },
                              {zeros({})});
  EXPECT_EQ(out[0].item<float>(), 3);
  EXPECT_EQ(said(), "start\nround 0\nround 1\nlater\nround 2\nlater\n");
  const ScanStep scanned = scan(
      [&](const auto& c, const auto& e) {
        say({e[0]});
        return ScanStep{{c[0] + e[0]}, {c[0]}};
      },
      {zeros({})}, {Tensor({1, 2, 3})});
  EXPECT_EQ(scanned.carried[0].item<float>(), 6);
  EXPECT_EQ(scanned.results[0].to_vector<float>(), (std::vector<float>{0, 1, 3}));
  EXPECT_EQ(said(), "1\n2\n3\n");
}

TEST_F(Effects, OfALoopsConditionHappenEachTimeItIsAsked) {
  const auto out = while_loop(
      [&](const auto& s) {
        say({"ask", s[0]});
        return s[0] < 2.f;
      },
      [&](const auto& s) { return std::vector<Tensor>{s[0] + 1.f}; }, {zeros({})});
  EXPECT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].item<float>(), 2);
  EXPECT_EQ(said(), "ask 0\nask 1\nask 2\n");
}

TEST_F(Effects, AreNotRepeatedByGradients) {
  const Tensor x({0.5f, 2.f});
  auto steps = [&](const Tensor& at, bool read_first) {
    GradientTape tape;
    tape.watch(at);
    say({"begin"});
    Tensor y = while_loop([](const auto& s) { return s[1] < 2.f; },
                          [&](const auto& s) {
                            say({"while"});
                            return std::vector<Tensor>{s[0] * at, s[1] + 1.f};
                          },
                          {at, zeros({})})[0];
    y = scan(
            [&](const auto& c, const auto&) {
              say({"scan"});
              return ScanStep{{c[0] * at}, {}};
            },
            {y}, {zeros({1})})
            .carried[0];
    y = cond(
        sum(y) > 0.f,
        [&] {
          say({"cond"});
          return y * at;
        },
        [&] { return y; });
    say({"end"});
    if (read_first) (void)y.array();
    return tape.gradient(sum(y), {at})[0];
  };
  for (const bool read_first : {false, true}) {  // y = x⁵
    EXPECT_EQ(steps(x, read_first).to_vector<float>(), (std::vector<float>{5 * 0.0625f, 80}));
    EXPECT_EQ(said(), "begin\nwhile\nwhile\nscan\ncond\nend\n") << read_first;
  }
  auto f = function([&](const Tensor& at) { return steps(at, false); });
  EXPECT_EQ(f(x).to_vector<float>(), (std::vector<float>{5 * 0.0625f, 80}));
  EXPECT_EQ(said(), "begin\nwhile\nwhile\nscan\ncond\nend\n");
}

TEST_F(Effects, AreTheSameWithEachPassOff) {
  const auto program = [&] {
    const Tensor x = exp(zeros({8})) * 2.f;
    say({"a", sum(x)});
    say({"b"});
    say({"b"});
    const Tensor y = host_call([&](const std::vector<Array>& in) { return std::vector{in[0]}; }, {x}, {x.aval()})[0];
    debugging::assert_positive(y);
    say({"c", sum(y + x)});
    flush();
    return said();
  };
  const std::string expected = "a 16\nb\nb\nc 32\n";
  EXPECT_EQ(program(), expected);
  for (const Pass& pass : pipeline()) {
    clear_plan_cache();
    set_pass_enabled(pass.name, false);
    EXPECT_EQ(program(), expected) << "without " << pass.name;
    set_pass_enabled(pass.name, true);
  }
  clear_plan_cache();
}

TEST_F(Effects, ReuseTheirPlan) {
  const HostFunction echo("echo", [](const std::vector<Array>& in) { return in; });
  const auto step = [&](int i) {
    say({"step", i});
    debugging::assert_positive(one(), "positive");
    (void)host_call(echo, {one()}, {one().aval()})[0].array();
  };
  step(0);
  const uint64_t before = plan_cache_stats().misses;
  step(1);
  step(2);
  EXPECT_EQ(plan_cache_stats().misses, before);
  EXPECT_EQ(said(), "step 0\nstep 1\nstep 2\n");
}

TEST_F(Effects, OfAPlanMadeFromASymbolicOneAreItsOwn) {
  clear_plan_cache();
  clear_symbolic_plans();
  for (int n = 5; n < 15; ++n) {
    const Tensor x = full({n}, 2);
    say({"text " + std::to_string(n), sum(x)});
    const Tensor y = host_call(
        [n](const std::vector<Array>& in) { return std::vector{(Tensor(in[0]) * static_cast<float>(n)).array()}; },
        {x}, {x.aval()})[0];
    EXPECT_EQ(sum(y + x).item<float>(), static_cast<float>(2 * n * (n + 1)));
    EXPECT_EQ(said(), cat("text ", n, " ", 2 * n, "\n"));
  }
  // A device of its own kernels plans every size by itself, but for what the host does for it.
  if (!current_device().has_own_kernels()) {
    EXPECT_GT(symbolic_stats().hits, 0u);
  }
}

TEST_F(Effects, KeepResultsOfHostCallsUnderATape) {
  int calls = 0;
  const Tensor x({3.f});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * host_call(
                           [&](const std::vector<Array>& in) {
                             ++calls;
                             return in;
                           },
                           {x}, {x.aval()})[0];
  EXPECT_EQ(y.item<float>(), 9);
  EXPECT_EQ(tape.gradient(y, {x})[0].item<float>(), 3);
  EXPECT_EQ(calls, 1);
}

TEST_F(Effects, AHostCallInADifferentiatedLoopMustBePure) {
  const auto gradient = [](bool stateful) {
    const Tensor x({3.f});
    GradientTape tape;
    tape.watch(x);
    const HostFunction echo("echo", [](const std::vector<Array>& in) { return in; });
    const Tensor y = scan(
                         [&](const auto& c, const auto& e) {
                           const Tensor k = host_call(echo, {e[0]}, {e[0].aval()}, {.stateful = stateful})[0];
                           return ScanStep{{c[0] * k}, {}};
                         },
                         {x}, {Tensor({{2.f}, {5.f}})})
                         .carried[0];
    return tape.gradient(y, {x})[0].item<float>();
  };
  EXPECT_EQ(gradient(false), 10);
  try {
    gradient(true);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("stateful = false"), std::string::npos) << error.what();
  }
}

// ---- failures

TEST(EffectFailure, LeavesEveryVariableAsItWasEagerly) {
  Variable a(zeros({1000})), b(ones({1000}));
  const void *at_a = test::place(a.value()), *at_b = test::place(b.value());
  const auto step = [&](float limit) {
    a.assign_add(ones({1000}));
    debugging::assert_less(b.value(), full({1000}, limit), "b left its range");
    b.assign(b.value() * 2.f);
    debugging::assert_less(b.value(), full({1000}, limit), "b left its range");
    flush();
  };
  step(5);
  EXPECT_EQ(a.value().to_vector<float>()[999], 1);
  EXPECT_EQ(test::place(a.value()), at_a);  // checked first, then written in place
  EXPECT_NE(test::place(b.value()), at_b);  // what the check needs is not
  try {
    step(4);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("[assert_less] x < y does not hold: b left its range"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(a.value().to_vector<float>(), std::vector<float>(1000, 1));
  EXPECT_EQ(b.value().to_vector<float>(), std::vector<float>(1000, 2));
  step(5);
  EXPECT_EQ(b.value().to_vector<float>(), std::vector<float>(1000, 4));
}

TEST(EffectFailure, LeavesEveryVariableAsItWasInAFunction) {
  Variable a(zeros({1000})), b(ones({1000}));
  const void* at_a = test::place(a.value());
  auto step = function([&](const Tensor& limit) {
    a.assign_add(ones({1000}));
    b.assign(b.value() * 2.f);
    debugging::assert_less(b.value(), limit, "b left its range");
  });
  step(Tensor(Literal(5)));
  EXPECT_EQ(test::place(a.value()), at_a);
  EXPECT_THROW(step(Tensor(Literal(4))), InvalidArgument);
  EXPECT_EQ(a.value().to_vector<float>(), std::vector<float>(1000, 1));
  EXPECT_EQ(b.value().to_vector<float>(), std::vector<float>(1000, 2));
  EXPECT_EQ(test::place(a.value()), at_a);
  step(Tensor(Literal(5)));
  EXPECT_EQ(a.value().to_vector<float>(), std::vector<float>(1000, 2));
}

TEST(EffectFailure, OfALateRoundChangesNoVariable) {
  Variable v(zeros({3, 2}));
  auto step = function([&](const Tensor& limit) {
    const ScanStep out = scan(
        [&](const auto& c, const auto& e) {
          debugging::assert_less(c[0], limit);
          return ScanStep{{c[0] + 1.f}, {e[0] + c[0]}};
        },
        {zeros({})}, {ones({3, 2})});
    v.assign(out.results[0]);
  });
  EXPECT_THROW(step(Tensor(Literal(2))), InvalidArgument);
  EXPECT_EQ(v.value().to_vector<float>(), std::vector<float>(6, 0));
  step(Tensor(Literal(3)));
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{1, 1, 2, 2, 3, 3}));
}

TEST(EffectFailure, AtTheEndOfAThreadIsReported) {
  testing::internal::CaptureStderr();
  std::thread([] { debugging::assert_positive(zeros({1}), "too late"); }).join();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("[assert_positive] x > 0 does not hold: too late"),
            std::string::npos);
}

TEST(EffectFailure, IsForgottenAfterwards) {
  debugging::assert_positive(zeros({1}));
  EXPECT_THROW(flush(), InvalidArgument);
  EXPECT_EQ((one() + 1.f).item<float>(), 2);
  EXPECT_NO_THROW(flush());
}

}  // namespace
}  // namespace brio
