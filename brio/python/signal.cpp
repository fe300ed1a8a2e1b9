// tf.signal: Fourier transforms, frames and windows.
#include "brio/ops/signal/signal.h"

#include "brio/base/error.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// A function of Python's from a length to a window.
signal::Window window_from(nb::handle h) {
  if (h.is_none()) return nullptr;
  return [f = kept(nb::borrow(h))](int64_t length, DType dtype) {
    const Locked locked;
    return tensor_of((*f)(length, nb::arg("dtype") = dtype_object(dtype)), {.preferred = dtype});
  };
}

void bind_transforms(nb::module_& m) {
  using Plain = Tensor (*)(const Tensor&);
  struct PlainRow {
    const char* name;
    Plain f;
  };
  for (const PlainRow& row :
       {PlainRow{"fft", signal::fft}, PlainRow{"ifft", signal::ifft}, PlainRow{"fft2d", signal::fft2d},
        PlainRow{"ifft2d", signal::ifft2d}, PlainRow{"fft3d", signal::fft3d}, PlainRow{"ifft3d", signal::ifft3d}})
    define(
        m, row.name, [f = row.f](const Tensor& x) { return f(x); }, nb::arg("input"),
        "The Fourier transform of the last axes, or its inverse.");
  using Sized = Tensor (*)(const Tensor&, const signal::FftLength&);
  struct SizedRow {
    const char* name;
    Sized f;
  };
  for (const SizedRow& row : {SizedRow{"rfft", signal::rfft}, SizedRow{"irfft", signal::irfft},
                              SizedRow{"rfft2d", signal::rfft2d}, SizedRow{"irfft2d", signal::irfft2d},
                              SizedRow{"rfft3d", signal::rfft3d}, SizedRow{"irfft3d", signal::irfft3d}})
    define(
        m, row.name,
        [f = row.f](const Tensor& x, std::optional<std::vector<int64_t>> length) {
          return f(x, length.value_or(signal::FftLength{}));
        },
        nb::arg("input_tensor"), nb::arg("fft_length") = nb::none(),
        "The Fourier transform of real numbers along the last axes, or its inverse.");
  using Shift = Tensor (*)(const Tensor&, const std::vector<int>&);
  for (const auto& [name, f] : {std::pair{"fftshift", static_cast<Shift>(signal::fftshift)},
                                std::pair{"ifftshift", static_cast<Shift>(signal::ifftshift)}})
    define(
        m, name,
        [f = f](const Tensor& x, std::optional<std::vector<int>> axes) {
          return f(x, axes.value_or(std::vector<int>{}));
        },
        nb::arg("x"), nb::arg("axes") = nb::none(), "The zero frequency moved to the middle of the axes, or back.");
}

void bind_windows_of_signals(nb::module_& m) {
  using Made = Tensor (*)(int64_t, bool, DType);
  for (const auto& [name, f] : {std::pair{"hann_window", static_cast<Made>(signal::hann_window)},
                                std::pair{"hamming_window", static_cast<Made>(signal::hamming_window)}})
    define(
        m, name, [f = f](int64_t length, bool periodic, DType dtype) { return f(length, periodic, dtype); },
        nb::arg("window_length"), nb::arg("periodic") = true, nb::arg("dtype") = "float32",
        "A window that falls to its ends as a cosine does.");
  define(
      m, "frame",
      [](const Tensor& x, int64_t length, int64_t step, bool pad_end, Scalar pad_value, int axis) {
        return signal::frame(x, length, step, {.pad_end = pad_end, .pad_value = pad_value, .axis = axis});
      },
      nb::arg("signal"), nb::arg("frame_length"), nb::arg("frame_step"), nb::arg("pad_end") = false,
      nb::arg("pad_value") = 0, nb::arg("axis") = -1, "Frames of a signal, each frame_step after the one before.");
  define(
      m, "overlap_and_add", [](const Tensor& x, int64_t step) { return signal::overlap_and_add(x, step); },
      nb::arg("signal"), nb::arg("frame_step"), "The sum of frames, each frame_step after the one before.");
  m.def(
      "_stft",
      [](Given x, int64_t length, int64_t step, Given fft_length, Given window, bool pad_end) {
        const signal::StftOptions options{.fft_length = Parameter<std::optional<int64_t>>::take(fft_length),
                                          .window = window_from(window.object),
                                          .pad_end = pad_end};
        return perform([=](const Tensor& t) { return signal::stft(t, length, step, options); },
                       std::tuple{Parameter<Tensor>::take(x)});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  m.def(
      "_inverse_stft",
      [](Given x, int64_t length, int64_t step, Given fft_length, Given window) {
        const signal::StftOptions options{.fft_length = Parameter<std::optional<int64_t>>::take(fft_length),
                                          .window = window_from(window.object)};
        return perform([=](const Tensor& t) { return signal::inverse_stft(t, length, step, options); },
                       std::tuple{Parameter<Tensor>::take(x)});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def(
      "_inverse_stft_window",
      [](int64_t step, Given forward, int64_t length, Given dtype) {
        return wrap(signal::inverse_stft_window(step, window_from(forward.object))(length, dtype_from(dtype.object)));
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
}

}  // namespace

void bind_signal(nb::module_& m) {
  nb::module_ signal = m.def_submodule("_signal", "tf.signal.");
  bind_transforms(signal);
  bind_windows_of_signals(signal);
}

}  // namespace brio::python
