#include "brio/backends/cuda/pictures.h"

#include <algorithm>
#include <functional>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/base/cpu_count.h"
#include "brio/base/error.h"

namespace brio::cuda {
namespace {

// Batches that are decoded at once: the chip's engines are several, and the host has work with each batch too.
constexpr size_t kSlots = 4;

// As in pictures.cuh.
struct PictureOnDevice {
  const unsigned char *luma, *blue, *red;
  int pitch, chroma_pitch, chroma_height, chroma_width;
  int across, down;
  int top, left, height, width;
  int mirrored, upside_down;
  long long place;
};
struct StepOnDevice {
  int normalizes;
  float a[3], b[3];
};
struct WantedOnDevice {
  int height, width, rounded, scaled, steps;
  StepOnDevice step[DevicePictures::kMostSteps];
};
static_assert(sizeof(PictureOnDevice) == 80 && sizeof(WantedOnDevice) == 132);

// Work for a stream that is no node's.
class Task final : public CudaKernel {
 public:
  Task(std::string_view name, std::function<void(CudaStream&)> run) : run_(std::move(run)) {
    op = name;
    description = name;
  }
  void enqueue(const KernelArgs&, CudaStream& stream) const override { run_(stream); }

 private:
  std::function<void(CudaStream&)> run_;
};

WantedOnDevice on_device(const DevicePictures::Wanted& wanted) {
  BRIO_CHECK(wanted.steps.size() <= DevicePictures::kMostSteps, "too many steps for the kernel of pictures");
  WantedOnDevice w{};
  w.height = static_cast<int>(wanted.height);
  w.width = static_cast<int>(wanted.width);
  w.rounded = wanted.rounded;
  w.scaled = wanted.scaled;
  w.steps = static_cast<int>(wanted.steps.size());
  for (size_t i = 0; i < wanted.steps.size(); ++i) {
    w.step[i].normalizes = wanted.steps[i].normalizes;
    std::copy_n(wanted.steps[i].a, 3, w.step[i].a);
    std::copy_n(wanted.steps[i].b, 3, w.step[i].b);
  }
  return w;
}

}  // namespace

// Where the samples of a batch are decoded to.
struct CudaPictures::Planes {
  std::vector<NvjpegImage> images;
  std::vector<PictureOnDevice> pictures;
  size_t bytes = 0;

  // Lines begin at multiples of 64 bytes, and there is room for whole blocks of pixels, should a decoder write them.
  size_t add(int64_t height, int64_t line) {
    const size_t at = bytes;
    bytes += static_cast<size_t>((height + 15) / 16 * 16 * pitch(line));
    return at;
  }
  static int64_t pitch(int64_t line) { return (line + 63) / 64 * 64; }

  void place(std::span<const Picture> all, NvjpegOutput output, CUdeviceptr begin) {
    const auto address = [&](size_t at) { return reinterpret_cast<unsigned char*>(begin + at); };
    bytes = 0;
    images.assign(all.size(), {});
    pictures.assign(all.size(), {});
    for (size_t i = 0; i < all.size(); ++i) {
      const Picture& from = all[i];
      PictureOnDevice& p = pictures[i];
      const bool planes = output == NvjpegOutput::planes;
      const int64_t line = planes ? from.width : 3 * from.width;
      const int64_t chroma_height = (from.height + from.down) >> from.down;
      const int64_t chroma_width = (from.width + from.across) >> from.across;
      p.luma = images[i].channel[0] = address(add(from.height, line));
      images[i].pitch[0] = static_cast<size_t>(pitch(line));
      if (planes) {
        p.blue = images[i].channel[1] = address(add(chroma_height, chroma_width));
        p.red = images[i].channel[2] = address(add(chroma_height, chroma_width));
        images[i].pitch[1] = images[i].pitch[2] = static_cast<size_t>(pitch(chroma_width));
      }
      p.pitch = static_cast<int>(pitch(line));
      p.chroma_pitch = static_cast<int>(pitch(chroma_width));
      p.chroma_height = static_cast<int>(chroma_height);
      p.chroma_width = static_cast<int>(chroma_width);
      p.across = planes ? from.across : -1;
      p.down = from.down;
      p.top = static_cast<int>(from.top);
      p.left = static_cast<int>(from.left);
      p.height = static_cast<int>(from.rows);
      p.width = static_cast<int>(from.columns);
      p.mirrored = from.mirrored;
      p.upside_down = from.upside_down;
      p.place = from.place;
    }
  }
};

std::shared_ptr<const Code> CudaPictures::kernel(Compiler& compiler, DType dtype) {
  return compiler.code("pictures",
                       kernel_of(cat(type_name(dtype), "* batch, const Picture* pictures, ",
                                     "const __grid_constant__ WantedPictures w"),
                                 cat("make_pictures<", type_name(dtype), ">(batch, pictures, w)")),
                       {"pictures"}, Effort::fold);
}

// ---- Ways to decode

CudaPictures::CudaPictures(CudaDevice& device) : device_(device) {
  const auto add = [this](const char* name, NvjpegBackend backend, NvjpegOutput output) {
    Way& way = ways_.emplace_back();
    way.name = name;
    way.backend = backend;
    way.output = output;
  };
  using enum NvjpegBackend;
  add("the chip's JPEG engines", hardware, NvjpegOutput::planes);
  add("the chip's JPEG engines, to RGB", hardware, NvjpegOutput::pixels);
  add("kernels of nvJPEG", device_huffman, NvjpegOutput::planes);
  add("kernels of nvJPEG, to RGB", device_huffman, NvjpegOutput::pixels);
  add("kernels of nvJPEG, Huffman codes read by the host", host_huffman, NvjpegOutput::planes);
}

std::vector<std::string> CudaPictures::ways() {
  std::vector<std::string> names;
  for (const Way& way : ways_) names.push_back(way.name);
  return names;
}

void CudaPictures::use(size_t number) {
  BRIO_CHECK(number < ways_.size(), "there are ", ways_.size(), " ways to decode");
  Way& way = ways_[number];
  way_ = nullptr;
  if (!way.handle) {
    const Nvjpeg& n = nvjpeg();
    device_.enter();
    NvjpegHandle* handle = nullptr;
    NvjpegStatus status = n.create(way.backend, nullptr, nullptr, 0, &handle);
    unsigned engines = 0, cores = 0;
    if (status == NvjpegStatus::success && way.backend == NvjpegBackend::hardware) {
      status = n.hardware_info(handle, &engines, &cores);
      if (status == NvjpegStatus::success && engines == 0) status = NvjpegStatus::not_supported;
      if (status != NvjpegStatus::success) n.destroy(handle);
    }
    if (status != NvjpegStatus::success) throw ResourceError(cat("[cuda] ", way.name, ": ", text_of(status)));
    way.handle = handle;
    if (engines != 0) way.name += cat(", ", engines, " of ", cores, " cores");
  }
  way_ = &way;
}

std::string CudaPictures::way() {
  if (!way_) return "none";
  int major = 0, minor = 0;
  nvjpeg().get_property(NvjpegProperty::major, &major);
  nvjpeg().get_property(NvjpegProperty::minor, &minor);
  return cat("nvJPEG ", major, ".", minor, ", ", way_->name);
}

// ---- Decoding

bool CudaPictures::takes(std::string_view file) {
  Way& way = *way_;
  if (way.backend != NvjpegBackend::hardware) return true;  // the others take all that plain_jpeg() lets pass
  device_.enter();
  NvjpegStream* header = nullptr;
  if (const std::lock_guard lock(mutex_); !way.headers.empty()) {
    header = way.headers.back();
    way.headers.pop_back();
  }
  if (!header && nvjpeg().create_stream(way.handle, &header) != NvjpegStatus::success) return false;
  int not_supported = 1;
  const bool known = nvjpeg().parse_header(way.handle, reinterpret_cast<const unsigned char*>(file.data()),
                                           file.size(), header) == NvjpegStatus::success &&
                     nvjpeg().batch_supports(way.handle, header, &not_supported) == NvjpegStatus::success;
  const std::lock_guard lock(mutex_);
  way.headers.push_back(header);
  return known && not_supported == 0;
}

// A slot, until the end of the scope.
class CudaPictures::Lease {
 public:
  Lease(CudaPictures& owner, Way& way, CudaStream& stream) : owner_(owner), way_(way), stream_(stream) {
    {
      std::unique_lock lock(owner_.mutex_);
      owner_.given_back_.wait(lock, [&] { return !way_.slots.empty() || way_.made < kSlots; });
      if (way_.made < kSlots) {
        ++way_.made;
        slot_ = std::make_unique<Slot>();
      } else {
        slot_ = std::move(way_.slots.front());  // the one that was given back first
        way_.slots.erase(way_.slots.begin());
      }
    }
    if (slot_->stream) slot_->stream->pass(slot_->ticket);
  }
  Lease(const Lease&) = delete;
  ~Lease() {
    slot_->stream = &stream_;
    try {
      slot_->ticket = stream_.mark();
    } catch (const std::exception&) {  // of a device that is broken: whoever uses it next is told
      slot_->stream = nullptr;
    }
    {
      const std::lock_guard lock(owner_.mutex_);
      way_.slots.push_back(std::move(slot_));
    }
    owner_.given_back_.notify_one();
  }
  Slot* operator->() const { return slot_.get(); }
  Slot& get() const { return *slot_; }

 private:
  CudaPictures& owner_;
  Way& way_;
  CudaStream& stream_;
  std::unique_ptr<Slot> slot_;
};

std::string CudaPictures::make(std::span<const Picture> pictures, const Wanted& wanted, void* batch, Stream& on,
                               std::shared_ptr<const void> keep) {
  BRIO_CHECK(way_, "pictures are to be decoded, and nobody has said how");
  Way& way = *way_;
  auto& stream = static_cast<CudaStream&>(on);
  const auto code = kernel(device_.compiler(), wanted.dtype);
  (void)code->function();  // compiled before anything is under way
  Planes planes;
  planes.place(pictures, way.output, 0);
  const BufferRef samples = BufferRef::allocate(planes.bytes, Owner::input, device_.memory());
  planes.place(pictures, way.output, reinterpret_cast<CUdeviceptr>(samples->data()));
  const size_t bytes = planes.pictures.size() * sizeof(PictureOnDevice);
  const BufferRef table = BufferRef::allocate(bytes, Owner::input, device_.memory());
  BufferUses uses(stream);
  uses.add(samples.get());
  uses.add(table.get());
  stream.copy_to_device(table->data(), planes.pictures.data(), bytes);

  std::vector<const unsigned char*> files;
  std::vector<size_t> sizes;
  for (const Picture& picture : pictures) {
    files.push_back(reinterpret_cast<const unsigned char*>(picture.file.data()));
    sizes.push_back(picture.file.size());
  }
  const auto count = static_cast<int>(pictures.size());
  NvjpegStatus status = NvjpegStatus::success;
  {
    const Lease slot(*this, way, stream);
    stream.launch(Task("decode_jpegs",
                       [&](CudaStream& s) {
                         status = prepare(way, slot.get(), count);
                         if (status == NvjpegStatus::success)
                           status = nvjpeg().decode_batch(way.handle, slot->state, files.data(), sizes.data(),
                                                          planes.images.data(), s.handle());
                         if (status != NvjpegStatus::success) slot->pictures = 0;  // it has to begin anew
                       }),
                  {}, {}, nullptr);
    stream.keep(std::move(keep));
  }
  if (status == NvjpegStatus::success)
    stream.launch(
        Task("make_pictures",
             [&](CudaStream& s) {
               const auto blocks = static_cast<unsigned>((wanted.height * wanted.width + 255) / 256);
               s.start(*code, {blocks, static_cast<unsigned>(count)}, {256}, batch, table->data(), on_device(wanted));
             }),
        {}, {}, nullptr);
  uses.publish();
  return status == NvjpegStatus::success ? std::string() : std::string(text_of(status));
}

NvjpegStatus CudaPictures::prepare(Way& way, Slot& slot, int pictures) {
  const Nvjpeg& n = nvjpeg();
  if (!slot.state)
    if (const NvjpegStatus status = n.create_state(way.handle, &slot.state); status != NvjpegStatus::success)
      return status;
  if (slot.pictures == pictures) return NvjpegStatus::success;
  slot.pictures = pictures;
  const int threads = way.backend == NvjpegBackend::hardware ? 1 : std::max(1, usable_cpus() / 2);
  return n.begin_batch(way.handle, slot.state, pictures, threads, way.output);
}

DevicePictures* CudaDevice::pictures() {
  std::call_once(pictures_once_, [this] { pictures_ = std::make_shared<CudaPictures>(*this); });
  return pictures_.get();
}

}  // namespace brio::cuda
