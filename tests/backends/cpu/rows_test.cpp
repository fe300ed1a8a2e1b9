// Softmax and its cross-entropy against the definitions in a wider type.
#include "brio/backends/cpu/kernels/softmax_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "brio/base/thread_pool.h"
#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

template <typename T>
std::vector<T> random_logits(int64_t n, uint32_t seed, double scale = 5) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> x(static_cast<size_t>(n));
  for (T& v : x) v = static_cast<T>(normal(generator) * scale);
  return x;
}

struct Exact {
  std::vector<double> p, log_p;
};
template <typename T>
Exact exact_row(const T* x, int64_t n) {
  using Wide = long double;
  Wide top = -std::numeric_limits<Wide>::infinity(), sum = 0;
  for (int64_t i = 0; i < n; ++i) top = std::max(top, Wide{x[i]});
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - top);
  Exact exact;
  for (int64_t i = 0; i < n; ++i) {
    exact.log_p.push_back(static_cast<double>(x[i] - top - std::log(sum)));
    exact.p.push_back(static_cast<double>(std::exp(x[i] - top) / sum));
  }
  return exact;
}

const int64_t kClasses[] = {1, 2, 3, 10, 15, 16, 17, 64, 100, 255, 257, 1000, 4100};

template <typename T>
void check_softmax() {
  const double unit = std::numeric_limits<T>::epsilon();
  for (int64_t classes : kClasses)
    for (int64_t rows : {1, 3}) {
      const auto x = random_logits<T>(rows * classes, 1);
      std::vector<T> p(x.size()), log_p(x.size()), in_place = x;
      softmax_rows(dtype_of<T>, x.data(), p.data(), rows, classes);
      log_softmax_rows(dtype_of<T>, x.data(), log_p.data(), rows, classes);
      softmax_rows(dtype_of<T>, in_place.data(), in_place.data(), rows, classes);
      EXPECT_EQ(in_place, p);
      for (int64_t r = 0; r < rows; ++r) {
        const Exact exact = exact_row(x.data() + r * classes, classes);
        for (int64_t c = 0; c < classes; ++c) {
          const size_t at = static_cast<size_t>(r * classes + c), k = static_cast<size_t>(c);
          // x - max is rounded, which the exponential turns into a relative error of its size.
          const double size = 4 + std::fabs(exact.log_p[k]);
          EXPECT_NEAR(p[at], exact.p[k], unit * size * exact.p[k] + 1e-38) << classes;
          EXPECT_NEAR(log_p[at], exact.log_p[k], unit * size) << classes;
        }
      }
    }
}

TEST(Rows, Softmax) {
  on_every_isa([] { check_softmax<float>(), check_softmax<double>(); });
}

TEST(Rows, LargeLogitsDoNotOverflow) {
  const std::vector<float> x = {1e30f, -1e30f, 1e30f, -std::numeric_limits<float>::infinity()};
  std::vector<float> p(4);
  softmax_rows(f32, x.data(), p.data(), 1, 4);
  EXPECT_EQ(p, (std::vector<float>{0.5f, 0, 0.5f, 0}));
}

TEST(Rows, NanSpoilsItsRowOnly) {
  std::vector<float> x(40, 1.0f), p(40);
  x[13] = std::numeric_limits<float>::quiet_NaN();
  softmax_rows(f32, x.data(), p.data(), 2, 20);
  for (int c = 0; c < 20; ++c) EXPECT_TRUE(std::isnan(p[static_cast<size_t>(c)]));
  for (int c = 20; c < 40; ++c) EXPECT_FLOAT_EQ(p[static_cast<size_t>(c)], 0.05f);
}

template <typename T, typename Label>
void check_classes(bool scalar_g) {
  const double tolerance = sizeof(T) == 4 ? 2e-6 : 1e-14;
  for (int64_t classes : kClasses) {
    if (classes > 255 && sizeof(Label) == 1) continue;
    const int64_t rows = 5;
    const auto x = random_logits<T>(rows * classes, 2), g = random_logits<T>(rows, 3, 1);
    std::vector<Label> labels;
    for (int64_t r = 0; r < rows; ++r) labels.push_back(static_cast<Label>(r * 7919 % classes));
    std::vector<T> loss(static_cast<size_t>(rows)), grad(x.size()), loss_only(loss), grad_only(x);
    SoftmaxXent call{dtype_of<T>,   rows,        classes,     x.data(), dtype_of<Label>,
                     labels.data(), loss.data(), grad.data(), g.data(), scalar_g};
    ASSERT_TRUE(softmax_xent(call));
    call.loss = loss_only.data(), call.grad = nullptr;
    ASSERT_TRUE(softmax_xent(call));
    EXPECT_EQ(loss_only, loss);
    call.loss = nullptr, call.grad = grad_only.data(), call.logits = grad_only.data();  // in place
    ASSERT_TRUE(softmax_xent(call));
    EXPECT_EQ(grad_only, grad);
    for (int64_t r = 0; r < rows; ++r) {
      const Exact exact = exact_row(x.data() + r * classes, classes);
      const size_t label = static_cast<size_t>(labels[static_cast<size_t>(r)]);
      const double cotangent = g[static_cast<size_t>(scalar_g ? 0 : r)];
      EXPECT_NEAR(loss[static_cast<size_t>(r)], -exact.log_p[label], tolerance * (1 + std::fabs(exact.log_p[label])));
      for (size_t c = 0; c < static_cast<size_t>(classes); ++c)
        EXPECT_NEAR(grad[static_cast<size_t>(r * classes) + c], (exact.p[c] - (c == label)) * cotangent,
                    tolerance * std::fabs(cotangent));
    }
  }
}

TEST(Rows, CrossEntropyWithClassNumbers) {
  on_every_isa([] {
    check_classes<float, int32_t>(false);
    check_classes<float, int64_t>(true);
    check_classes<double, int32_t>(true);
    check_classes<double, uint8_t>(false);
  });
}

template <typename T>
void check_probabilities() {
  const double tolerance = sizeof(T) == 4 ? 3e-6 : 1e-14;
  for (int64_t classes : kClasses) {
    const int64_t rows = 4;
    const auto x = random_logits<T>(rows * classes, 4), g = random_logits<T>(rows, 5, 1);
    auto labels = random_logits<T>(rows * classes, 6, 1);
    for (T& l : labels) l = std::fabs(l) / static_cast<T>(classes);
    std::vector<T> loss(static_cast<size_t>(rows)), grad(x.size());
    ASSERT_TRUE(softmax_xent({dtype_of<T>, rows, classes, x.data(), dtype_of<T>, labels.data(), loss.data(),
                              grad.data(), g.data(), false}));
    for (int64_t r = 0; r < rows; ++r) {
      const Exact exact = exact_row(x.data() + r * classes, classes);
      double total = 0, value = 0;
      for (size_t c = 0; c < static_cast<size_t>(classes); ++c) {
        const double l = labels[static_cast<size_t>(r * classes) + c];
        total += l;
        value -= l * exact.log_p[c];
      }
      const double cotangent = g[static_cast<size_t>(r)];
      EXPECT_NEAR(loss[static_cast<size_t>(r)], value, tolerance * (1 + std::fabs(value)));
      for (size_t c = 0; c < static_cast<size_t>(classes); ++c) {
        const size_t at = static_cast<size_t>(r * classes) + c;
        EXPECT_NEAR(grad[at], (exact.p[c] * total - static_cast<double>(labels[at])) * cotangent,
                    tolerance * std::fabs(cotangent));
      }
    }
  }
}

TEST(Rows, CrossEntropyWithProbabilities) {
  on_every_isa([] { check_probabilities<float>(), check_probabilities<double>(); });
}

TEST(Rows, ClassOutOfRangeIsReportedBeforeAnythingIsWritten) {
  const auto x = random_logits<float>(30, 1);
  for (int64_t bad : {int64_t{-1}, int64_t{10}, std::numeric_limits<int64_t>::max()}) {
    const std::vector<int64_t> labels = {3, 9, bad};
    std::vector<float> loss(3, 7.0f), grad(30, 7.0f);
    const float g = 1;
    EXPECT_FALSE(softmax_xent({f32, 3, 10, x.data(), i64, labels.data(), loss.data(), grad.data(), &g, true}));
    EXPECT_EQ(loss, std::vector<float>(3, 7.0f));
    EXPECT_EQ(grad, std::vector<float>(30, 7.0f));
  }
}

TEST(Rows, NoRows) {
  const float g = 1;
  EXPECT_TRUE(softmax_xent({f32, 0, 10, nullptr, i32, nullptr, nullptr, nullptr, &g, true}));
}

// Large enough for streaming stores, with rows that are or are not whole numbers of lines, and one too long
// for the buffers; the same rows alone are not streamed.
TEST(Rows, StreamedResultsHaveTheSameBits) {
  const float g = 0.5f;
  const int before = thread_count();
  for (const auto& [rows, classes] : {std::pair<int64_t, int64_t>{700, 10007}, {700, 10016}, {60, 100'000}}) {
    const auto x = random_logits<float>(rows * classes, 9);
    std::vector<int32_t> labels;
    for (int64_t r = 0; r < rows; ++r) labels.push_back(static_cast<int32_t>(r * 31 % classes));
    std::vector<float> loss(static_cast<size_t>(rows)), storage(2 * x.size() + 64);
    float* grad = storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64 / sizeof(float);
    float* p = grad + (x.size() + 15) / 16 * 16;
    for (int threads : {1, 2, 7}) {
      set_thread_count(threads);
      std::fill(storage.begin(), storage.end(), 7.0f);
      ASSERT_TRUE(softmax_xent({f32, rows, classes, x.data(), i32, labels.data(), loss.data(), grad, &g, true}));
      softmax_rows(f32, x.data(), p, rows, classes);
      for (int64_t r : {int64_t{0}, int64_t{1}, int64_t{33}, rows - 2, rows - 1}) {
        std::vector<float> alone(static_cast<size_t>(classes)), alone_p(alone);
        float alone_loss;
        ASSERT_TRUE(softmax_xent(
            {f32, 1, classes, x.data() + r * classes, i32, labels.data() + r, &alone_loss, alone.data(), &g, true}));
        softmax_rows(f32, x.data() + r * classes, alone_p.data(), 1, classes);
        EXPECT_EQ(alone_loss, loss[static_cast<size_t>(r)]);
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), grad + r * classes)) << r << " of " << classes;
        EXPECT_TRUE(std::equal(alone_p.begin(), alone_p.end(), p + r * classes)) << r << " of " << classes;
      }
    }
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace brio::cpu
