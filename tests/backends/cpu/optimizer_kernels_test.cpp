// Updates must have the bits of the same formulas in separate elementwise kernels.
#include "brio/backends/cpu/kernels/optimizer_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

// Vectors with the arithmetic of the elementwise kernels.
template <typename T>
struct Values {
  std::vector<T> v;
  friend Values apply(const char* op, const Values& a, const Values& b) {
    Values out{std::vector<T>(a.v.size())};
    find_tile_fn(op, dtype_of<T>, dtype_of<T>)(out.v.data(), a.v.data(), b.v.data(), nullptr, a.v.size());
    return out;
  }
  Values splat(double x) const { return {std::vector<T>(v.size(), static_cast<T>(x))}; }
  friend Values operator+(const Values& a, const Values& b) { return apply("add", a, b); }
  friend Values operator-(const Values& a, const Values& b) { return apply("sub", a, b); }
  friend Values operator*(const Values& a, const Values& b) { return apply("mul", a, b); }
  friend Values operator/(const Values& a, const Values& b) { return apply("div", a, b); }
  friend Values root(const Values& a) { return apply("sqrt", a, a); }
  friend Values larger(const Values& a, const Values& b) { return apply("max", a, b); }
  friend Values power(const Values& a, const Values& b) { return apply("pow", a, b); }
};

template <typename T>
struct UpdateCase {
  explicit UpdateCase(int64_t n) {
    std::mt19937 generator(static_cast<uint32_t>(n) + 1);
    for (int i = 0; i < 5; ++i)
      for (int64_t k = 0; k < n; ++k) {
        const double x = (static_cast<double>(generator() % 20001) - 10000) / 4096;
        data[i].v.push_back(static_cast<T>(i >= 2 ? std::fabs(x) + 1 : x));  // slots: velocities are positive
      }
  }
  Values<T> data[5];  // param, grad, slots
  UpdateTensor tensor(Values<T>* out) {
    UpdateTensor t{};
    t.n = static_cast<int64_t>(data[0].v.size());
    t.param_in = data[0].v.data();
    t.param_out = out[0].v.data();
    t.grad = data[1].v.data();
    for (int k = 0; k < 3; ++k) {
      t.slot_in[k] = data[2 + k].v.data();
      t.slot_out[k] = out[2 + k].v.data();
    }
    return t;
  }
};

// Runs update(tensors) out of place and in place over tensors of several sizes, and compares with
// expect(case), which returns {param, unused, slots…} with untouched slots left as they were.
template <typename T, typename Update, typename Expect>
void check(int slots, Update&& update, Expect&& expect) {
  const int64_t sizes[] = {0, 1, 3, 15, 16, 17, 255, 1000, 70'000};
  std::vector<UpdateCase<T>> cases, outs;
  for (int64_t n : sizes) cases.emplace_back(n), outs.emplace_back(n);
  std::vector<UpdateTensor> apart, in_place;
  std::vector<std::vector<Values<T>>> wanted;
  for (size_t i = 0; i < cases.size(); ++i) wanted.push_back(expect(cases[i]));
  for (size_t i = 0; i < cases.size(); ++i) apart.push_back(cases[i].tensor(outs[i].data));
  update(std::span<const UpdateTensor>(apart));
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(outs[i].data[0].v, wanted[i][0].v) << "parameters of size " << sizes[i];
    for (int k = 0; k < slots; ++k)
      EXPECT_EQ(outs[i].data[2 + k].v, wanted[i][static_cast<size_t>(2 + k)].v) << "slot " << k;
  }
  for (size_t i = 0; i < cases.size(); ++i) in_place.push_back(cases[i].tensor(cases[i].data));
  update(std::span<const UpdateTensor>(in_place));
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].data[0].v, wanted[i][0].v) << "in place, size " << sizes[i];
    for (int k = 0; k < slots; ++k) EXPECT_EQ(cases[i].data[2 + k].v, wanted[i][static_cast<size_t>(2 + k)].v);
  }
}

template <typename T>
void check_sgd() {
  for (int form = 0; form < 3; ++form) {
    const SgdRule rule{0.01, 0.9, form > 0, form == 2, {form == 1, 0.25}};
    check<T>(
        form > 0, [&](auto tensors) { update_sgd(dtype_of<T>, tensors, rule); },
        [&](UpdateCase<T>& c) {
          std::vector<Values<T>> out(c.data, c.data + 5);
          const auto &p0 = c.data[0], &g = c.data[1];
          const auto p = form == 1 ? p0 - p0 * g.splat(0.25) * g.splat(rule.learning_rate) : p0;
          const auto step = g * g.splat(rule.learning_rate), momentum = g.splat(rule.momentum);
          if (form == 0) {
            out[0] = p - step;
          } else {
            out[2] = c.data[2] * momentum - step;
            out[0] = form == 2 ? p + (out[2] * momentum - step) : p + out[2];
          }
          return out;
        });
  }
}

template <typename T>
void check_rmsprop() {
  for (int form = 0; form < 4; ++form) {
    const bool has_momentum = form & 1, centered = form & 2;
    // A centered denominator is v - average², so the averages are kept small.
    const RmspropRule rule{0.01, 0.9, 0.8, 1e-7, has_momentum, centered};
    check<T>(
        1 + has_momentum + centered, [&](auto tensors) { update_rmsprop(dtype_of<T>, tensors, rule); },
        [&](UpdateCase<T>& c) {
          const size_t at = has_momentum ? 4 : 3;
          if (centered)
            for (T& x : c.data[at].v) x /= 100;
          std::vector<Values<T>> out(c.data, c.data + 5);
          const auto &p = c.data[0], &g = c.data[1];
          const auto rho = g.splat(rule.rho), rest = g.splat(1 - rule.rho);
          out[2] = rho * c.data[2] + rest * (g * g);
          auto denominator = out[2];
          if (centered) {
            out[at] = rho * c.data[at] + rest * g;
            denominator = denominator - out[at] * out[at];
          }
          const auto increment = g.splat(rule.learning_rate) * g / root(denominator + g.splat(rule.epsilon));
          if (has_momentum) {
            out[3] = g.splat(rule.momentum) * c.data[3] + increment;
            out[0] = p - out[3];
          } else {
            out[0] = p - increment;
          }
          return out;
        });
  }
}

template <typename T>
void check_adam() {
  for (bool amsgrad : {false, true})
    for (int64_t step : {0, 1, 999}) {
      const AdamRule rule{0.001, step, 0.9, 0.999, 1e-7, amsgrad};
      check<T>(
          2 + amsgrad, [&](auto tensors) { update_adam(dtype_of<T>, tensors, rule); },
          [&](UpdateCase<T>& c) {
            std::vector<Values<T>> out(c.data, c.data + 5);
            const auto &p = c.data[0], &g = c.data[1];
            const Values<T> one{{T{1}}}, t{{static_cast<T>(step + 1)}};
            const auto rate = one.splat(rule.learning_rate) * root(one - power(one.splat(rule.beta_2), t)) /
                              (one - power(one.splat(rule.beta_1), t));
            const auto alpha = g.splat(rate.v[0]);
            out[2] = c.data[2] + (g - c.data[2]) * g.splat(1 - rule.beta_1);
            out[3] = c.data[3] + (g * g - c.data[3]) * g.splat(1 - rule.beta_2);
            auto v = out[3];
            if (amsgrad) v = out[4] = larger(c.data[4], out[3]);
            out[0] = p - out[2] * alpha / (root(v) + g.splat(rule.epsilon));
            return out;
          });
    }
}

TEST(OptimizerKernels, SgdIsThePlainFormula) {
  on_every_isa([] { check_sgd<float>(), check_sgd<double>(); });
}
TEST(OptimizerKernels, RmspropIsThePlainFormula) {
  on_every_isa([] { check_rmsprop<float>(), check_rmsprop<double>(); });
}
TEST(OptimizerKernels, AdamIsThePlainFormula) {
  on_every_isa([] { check_adam<float>(), check_adam<double>(); });
}

// Rows with places give what the table that they stand for gives.
template <typename T>
void check_spread() {
  for (const int64_t width : {1, 3, 16, 600, 2000}) {
    const int64_t size = 60'000 / width + 3, rows = 5;
    UpdateCase<T> table(size * width), spread(size * width), few(rows * width);
    std::mt19937 generator(static_cast<uint32_t>(width));
    std::vector<int32_t> places;
    for (int64_t r = 0; r < size; ++r) {
      places.push_back(generator() % 3 ? 4 : static_cast<int32_t>(generator() % 7) - 1);  // some of them outside
      const int64_t place = places.back() < 0 ? rows - 1 : std::min<int64_t>(places.back(), rows - 1);
      std::copy_n(few.data[1].v.data() + place * width, width, table.data[1].v.data() + r * width);
    }
    UpdateTensor whole = table.tensor(table.data), part = spread.tensor(spread.data);
    part.grad = few.data[1].v.data();
    part.places = places.data();
    part.width = width;
    part.last = static_cast<uint32_t>(rows - 1);
    const AdamRule rule{0.001, 3, 0.9, 0.999, 1e-7, false};
    update_adam(dtype_of<T>, std::span(&whole, 1), rule);
    update_adam(dtype_of<T>, std::span(&part, 1), rule);
    for (const int k : {0, 2, 3}) EXPECT_EQ(spread.data[k].v, table.data[k].v) << "width " << width << ", " << k;
  }
}
TEST(OptimizerKernels, GradientsMayBeRows) {
  on_every_isa([] { check_spread<float>(), check_spread<double>(); });
}

TEST(OptimizerKernels, AnyNumberOfThreads) {
  const int before = thread_count();
  for (int threads : {1, 2, 7}) {
    set_thread_count(threads);
    check_adam<float>();
    check_spread<float>();
  }
  set_thread_count(before);
}

TEST(OptimizerKernels, OtherDtypesAreRefused) {
  EXPECT_THROW(update_sgd(f16, {}, {0.1, 0, false, false}), InternalError);
}

}  // namespace
}  // namespace brio::cpu
