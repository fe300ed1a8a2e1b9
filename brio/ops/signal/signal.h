// Signals in frames, as in tf.signal: windows, frames that overlap, short-time Fourier transforms and back.
#pragma once

#include <functional>
#include <optional>

#include "brio/ir/tensor.h"
#include "brio/ops/signal/fft.h"

namespace brio::signal {

// a - (1 - a)·cos(2πi / n), with a = 0.5 and 0.54. Periodic: n is the length, else (and for odd lengths, as in
// TensorFlow) one less.
Tensor hann_window(int64_t length, bool periodic = true, DType dtype = f32);
Tensor hamming_window(int64_t length, bool periodic = true, DType dtype = f32);

// Frames of `length` along an axis, each `step` after the one before: [.., samples, ..] → [.., frames, length, ..].
struct FrameOptions {
  bool pad_end = false;  // frames begin as long as there are samples, and are filled up
  Scalar pad_value = 0;
  int axis = -1;
};
Tensor frame(const Tensor& signal, int64_t length, int64_t step, const FrameOptions& options = {});
// [.., frames, length] → [.., samples]: the sum of the frames, each `step` after the one before.
Tensor overlap_and_add(const Tensor& frames, int64_t step);

using Window = std::function<Tensor(int64_t length, DType dtype)>;
struct StftOptions {
  std::optional<int64_t> fft_length = {};  // default: the power of two that holds a frame
  Window window = [](int64_t length, DType dtype) { return hann_window(length, true, dtype); };  // null: none
  bool pad_end = false;                                                                          // of stft
};
// [.., samples] → [.., frames, fft_length/2 + 1], and back.
Tensor stft(const Tensor& signals, int64_t frame_length, int64_t frame_step, const StftOptions& options = {});
Tensor inverse_stft(const Tensor& stfts, int64_t frame_length, int64_t frame_step, const StftOptions& options = {});
// The window with which inverse_stft undoes an stft of that window.
Window inverse_stft_window(int64_t frame_step, const Window& forward = StftOptions().window);

}  // namespace brio::signal
