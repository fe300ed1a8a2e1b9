#include "brio/ops/signal/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "brio/brio.h"
#include "tests/ops/complex_dtypes.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

using Z = std::complex<double>;

// Every radix there is code for, those that there is none for, squares of them, lengths that split, primes.
constexpr int64_t kLengths[] = {1,  2,  3,  4,  5,  6,  7,   8,   11,  12,  16,  25,  27, 30,
                                31, 37, 53, 64, 94, 97, 128, 130, 131, 169, 243, 256, 300};

Case rows_of(Rng& rng, DType dtype, int i, int64_t n) {
  constexpr int64_t batches[] = {5, 1, 17, 33, 2};
  Shape shape;
  if (i % 4 == 1) shape = {batches[i % 5]};
  if (i % 4 == 2) shape = {2, batches[i % 5]};
  if (i % 4 == 3) shape = {rng.chance(0.2) ? 0 : 1, 3, 1, 2};
  shape.push_back(n);
  return {{{{shape, dtype}}}};
}
int64_t length_of(int i) { return kLengths[static_cast<size_t>(i) % std::size(kLengths)]; }

std::vector<OpTest> tests() {
  return {{.op = &op::fft,
           .dtypes = kComplexNumbers,
           .make =
               [](Rng& rng, DType dtype, int i) {
                 Case made = rows_of(rng, dtype, i, length_of(i));
                 made.attrs = {i / 2 % 2, i % 2};
                 return made;
               },
           .large =
               [](DType dtype) {
                 return Case{{{{Shape{64, 1024}, dtype}}}, {0, 0}};
               }},
          {.op = &op::rfft,
           .dtypes = {f32, f64},
           .make =
               [](Rng& rng, DType dtype, int i) {
                 Case made = rows_of(rng, dtype, i, length_of(i));
                 made.attrs = {i % 2};
                 return made;
               },
           .large =
               [](DType dtype) {
                 return Case{{{{Shape{64, 1024}, dtype}}}, {0}};
               }},
          {.op = &op::irfft,
           .dtypes = kComplexNumbers,
           .make =
               [](Rng& rng, DType dtype, int i) {
                 const int64_t n = length_of(i);
                 Case made = rows_of(rng, dtype, i, n / 2 + 1);
                 made.attrs = {i % 2, 1, n};
                 return made;
               },
           .large =
               [](DType dtype) {
                 return Case{{{{Shape{64, 513}, dtype}}}, {1, 1, 1024}};
               }}};
}

std::vector<Invalid> invalid() {
  return {
      {&op::fft, "a real tensor", [] { signal::fft(tensor({4})); }, {"float32", "rfft"}},
      {&op::fft, "a scalar", [] { signal::fft(tensor({}, c64)); }, {"1 axis", "()"}},
      {&op::fft,
       "a scalar",
       [] {
         call(op::fft, {tensor({}, c64)}, {0, 0});
       },
       {"scalar"}},
      {&op::fft, "none", [] { signal::fft(Tensor()); }, {"none"}},
      {&op::rfft, "a complex tensor", [] { signal::rfft(tensor({4}, c64)); }, {"complex64", "real()"}},
      {&op::rfft, "an integer", [] { signal::rfft(tensor({4}, i32)); }, {"int32", "cast"}},
      {&op::rfft, "a scalar", [] { call(op::rfft, {tensor({})}, {0}); }, {"scalar"}},
      {&op::rfft,
       "nothing",
       [] {
         signal::rfft(tensor({2, 0}));
       },
       {"0 numbers", "(2, 0)"}},
      {&op::rfft,
       "nothing",
       [] {
         call(op::rfft, {tensor({2, 0})}, {0});
       },
       {"(2, 0)"}},
      {&op::rfft, "a length of 0", [] { signal::rfft(tensor({4}), {0}); }, {"0", "fft_length"}},
      {&op::rfft,
       "two lengths",
       [] {
         signal::rfft(tensor({4}), {4, 4});
       },
       {"2 entries", "1"}},
      {&op::irfft, "a real tensor", [] { signal::irfft(tensor({4})); }, {"float32"}},
      {&op::irfft, "one frequency", [] { signal::irfft(tensor({1}, c64)); }, {"0 numbers", "(1,)"}},
      {&op::irfft,
       "another length",
       [] {
         call(op::irfft, {tensor({4}, c64)}, {1, 1, 9});
       },
       {"9", "5", "(4,)"}},
      {&op::irfft,
       "a length of 0",
       [] {
         call(op::irfft, {tensor({1}, c64)}, {1, 1, 0});
       },
       {"length is 0"}},
  };
}

const AddOpTests add_tests(tests, invalid);

template <typename F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Fft, ComposedTransformsRefuse) {
  EXPECT_NE(refusal([] { signal::fft2d(tensor({4}, c64)); }).find("[fft2d] takes tensors of 2 axes"),
            std::string::npos);
  EXPECT_NE(refusal([] { signal::ifft3d(tensor({4, 4}, c64)); }).find("[ifft3d]"), std::string::npos);
  EXPECT_NE(refusal([] { signal::rfft2d(tensor({4, 4}), {4}); }).find("[rfft2d]"), std::string::npos);
  EXPECT_NE(refusal([] { signal::irfft3d(tensor({4, 4}, c64)); }).find("[irfft3d]"), std::string::npos);
  EXPECT_NE(refusal([] { signal::fftshift(tensor({4}), {1}); }).find("[fftshift] axis 1"), std::string::npos);
  EXPECT_NE(refusal([] { signal::ifftshift(Tensor()); }).find("[ifftshift]"), std::string::npos);
}

// One number among zeros becomes a wave, which is known to the last bit or so.
TEST(Fft, LongRows) {
  for (int64_t n : {1000, 1009, 1024, 4096, 4099, 10000, 65536}) {
    const int64_t at = n / 3;
    std::vector<Z> impulse(static_cast<size_t>(2 * n));
    impulse[static_cast<size_t>(at)] = 1;
    impulse[static_cast<size_t>(n)] = {0, 2};
    const std::vector<Z> wave = signal::fft(Tensor::from(impulse, {2, n})).to_vector<Z>();
    for (int64_t k = 0; k < n; ++k) {
      const Z expected =
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(at * k % n) / static_cast<double>(n));
      ASSERT_LT(std::abs(wave[static_cast<size_t>(k)] - expected), 1e-14) << n << ", " << k;
      ASSERT_LT(std::abs(wave[static_cast<size_t>(n + k)] - Z(0, 2)), 1e-14) << n << ", " << k;
    }
    const Tensor x = random::normal({3, n}, {.seed = 7});
    const Tensor back = signal::irfft(signal::rfft(x), {n});
    EXPECT_LT(max(abs(back - x)).item<float>(), 5e-6f) << n;
    const Tensor z = complex(x, reverse(x, {1}));
    EXPECT_LT(max(abs(signal::ifft(signal::fft(z)) - z)).item<float>(), 5e-6f) << n;
  }
}

TEST(Fft, NothingGivesNothing) {
  EXPECT_EQ(signal::fft(tensor({3, 0}, c64)).shape(), (Shape{3, 0}));
  EXPECT_EQ(signal::rfft(tensor({0, 4})).shape(), (Shape{0, 3}));
  EXPECT_EQ(signal::irfft(tensor({0, 3}, c128)).shape(), (Shape{0, 4}));
}

TEST(Fft, FillsUpAndCrops) {
  const Tensor x({1, 2, 3, 4});
  EXPECT_EQ(signal::rfft(x, {2}).to_vector<std::complex<float>>(), (std::vector<std::complex<float>>{3, -1}));
  EXPECT_EQ(signal::rfft(x, {8}).shape(), (Shape{5}));
  EXPECT_EQ(signal::irfft(signal::rfft(x), {3}).shape(), (Shape{3}));
}

TEST(Signal, FramesRefuse) {
  const Tensor x({1, 2, 3, 4, 5});
  EXPECT_NE(refusal([&] { signal::frame(x, 0, 1); }).find("[frame] the frame length is 0"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::frame(x, 2, 0); }).find("[frame] the frame step is 0"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::frame(x, 2, 1, {.axis = 1}); }).find("[frame] axis 1"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::frame(Tensor(), 2, 1); }).find("none"), std::string::npos);
  EXPECT_NE(refusal([&] {
              signal::frame(tensor({1, 1, 1, 1, 1, 1, 1, 4}), 2, 1);
            }).find("[frame] its result"),
            std::string::npos);
  EXPECT_NE(refusal([&] { signal::overlap_and_add(x, 1); }).find("(5,)"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::overlap_and_add(tensor({2, 3}), 0); }).find("step is 0"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::overlap_and_add(tensor({0, 3}), 1); }).find("(0, 3)"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::stft(x, 0, 1); }).find("[stft]"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::stft(x, 2, 0); }).find("[stft] the frame step"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::stft(x, 2, 1, {.fft_length = 0}); }).find("fft length is 0"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::stft(cast(x, i32), 2, 1); }).find("int32"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::inverse_stft(x, 2, 1); }).find("[inverse_stft]"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::inverse_stft(tensor({2, 2}, c64), 2, 0); }).find("frame step"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::hann_window(0); }).find("[hann_window]"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::hamming_window(3, true, i32); }).find("int32"), std::string::npos);
  EXPECT_NE(refusal([&] { signal::inverse_stft_window(0); }).find("step is 0"), std::string::npos);
}

// The same structure at many sizes: a plan of a family, whose constants follow the batch.
TEST(Fft, ManyBatchSizes) {
  for (int64_t batch = 2; batch < 12; ++batch) {
    std::vector<Z> values;
    for (int64_t i = 0; i < batch * 6; ++i)
      values.emplace_back(static_cast<double>(i % 7), static_cast<double>(i % 5));
    const Tensor x = Tensor::from(values, {batch, 6});
    GradientTape tape;
    tape.watch(x);
    const Tensor y = mean(signal::ifft(signal::fft(x) * 2), 0);
    const std::vector<Z> gradient = tape.gradient(y, {x})[0].to_vector<Z>();
    for (int64_t k = 0; k < 6; ++k) {
      Z expected = 0;
      for (int64_t i = 0; i < batch; ++i)
        expected += 2.0 / static_cast<double>(batch) * values[static_cast<size_t>(i * 6 + k)];
      EXPECT_LT(std::abs(y.to_vector<Z>()[static_cast<size_t>(k)] - expected), 1e-12) << batch << ", " << k;
      EXPECT_LT(std::abs(gradient[static_cast<size_t>(k)] - Z(2.0 / static_cast<double>(batch))), 1e-12) << batch;
    }
  }
}

TEST(Signal, StftComesBack) {
  const Tensor x = random::normal({2, 64}, {.seed = 3});
  const Tensor spectrum = signal::stft(x, 16, 4);
  EXPECT_EQ(spectrum.shape(), (Shape{2, 13, 9}));
  const Tensor back = signal::inverse_stft(spectrum, 16, 4, {.window = signal::inverse_stft_window(4)});
  const Tensor difference = slice(back - x, {Range{}, Range{16, 48}});  // the ends are in fewer frames
  EXPECT_LT(max(abs(difference)).item<float>(), 1e-5f);
}

}  // namespace
}  // namespace brio::testing
