// JPEGs on a GPU: nvJPEG decodes a batch of them, by the chip's own engines where it has some, and one kernel
// (device/pictures.cuh) makes the batch of what it decoded.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "brio/backends/cuda/device.h"
#include "brio/runtime/device_pictures.h"

namespace brio::cuda {

class CudaPictures final : public DevicePictures {
 public:
  explicit CudaPictures(CudaDevice& device);

  bool takes(std::string_view file) override;
  std::string make(std::span<const Picture> pictures, const Wanted& wanted, void* batch, Stream& stream,
                   std::shared_ptr<const void> keep) override;
  std::string way() override;
  std::vector<std::string> ways() override;
  void use(size_t way) override;

  // The kernel that makes batches of this dtype.
  static std::shared_ptr<const Code> kernel(Compiler& compiler, DType dtype);

 private:
  // What decodes one batch at a time; it is done with it when the stream has passed the ticket.
  struct Slot {
    NvjpegState* state = nullptr;
    int pictures = 0;  // that it is prepared for
    CudaStream* stream = nullptr;
    uint64_t ticket = 0;
  };
  struct Way {
    std::string name;
    NvjpegBackend backend = NvjpegBackend::any;
    NvjpegOutput output = NvjpegOutput::planes;
    NvjpegHandle* handle = nullptr;
    std::vector<NvjpegStream*> headers = {};
    std::vector<std::unique_ptr<Slot>> slots = {};
    size_t made = 0;  // slots that there are, those in use among them
  };
  struct Planes;
  class Lease;

  static NvjpegStatus prepare(Way& way, Slot& slot, int pictures);

  CudaDevice& device_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<Way> ways_;
  Way* way_ = nullptr;
};

}  // namespace brio::cuda
