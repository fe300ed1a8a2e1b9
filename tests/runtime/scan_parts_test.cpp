// A scan whose threads walk along the sequence with rows of their own: the same bits as rows walked alone, for any
// number of threads; and loops that are not made of rows.
#include <gtest/gtest.h>

#include <cstring>

#include "brio/brio.h"
#include "brio/ir/trace.h"
#include "brio/runtime/plan.h"

namespace brio {
namespace {

using Tensors = std::vector<Tensor>;

constexpr int64_t kTime = 7, kUnits = 24;

struct Threads {
  explicit Threads(int n) : before(thread_count()) { set_thread_count(n); }
  ~Threads() { set_thread_count(before); }
  Threads(const Threads&) = delete;
  int before;
};

ScanStep step(const Tensors& carried, const Tensors& one, const Tensor& weights) {
  const Tensor h = tanh(one[0] + matmul(carried[0], weights));
  const Tensor c = sigmoid(h) * carried[1] + 0.5f * h;
  return {{h * c, c}, {h + c}};
}

// All that a walk gives, and its gradients: with more rows than one part has they are shared out.
Tensors walk(const Tensor& x, const Tensor& h, const Tensor& c, const Tensor& weights, bool reverse) {
  GradientTape tape;
  for (const Tensor& t : {x, h, c, weights}) tape.watch(t);
  const ScanStep out = scan([&](const Tensors& carried, const Tensors& one) { return step(carried, one, weights); },
                            {h, c}, {x}, {.reverse = reverse});
  const Tensor loss = sum(square(out.results[0])) + sum(out.carried[0] * out.carried[1]);
  Tensors all{out.results[0], out.carried[0], out.carried[1]};
  for (const Tensor& gradient : tape.gradient(loss, {x, h, c, weights})) all.push_back(gradient);
  return all;
}

struct Sequences {
  explicit Sequences(int64_t rows)
      : x(random::normal({kTime, rows, kUnits}, {.seed = 1})),
        h(random::normal({rows, kUnits}, {.seed = 2})),
        c(random::normal({rows, kUnits}, {.seed = 3})),
        weights(random::normal({kUnits, kUnits}, {.seed = 4}) * 0.2f) {}
  Tensor x, h, c, weights;
};

void expect_same_bits(const Tensor& a, const Tensor& b, const char* what) {
  const Array left = a.array(), right = b.array();
  ASSERT_EQ(left.aval.shape, right.aval.shape) << what;
  EXPECT_EQ(std::memcmp(left.data(), right.data(), left.aval.bytes()), 0) << what;
}

// 16 rows are one part; 31 cannot be cut; 48 are three parts, 256 are eight of 32.
TEST(ScanParts, RowsGetTheBitsThatTheyGetAlone) {
  for (const bool reverse : {false, true}) {
    for (const int64_t rows : {32, 48, 256}) {
      const int64_t part = rows == 256 ? 32 : 16;
      const Sequences s(rows);
      const Tensors whole = walk(s.x, s.h, s.c, s.weights, reverse);
      for (int64_t begin = 0; begin < rows; begin += part) {
        const Range some{begin, begin + part};
        const Tensors alone =
            walk(slice(s.x, {{}, some}), slice(s.h, {some}), slice(s.c, {some}), s.weights, reverse);
        expect_same_bits(slice(whole[0], {{}, some}), alone[0], "results");
        for (const size_t i : {1, 2, 4, 5})
          expect_same_bits(slice(whole[i], {some}), alone[i], "carried, or gradient");
        expect_same_bits(slice(whole[3], {{}, some}), alone[3], "gradient of the elements");
      }
    }
  }
}

TEST(ScanParts, AnyNumberOfThreadsGivesTheSameBits) {
  for (const int64_t rows : {31, 48, 128}) {
    const Sequences s(rows);
    Tensors one;
    {
      const Threads threads(1);
      one = walk(s.x, s.h, s.c, s.weights, false);
      for (const Tensor& t : one) (void)t.array();
    }
    for (const int n : {2, 3, 7}) {
      const Threads threads(n);
      const Tensors many = walk(s.x, s.h, s.c, s.weights, false);
      for (size_t i = 0; i < one.size(); ++i) expect_same_bits(many[i], one[i], "threads");
    }
  }
}

// What a plan says of the one scan in it.
std::string choice(int64_t rows, int64_t units, bool looks_around = false) {
  const std::vector<Aval> avals{
      {Shape{kTime, rows, units}, f32}, {Shape{rows, units}, f32}, {Shape{units, units}, f32}};
  const auto traced = trace_body(avals, [&](const Tensors& in) {
    return scan(
               [&](const Tensors& carried, const Tensors& one) {
                 Tensor h = tanh(one[0] + matmul(carried[0], in[2]));
                 if (looks_around) h = h - mean(h, 0);
                 return ScanStep{{h}, {}};
               },
               {in[1]}, {in[0]})
        .carried;
  });
  return Plan::make(*traced.graph, registry().host())->explain_kernels();
}

TEST(ScanParts, AreTakenWhereRowsAreEnoughAndWhatTheyShareIsSmall) {
  EXPECT_NE(choice(32, 64).find("rows in 2 parts"), std::string::npos) << choice(32, 64);
  EXPECT_NE(choice(256, 64).find("rows in 8 parts"), std::string::npos);
  EXPECT_EQ(choice(31, 64).find("parts"), std::string::npos);  // no two parts are alike
  EXPECT_EQ(choice(16, 64).find("parts"), std::string::npos);  // too few rows
  EXPECT_EQ(choice(32, 8).find("parts"), std::string::npos);   // too little work
  EXPECT_NE(choice(32, 512).find("rows in 2 parts"), std::string::npos);
  EXPECT_EQ(choice(32, 513).find("parts"), std::string::npos);       // weights of more than 1 MiB
  EXPECT_EQ(choice(32, 64, true).find("parts"), std::string::npos);  // a row reads the others
}

TEST(ScanParts, NoStepsLeaveWhatWasCarried) {
  const Sequences s(32);
  const Tensors none = walk(slice(s.x, {{0, 0}}), s.h, s.c, s.weights, false);
  expect_same_bits(none[1], s.h, "carried");
  expect_same_bits(none[2], s.c, "carried");
}

}  // namespace
}  // namespace brio
