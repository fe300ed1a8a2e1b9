// Fourier transforms, as in tf.signal: of the last axis (or the last two or three), any length from 1 up, the others
// being batches. The inverse divides by the length. Real rows have half a spectrum: n/2 + 1 numbers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef fft, rfft, irfft;
}

namespace signal {

Tensor fft(const Tensor& x);
Tensor ifft(const Tensor& x);
Tensor fft2d(const Tensor& x);
Tensor ifft2d(const Tensor& x);
Tensor fft3d(const Tensor& x);
Tensor ifft3d(const Tensor& x);

// fft_length: per transformed axis; the input is cropped, or filled up with zeros, to it. Left out, it is the axes'
// own length; for the inverse the last one is 2·(its length - 1).
using FftLength = std::vector<int64_t>;
Tensor rfft(const Tensor& x, const FftLength& fft_length = {});
Tensor irfft(const Tensor& x, const FftLength& fft_length = {});
Tensor rfft2d(const Tensor& x, const FftLength& fft_length = {});
Tensor irfft2d(const Tensor& x, const FftLength& fft_length = {});
Tensor rfft3d(const Tensor& x, const FftLength& fft_length = {});
Tensor irfft3d(const Tensor& x, const FftLength& fft_length = {});

// The zero frequency to the middle of the axes (all of them where none is named), and back.
Tensor fftshift(const Tensor& x, const std::vector<int>& axes = {});
Tensor ifftshift(const Tensor& x, const std::vector<int>& axes = {});

}  // namespace signal

// What kernels read from the attributes of fft, rfft (scaled) and irfft (scaled, length).
inline bool fft_is_scaled(Attrs attrs) { return attrs[0] != 0; }
inline bool fft_is_inverse(Attrs attrs) { return attrs[1] != 0; }

}  // namespace brio
