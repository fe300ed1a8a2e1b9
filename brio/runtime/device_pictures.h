// Pictures that a device makes by itself: it decodes JPEG files, and one kernel resizes, flips, computes and casts
// them into a batch. What it does is what the steps of data/pictures do on the host; only the decoded pixels may
// differ a little. Who uses it: brio/data/pictures/device_batch.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/tensor/dtype.h"

namespace brio {

class Stream;

class DevicePictures {
 public:
  virtual ~DevicePictures() = default;

  // A JPEG of three channels, YCbCr, in one baseline scan, and what is to become of it.
  struct Picture {
    std::string_view file;
    int64_t height = 0, width = 0;
    int across = 0, down = 0;                          // how often its chroma is halved
    int64_t top = 0, left = 0, rows = 0, columns = 0;  // the window that is resized
    bool mirrored = false, upside_down = false;        // the result
    int64_t place = 0;                                 // its row of the batch
  };
  // x becomes (x - a) / b, or x · a + b, each rounded; numbers of the three channels.
  struct Step {
    bool normalizes = false;
    float a[3] = {}, b[3] = {};
  };
  static constexpr size_t kMostSteps = 4;
  // A batch (…, height, width, 3). Bilinear, centres of pixels at halves.
  struct Wanted {
    int64_t height = 0, width = 0;
    DType dtype = f32;     // or f16, bf16; or u8, where there are no steps
    bool rounded = false;  // to whole numbers from 0 to 255, before the steps
    bool scaled = false;   // then by 1/255
    std::vector<Step> steps = {};
  };

  // Would it decode this file? Any thread may ask.
  virtual bool takes(std::string_view file) = 0;
  // Hands the work to the stream, which is this thread's: the pictures' rows of `batch`, memory of the device. `keep`
  // holds the files' bytes until it is done. Returns why it cannot decode one of them, where no row counts then;
  // empty: it is under way.
  virtual std::string make(std::span<const Picture> pictures, const Wanted& wanted, void* batch, Stream& stream,
                           std::shared_ptr<const void> keep) = 0;

  // How it could decode, for people, the best first. One is to be chosen before anything is made, and while nothing
  // is: throws ResourceError where it is not to be had (data/pictures/device_decoder.h takes the first that works).
  virtual std::vector<std::string> ways() = 0;
  virtual void use(size_t way) = 0;
  virtual std::string way() = 0;  // the one that was chosen
};

}  // namespace brio
