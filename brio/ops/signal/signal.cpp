#include "brio/ops/signal/signal.h"

#include <algorithm>
#include <bit>
#include <numbers>
#include <numeric>

#include "brio/base/error.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/complex.h"

namespace brio::signal {
namespace {

void check_positive(const char* function, const char* what, int64_t number) {
  constexpr int64_t kLongest = int64_t{1} << 48;  // sums of such do not wrap
  if (number < 1) throw_invalid(function, cat(what, " is ", number, "; it must be ≥ 1"));
  if (number > kLongest) throw_invalid(function, cat(what, " is ", number, "; it must be ≤ 2^48"));
}

Tensor raised_cosine(const char* function, int64_t length, bool periodic, DType dtype, double a) {
  check_positive(function, "the length", length);
  if (!is_floating(dtype)) throw_invalid(function, cat("the dtype must be a floating-point one, but is ", dtype));
  if (length == 1) return ones({1}, dtype);
  const int64_t n = periodic && length % 2 == 0 ? length : length - 1;
  const Tensor angle = iota(length, dtype) * constant(2 * std::numbers::pi / static_cast<double>(n), dtype);
  return constant(a, dtype) - constant(1 - a, dtype) * cos(angle);
}

int64_t rounded_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// x without, or filled up with, what its last axis has more or less than `size`.
Tensor with_last_size(const Tensor& x, int64_t size) {
  std::vector<Range> ranges(static_cast<size_t>(x.rank()));
  std::vector<Padding> paddings(ranges.size());
  const int64_t own = x.shape()[x.rank() - 1];
  ranges.back() = {0, std::min(own, size)};
  paddings.back().high = std::max<int64_t>(0, size - own);
  return pad(slice(x, ranges), paddings);
}

int64_t fft_length_of(const char* function, int64_t frame_length, const StftOptions& options) {
  check_positive(function, "the frame length", frame_length);
  const int64_t n =
      options.fft_length.value_or(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(frame_length))));
  check_positive(function, "the fft length", n);
  return n;
}

// Axes other than those of samples and frames may have any size.
std::vector<Size> dims_before(const Tensor& x, int last) { return {x.shape().begin(), x.shape().end() - last}; }
Tensor reshaped(const Tensor& x, std::vector<Size> dims, std::initializer_list<Size> last, const char* function) {
  dims.insert(dims.end(), last);
  return reshape(x, checked_shape(function, dims));
}

}  // namespace

Tensor hann_window(int64_t length, bool periodic, DType dtype) {
  return raised_cosine("hann_window", length, periodic, dtype, 0.5);
}
Tensor hamming_window(int64_t length, bool periodic, DType dtype) {
  return raised_cosine("hamming_window", length, periodic, dtype, 0.54);
}

Tensor frame(const Tensor& signal, int64_t length, int64_t step, const FrameOptions& options) {
  check_positive("frame", "the frame length", length);
  check_positive("frame", "the frame step", step);
  const int axis = positive_axis("frame", options.axis, required("frame", signal).rank());
  const int64_t samples = signal.shape()[axis];
  const int64_t frames = options.pad_end    ? rounded_up(samples, step)
                         : samples < length ? 0
                                            : 1 + (samples - length) / step;
  Tensor x = signal;
  if (options.pad_end) {
    std::vector<Padding> paddings(static_cast<size_t>(x.rank()));
    paddings[static_cast<size_t>(axis)].high = std::max<int64_t>(0, length + step * (frames - 1) - samples);
    x = pad(x, paddings, options.pad_value);
  }
  // Pieces that both lengths are made of are moved as a whole.
  const int64_t piece = std::gcd(length, step), pieces = x.shape()[axis] / piece;
  std::vector<Range> ranges(static_cast<size_t>(x.rank()));
  ranges[static_cast<size_t>(axis)] = {0, pieces * piece};
  std::vector<Size> dims(x.shape().begin(), x.shape().end()), result = dims;
  const auto at = dims.begin() + axis;
  *at = Size(pieces);
  dims.insert(at + 1, Size(piece));
  result[static_cast<size_t>(axis)] = Size(frames);
  result.insert(result.begin() + axis + 1, Size(length));
  const Shape in_pieces = checked_shape("frame", dims), in_frames = checked_shape("frame", result);
  const Tensor index = expand_dims(iota(frames) * constant(step / piece, i64), 1) + iota(length / piece);
  const Tensor rows = gather(reshape(slice(x, ranges), in_pieces), reshape(index, {frames * (length / piece)}), axis);
  return reshape(rows, in_frames);
}

// Frames are cut into segments of `step`. Segment s of frame f goes to place f + s: rows of segments, each one longer
// than before, are shifted against each other by reading them as rows one shorter.
Tensor overlap_and_add(const Tensor& frames, int64_t step) {
  const char* const self = "overlap_and_add";
  check_positive(self, "the frame step", step);
  if (required(self, frames).rank() < 2)
    throw_invalid(self, cat("takes frames of samples, two axes at least, but got shape ", frames.shape()));
  const int rank = frames.rank();
  const int64_t count = frames.shape()[rank - 2], length = frames.shape()[rank - 1];
  const int64_t segments = rounded_up(length, step), samples = length + step * (count - 1), places = count + segments;
  if (count == 0 || length == 0)
    throw_invalid(self, cat("shape ", frames.shape(), " has no frames or no samples to add"));
  const std::vector<Size> outer = dims_before(frames, 2);
  std::vector<Padding> paddings(static_cast<size_t>(rank));
  paddings[static_cast<size_t>(rank) - 2].high = segments;
  Tensor x = pad(with_last_size(frames, segments * step), paddings);
  x = reshaped(x, outer, {places, segments, step}, self);
  std::vector<int> swapped;
  for (int i = 0; i <= rank; ++i) swapped.push_back(i);
  std::swap(swapped[static_cast<size_t>(rank) - 2], swapped[static_cast<size_t>(rank) - 1]);
  x = reshaped(transpose(x, swapped), outer, {segments * places * step}, self);
  x = reshaped(with_last_size(x, segments * (places - 1) * step), outer, {segments, places - 1, step}, self);
  return with_last_size(reshaped(sum(x, rank - 2), outer, {(places - 1) * step}, self), samples);
}

Tensor stft(const Tensor& signals, int64_t frame_length, int64_t frame_step, const StftOptions& options) {
  const int64_t n = fft_length_of("stft", frame_length, options);
  check_positive("stft", "the frame step", frame_step);
  const DType dtype = required("stft", signals).dtype();
  if (signals.rank() == 0 || (dtype != f32 && dtype != f64))
    throw_invalid("stft", cat("takes float32 and float64 signals, but got ", dtype, " of shape ", signals.shape()));
  Tensor frames = frame(signals, frame_length, frame_step, {.pad_end = options.pad_end});
  if (options.window) frames = frames * options.window(frame_length, dtype);
  return rfft(frames, {n});
}

Tensor inverse_stft(const Tensor& stfts, int64_t frame_length, int64_t frame_step, const StftOptions& options) {
  const int64_t n = fft_length_of("inverse_stft", frame_length, options);
  check_positive("inverse_stft", "the frame step", frame_step);
  if (required("inverse_stft", stfts).rank() < 2 || !is_complex(stfts.dtype()))
    throw_invalid("inverse_stft", cat("takes complex frames, two axes at least, but got ", stfts.dtype(),
                                      " of shape ", stfts.shape()));
  Tensor frames = with_last_size(irfft(stfts, {n}), frame_length);
  if (options.window) frames = frames * options.window(frame_length, frames.dtype());
  return overlap_and_add(frames, frame_step);
}

Window inverse_stft_window(int64_t frame_step, const Window& forward) {
  check_positive("inverse_stft_window", "the frame step", frame_step);
  return [=](int64_t length, DType dtype) {
    const Tensor window = forward(length, dtype);
    const int64_t overlaps = rounded_up(length, frame_step);
    const Tensor squares = reshape(with_last_size(square(window), overlaps * frame_step), {overlaps, frame_step});
    const Tensor weight = with_last_size(reshape(tile(sum(squares, 0, true), {overlaps, 1}), {-1}), length);
    const Tensor none = equal(weight, constant(0, dtype));
    return select(none, constant(0, dtype), window / select(none, constant(1, dtype), weight));
  };
}

}  // namespace brio::signal
