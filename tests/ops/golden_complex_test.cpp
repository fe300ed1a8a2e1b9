// Complex numbers, Fourier transforms and frames of signals beside TensorFlow's. In the files complex numbers are
// pairs along a last axis of two.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "brio/brio.h"
#include "tests/golden/golden.h"

namespace brio {
namespace {

Tensor tensor_of(const golden::Array& array, DType dtype) {
  std::vector<int64_t> dims = array.shape;
  if (is_complex(dtype)) {
    dims.pop_back();
    std::vector<std::complex<double>> values;
    for (size_t i = 0; i < array.data.size(); i += 2) values.emplace_back(array.data[i], array.data[i + 1]);
    return cast(Tensor::from(values, Shape(dims)), dtype);
  }
  return cast(Tensor::from(array.data, Shape(dims)), dtype);
}

struct Call {
  const golden::Case& c;
  std::map<std::string, Tensor> tensors = {};

  DType dtype(const std::string& name) const { return dtype_from_name(c.text("dtype_" + name)); }
  const Tensor& operator[](const std::string& name) const { return tensors.at(name); }
  template <typename T = int>
  std::vector<T> list(const std::string& name) const {
    if (!c.inputs.count(name)) return {};
    return std::vector<T>(c.input(name).data.begin(), c.input(name).data.end());
  }
  int64_t integer(const std::string& name) const { return static_cast<int64_t>(c.number(name)); }
  bool flag(const std::string& name) const { return c.number(name, 0) != 0; }
};
using Function = std::function<Tensor(const Call&)>;

Function of_one(Tensor (*f)(const Tensor&)) {
  return [f](const Call& c) { return f(c["x"]); };
}
Function of_two(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](const Call& c) { return f(c["x"], c["y"]); };
}
Function reduction(Tensor (*f)(const Tensor&, const Axes&, bool)) {
  return [f](const Call& c) { return f(c["x"], static_cast<int>(c.integer("axis")), c.flag("keepdims")); };
}
Function with_length(Tensor (*f)(const Tensor&, const signal::FftLength&)) {
  return [f](const Call& c) { return f(c["x"], c.list<int64_t>("fft_length")); };
}
Function with_axes(Tensor (*f)(const Tensor&, const std::vector<int>&)) {
  return [f](const Call& c) { return f(c["x"], c.list("axes")); };
}
Function window(Tensor (*f)(int64_t, bool, DType)) {
  return [f](const Call& c) {
    return f(c.list<int64_t>("length")[0], c.flag("periodic"), dtype_from_name(c.c.text("dtype")));
  };
}
signal::StftOptions stft_options(const Call& c) {
  signal::StftOptions options;
  if (c.integer("n")) options.fft_length = c.integer("n");
  if (!c.flag("window")) options.window = nullptr;
  options.pad_end = c.flag("pad_end");
  return options;
}

const std::map<std::string, Function>& functions() {
  using namespace signal;
  static const std::map<std::string, Function> all = {
      {"neg", of_one(neg)},
      {"square", of_one(square)},
      {"sqrt", of_one(sqrt)},
      {"exp", of_one(exp)},
      {"log", of_one(log)},
      {"reciprocal", of_one(reciprocal)},
      {"sin", of_one(sin)},
      {"cos", of_one(cos)},
      {"tanh", of_one(tanh)},
      {"abs", of_one(abs)},
      {"angle", of_one(angle)},
      {"real", of_one(real)},
      {"imag", of_one(imag)},
      {"conj", of_one(conj)},
      {"adjoint", of_one(adjoint)},
      {"add", of_two(add)},
      {"sub", of_two(sub)},
      {"mul", of_two(mul)},
      {"div", of_two(div)},
      {"pow", of_two(pow)},
      {"equal", of_two(equal)},
      {"not_equal", of_two(not_equal)},
      {"complex", of_two(complex)},
      {"matmul", [](const Call& c) { return matmul(c["x"], c["y"]); }},
      {"einsum",
       [](const Call& c) {
         return einsum(c.c.text("equation"), {c["x"], c["y"]});
       }},
      {"vdot", of_two(vdot)},
      {"outer", of_two(outer)},
      {"tensordot", [](const Call& c) { return tensordot(c["x"], c["y"], 1); }},
      {"cast", [](const Call& c) { return cast(c["x"], dtype_from_name(c.c.text("to"))); }},
      {"sum", reduction(sum)},
      {"mean", reduction(mean)},
      {"prod", reduction(prod)},
      {"transpose", [](const Call& c) { return transpose(c["x"]); }},
      {"reverse", [](const Call& c) { return reverse(c["x"], c.list("axis")); }},
      {"tile", [](const Call& c) { return tile(c["x"], c.list<int64_t>("multiples")); }},
      {"pad",
       [](const Call& c) {
         const std::vector<int64_t> p = c.list<int64_t>("paddings");
         return pad(c["x"], {Padding{p[0], p[1]}, Padding{p[2], p[3]}});
       }},
      {"gather",
       [](const Call& c) {
         const std::vector<int64_t> indices = c.list<int64_t>("indices");
         return gather(c["x"], Tensor::from(indices, {static_cast<int64_t>(indices.size())}));
       }},
      {"concat",
       [](const Call& c) {
         return concat({c["x"], c["y"]}, 0);
       }},
      {"stack",
       [](const Call& c) {
         return stack({c["x"], c["y"]}, 1);
       }},
      {"broadcast_to", [](const Call& c) { return broadcast_to(c["x"], Shape(c.list<int64_t>("shape"))); }},
      {"slice",
       [](const Call& c) {
         return slice(c["x"], {Range{1, {}}, Range{{}, {}, 2}});
       }},
      {"select", [](const Call& c) { return select(real(c["x"]) > 0, c["x"], c["y"]); }},
      {"fft", of_one(fft)},
      {"ifft", of_one(ifft)},
      {"fft2d", of_one(fft2d)},
      {"ifft2d", of_one(ifft2d)},
      {"fft3d", of_one(fft3d)},
      {"ifft3d", of_one(ifft3d)},
      {"rfft", with_length(rfft)},
      {"irfft", with_length(irfft)},
      {"rfft2d", with_length(rfft2d)},
      {"irfft2d", with_length(irfft2d)},
      {"rfft3d", with_length(rfft3d)},
      {"irfft3d", with_length(irfft3d)},
      {"fftshift", with_axes(fftshift)},
      {"ifftshift", with_axes(ifftshift)},
      {"hann_window", window(hann_window)},
      {"hamming_window", window(hamming_window)},
      {"frame",
       [](const Call& c) {
         return frame(c["x"], c.integer("length"), c.integer("step"),
                      {.pad_end = c.flag("pad_end"), .axis = static_cast<int>(c.integer("axis"))});
       }},
      {"overlap_and_add", [](const Call& c) { return overlap_and_add(c["x"], c.integer("step")); }},
      {"stft", [](const Call& c) { return stft(c["x"], c.integer("length"), c.integer("step"), stft_options(c)); }},
      {"inverse_stft",
       [](const Call& c) { return inverse_stft(c["x"], c.integer("length"), c.integer("step"), stft_options(c)); }},
      {"inverse_stft_window",
       [](const Call& c) { return inverse_stft_window(c.integer("step"))(c.list<int64_t>("length")[0], f32); }},
  };
  return all;
}

void expect_near(const Tensor& actual, const golden::Array& expected, const std::string& what) {
  ASSERT_TRUE(actual.defined()) << what;
  std::vector<int64_t> shape(actual.shape().begin(), actual.shape().end());
  if (is_complex(actual.dtype())) shape.push_back(2);
  ASSERT_EQ(shape, expected.shape) << what;
  const Tensor parts = is_complex(actual.dtype()) ? stack({real(actual), imag(actual)}, -1) : actual;
  const std::vector<double> values = cast(parts, f64).to_vector<double>();
  double largest = 1e-3;  // of what cancels to nothing
  for (double value : expected.data) largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected.data[i], 1e-5 * std::fabs(expected.data[i]) + 1e-6 * largest)
        << what << ", element " << i;
}

void check(const std::string& file) {
  for (const golden::Case& one : golden::load(file)) {
    const auto function = functions().find(one.text("function"));
    ASSERT_NE(function, functions().end()) << one.name;
    Call call{one};
    GradientTape tape;
    for (const auto& [name, array] : one.inputs)
      if (one.has("dtype_" + name)) {
        const DType dtype = call.dtype(name);
        call.tensors[name] = tensor_of(array, dtype);
        if (is_floating(dtype) || is_complex(dtype)) tape.watch(call.tensors[name]);
      }
    const Tensor y = function->second(call);
    EXPECT_EQ(y.dtype(), dtype_from_name(one.text("dtype"))) << one.name;
    expect_near(y, one.output("y_0"), one.name);
    std::vector<GradientTape::Source> sources;
    std::vector<std::string> names;
    for (const auto& [name, expected] : one.outputs)
      if (name.starts_with("gradient_")) {
        names.push_back(name);
        sources.emplace_back(call[name.substr(9)]);
      }
    if (names.empty()) continue;
    const Tensor targets[] = {y}, upstream[] = {tensor_of(one.input("upstream"), y.dtype())};
    const std::vector<Tensor> gradients = tape.gradient(targets, sources, upstream);
    for (size_t i = 0; i < names.size(); ++i)
      expect_near(gradients[i], one.output(names[i]), one.name + " " + names[i]);
  }
}

void check_both(const std::string& name) {
  check(name + "_1.json");
  check(name + "_2.json");
}

TEST(TensorFlow, ComplexMaths) { check_both("complex"); }
TEST(TensorFlow, ComplexOps) { check_both("complex_ops"); }
TEST(TensorFlow, FourierTransforms) { check_both("fft"); }
TEST(TensorFlow, Signals) { check_both("signal"); }

}  // namespace
}  // namespace brio
