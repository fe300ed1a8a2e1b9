#include "brio/ops/signal/fft.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/base/memory_limit.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/complex.h"

namespace brio {
namespace {

// Scaled: divided by the length. With it as an attribute of both directions each is the other's gradient.
constexpr AttrSpec kFftAttrs[] = {{"scaled", AttrKind::flag}, {"inverse", AttrKind::flag}};
constexpr AttrSpec kRfftAttrs[] = {{"scaled", AttrKind::flag}};
constexpr AttrSpec kIrfftAttrs[] = {{"scaled", AttrKind::flag}, {"length", AttrKind::extents}};

void check_rank(const OpCall& call) {
  if (call.in[0]->shape.rank() == 0) throw_invalid(call.op, "takes tensors of one axis at least, but got a scalar");
}
void check_fft_input(const OpCall& call) {
  check_rank(call);
  if (!is_complex(call.in[0]->dtype))
    throw_invalid(call.op, cat("takes complex64 and complex128 tensors, but got ", call.in[0]->dtype,
                               "; cast it, or use rfft for real numbers"));
}
Size last_size(const Shape& shape) { return shape[shape.rank() - 1]; }
Shape with_last(Shape shape, Size size) {
  shape.set(shape.rank() - 1, size);
  return shape;
}

void infer_fft(const OpCall& call, std::vector<Aval>& out) {
  check_fft_input(call);
  out.push_back(*call.in[0]);
}

void infer_rfft(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  check_rank(call);
  if (x.dtype != f32 && x.dtype != f64)
    throw_invalid(call.op, cat("takes float32 and float64 tensors, but got ", x.dtype, "; cast it first"));
  if (surely_less(last_size(x.shape), 1))
    throw_invalid(call.op,
                  cat("shape ", x.shape, " has no numbers to transform: its last axis must have 1 at least"));
  out.push_back({with_last(x.shape, last_size(x.shape) / 2 + 1), complex_dtype(x.dtype)});
}

void infer_irfft(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  check_fft_input(call);
  const Extents sizes = call.attrs.extents(1);
  if (sizes.size() != 1) throw_invalid(call.op, cat("takes one length, but got ", sizes.size()));
  const Size n = sizes[0];
  if (surely_less(n, 1)) throw_invalid(call.op, cat("the length is ", n, "; it must be ≥ 1"));
  if (last_size(x.shape) != n / 2 + 1)
    throw_invalid(call.op,
                  cat("a row of ", n, " real numbers has a spectrum of ", n / 2 + 1, ", but got shape ", x.shape));
  const Shape shape = with_last(x.shape, n);
  out.push_back({checked_shape(call.op, shape.dims()), real_dtype(x.dtype)});
}

Cost fft_cost(const OpCall& call, std::span<const Aval> out) {
  const Aval& whole = &call.op == &op::rfft ? *call.in[0] : out[0];
  const auto n = static_cast<double>(std::max<int64_t>(1, last_size(whole.shape)));
  const double real = is_complex(whole.dtype) ? 1 : 0.5;
  return {real * 5 * static_cast<double>(whole.shape.elements()) * std::log2(std::max(n, 2.0)),
          total_bytes(call, out)};
}

Tensor transform(const Tensor& x, bool inverse, bool scaled) {
  const int64_t attrs[] = {scaled, inverse};
  return record(op::fft, attrs, x);
}
Tensor real_transform(const Tensor& x, bool scaled) {
  const int64_t attrs[] = {scaled};
  return record(op::rfft, attrs, x);
}
Tensor inverse_real_transform(const Tensor& x, Size n, bool scaled) {
  const int64_t attrs[] = {scaled, 1, n.word()};
  return record(op::irfft, attrs, x);
}

// Frequencies between the first and the middle stand for two of the whole spectrum: `inner` times theirs, once the
// others.
Tensor weigh_inner(const Tensor& spectrum, Size n, double inner) {
  const Size between = (n - 1) / 2;
  const Tensor weights = pad(full(Shape{between}, inner, real_dtype(spectrum.dtype())), {Padding{1, 1 - n % 2}}, 1);
  return spectrum * cast(weights, spectrum.dtype());
}

void grad_fft(GradContext& g) {
  g.set(0, transform(g.cotangent(), !fft_is_inverse(g.attrs), fft_is_scaled(g.attrs)));
}
void grad_rfft(GradContext& g) {
  const Size n = last_size(g.in[0].shape());
  g.set(0, inverse_real_transform(weigh_inner(g.cotangent(), n, 0.5), n, fft_is_scaled(g.attrs)));
}
void grad_irfft(GradContext& g) {
  g.set(0, weigh_inner(real_transform(g.cotangent(), fft_is_scaled(g.attrs)), g.attrs.extents(1)[0], 2));
}

}  // namespace

namespace op {
#define TRANSFORM(ident, what, attrs_, takes_)   \
  const OpDef ident{.name = #ident,              \
                    .summary = what,             \
                    .kind = OpKind::contraction, \
                    .min_inputs = 1,             \
                    .max_inputs = 1,             \
                    .attrs = attrs_,             \
                    .infer = infer_##ident,      \
                    .grad = grad_##ident,        \
                    .cost = fft_cost,            \
                    .grad_needs = kNeedsNothing, \
                    .also_takes = takes_};
TRANSFORM(fft, "Fourier transform of the last axis", kFftAttrs, kComplex)
TRANSFORM(rfft, "the first n/2 + 1 numbers of the Fourier transform of n real ones", kRfftAttrs, 0)
TRANSFORM(irfft, "the real numbers that a half spectrum stands for", kIrfftAttrs, kComplex)
#undef TRANSFORM
}  // namespace op

void register_fft() {
  static const OpDef* const rows[] = {&op::fft, &op::rfft, &op::irfft};
  register_ops(rows);
}

namespace signal {
namespace {

// f, which works on the last axis, on another one.
template <typename F>
Tensor along(const Tensor& x, int axis, F&& f) {
  std::vector<int> swapped;
  for (int i = 0; i < x.rank(); ++i) swapped.push_back(i);
  std::swap(swapped[static_cast<size_t>(axis)], swapped.back());
  return transpose(f(transpose(x, swapped)), swapped);
}

void check_axes(const char* function, const Tensor& x, int axes) {
  if (required(function, x).rank() < axes)
    throw_invalid(function, cat("takes tensors of ", axes, axes == 1 ? " axis" : " axes", " at least, but got shape ",
                                x.shape()));
}

// All but the last of the last `axes` axes.
Tensor transform_before_last(Tensor x, int axes, bool inverse) {
  for (int axis = x.rank() - axes; axis < x.rank() - 1; ++axis)
    x = along(x, axis, [&](const Tensor& rows) { return transform(rows, inverse, inverse); });
  return x;
}
Tensor complex_transform(const char* function, const Tensor& x, int axes, bool inverse) {
  check_axes(function, x, axes);
  return transform_before_last(transform(x, inverse, inverse), axes, inverse);
}

// x cropped or filled up to these sizes of its last axes.
Tensor resized(const Tensor& x, std::span<const int64_t> sizes) {
  const auto before = static_cast<size_t>(x.rank()) - sizes.size();
  std::vector<Range> ranges(static_cast<size_t>(x.rank()));
  std::vector<Padding> paddings(static_cast<size_t>(x.rank()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = x.shape()[static_cast<int>(before + i)];
    ranges[before + i] = {0, std::min(size, sizes[i])};
    paddings[before + i].high = std::max<int64_t>(0, sizes[i] - size);
  }
  return pad(slice(x, ranges), paddings);
}

FftLength checked_length(const char* function, const Tensor& x, int axes, FftLength length, bool inverse) {
  check_axes(function, x, axes);
  if (length.empty()) {
    for (int i = x.rank() - axes; i < x.rank(); ++i) length.push_back(x.shape()[i]);
    if (inverse) length.back() = 2 * (length.back() - 1);
  }
  if (length.size() != static_cast<size_t>(axes))
    throw_invalid(function, cat("fft_length has ", length.size(), " entries; it needs ", axes));
  for (int64_t size : length) {
    // A transform is prepared before memory is asked for, in a time that follows its length. How much memory there is
    // takes files to find out, so that short ones do not ask.
    constexpr int64_t kShort = int64_t{1} << 24;
    if (size > kShort && size > available_memory() / 8)
      throw ResourceError(cat("[", function, "] there is no memory for a transform of ", size, " numbers"));
    if (size < 1)
      throw_invalid(function, cat("an axis would be transformed as ", size, " numbers, for shape ", x.shape(),
                                  "; give it an fft_length of 1 at least"));
  }
  return length;
}

Tensor from_real(const char* function, const Tensor& x, int axes, const FftLength& fft_length) {
  const FftLength length = checked_length(function, x, axes, fft_length, false);
  return transform_before_last(real_transform(resized(x, length), false), axes, false);
}
Tensor to_real(const char* function, const Tensor& x, int axes, const FftLength& fft_length) {
  FftLength length = checked_length(function, x, axes, fft_length, true);
  const int64_t n = length.back();
  length.back() = n / 2 + 1;
  return inverse_real_transform(transform_before_last(resized(x, length), axes, true), n, true);
}

Tensor shifted(const char* function, const Tensor& x, std::vector<int> axes, bool back) {
  required(function, x);
  if (axes.empty())
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  std::vector<int64_t> shifts;
  for (int axis : axes) {
    const int64_t half = x.shape()[positive_axis(function, axis, x.rank())] / 2;
    shifts.push_back(back ? -half : half);
  }
  return roll(x, shifts, axes);
}

}  // namespace

Tensor fft(const Tensor& x) { return complex_transform("fft", x, 1, false); }
Tensor ifft(const Tensor& x) { return complex_transform("ifft", x, 1, true); }
Tensor fft2d(const Tensor& x) { return complex_transform("fft2d", x, 2, false); }
Tensor ifft2d(const Tensor& x) { return complex_transform("ifft2d", x, 2, true); }
Tensor fft3d(const Tensor& x) { return complex_transform("fft3d", x, 3, false); }
Tensor ifft3d(const Tensor& x) { return complex_transform("ifft3d", x, 3, true); }
Tensor rfft(const Tensor& x, const FftLength& fft_length) { return from_real("rfft", x, 1, fft_length); }
Tensor irfft(const Tensor& x, const FftLength& fft_length) { return to_real("irfft", x, 1, fft_length); }
Tensor rfft2d(const Tensor& x, const FftLength& fft_length) { return from_real("rfft2d", x, 2, fft_length); }
Tensor irfft2d(const Tensor& x, const FftLength& fft_length) { return to_real("irfft2d", x, 2, fft_length); }
Tensor rfft3d(const Tensor& x, const FftLength& fft_length) { return from_real("rfft3d", x, 3, fft_length); }
Tensor irfft3d(const Tensor& x, const FftLength& fft_length) { return to_real("irfft3d", x, 3, fft_length); }
Tensor fftshift(const Tensor& x, const std::vector<int>& axes) { return shifted("fftshift", x, axes, false); }
Tensor ifftshift(const Tensor& x, const std::vector<int>& axes) { return shifted("ifftshift", x, axes, true); }

}  // namespace signal
}  // namespace brio
