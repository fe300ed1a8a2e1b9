// tf.io.encode_jpeg. The encoder writes into a malloc'ed block that grows, which libjpeg's own destination would leak
// on an error.
#include <cstdlib>
#include <limits>

#include "brio/formats/jpeg.h"
#include "brio/formats/jpeg_errors.h"

#include <jerror.h>

namespace brio::formats {

namespace {

constexpr size_t kFirstBlock = size_t{64} << 10;

struct Destination {
  jpeg_destination_mgr manager{};  // first: libjpeg's pointer to it is a pointer to this
  JOCTET* data = nullptr;
  size_t size = 0;

  Destination() {
    manager.init_destination = [](j_compress_ptr info) { grow(info); };
    manager.empty_output_buffer = [](j_compress_ptr info) -> ::boolean {
      reinterpret_cast<Destination*>(info->dest)->manager.free_in_buffer =
          0;  // all of it is used when this is called
      grow(info);
      return TRUE;
    };
    manager.term_destination = [](j_compress_ptr) {};
  }
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;
  ~Destination() { std::free(data); }

  size_t used() const { return size - manager.free_in_buffer; }

  static void grow(j_compress_ptr info) {
    auto* self = reinterpret_cast<Destination*>(info->dest);
    const size_t before = self->used(), size = self->size ? 2 * self->size : kFirstBlock;
    auto* data = static_cast<JOCTET*>(std::realloc(self->data, size));
    if (!data) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    self->data = data;
    self->size = size;
    self->manager.next_output_byte = data + before;
    self->manager.free_in_buffer = size - before;
  }
};

struct JpegEncoder {
  jpeg_compress_struct info{};
  JpegErrors errors;
  Destination destination;

  JpegEncoder() {
    info.err = &errors.manager;
    if (!errors.guarded([&] { jpeg_create_compress(&info); })) throw ResourceError(cat("libjpeg: ", errors.message));
    info.dest = &destination.manager;
  }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;
  ~JpegEncoder() { jpeg_destroy_compress(&info); }

  void encode(const void* rows, size_t stride, const PictureSize& size, const JpegEncodeOptions& options) {
    info.image_height = static_cast<JDIMENSION>(size.height);
    info.image_width = static_cast<JDIMENSION>(size.width);
    info.input_components = size.channels;
    info.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    info.optimize_coding = options.optimize_size;
    info.density_unit = static_cast<UINT8>(options.density_unit);
    info.X_density = static_cast<UINT16>(options.x_density);
    info.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&info, options.quality, TRUE);
    if (options.progressive) jpeg_simple_progression(&info);
    if (!options.chroma_downsampling)
      for (int i = 0; i < info.num_components; ++i)
        info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
      auto* row = const_cast<JSAMPROW>(static_cast<const JSAMPLE*>(rows) + info.next_scanline * stride);
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
  }
};

}  // namespace

std::string encode_jpeg(const void* rows, size_t stride, const PictureSize& size, const JpegEncodeOptions& options) {
  const auto refuse = [](const std::string& why) { throw InvalidArgument("[encode_jpeg] " + why); };
  if (size.channels != 1 && size.channels != 3)
    refuse(cat("the picture has ", size.channels, " channels; a JPEG holds 1 or 3"));
  if (size.height < 1 || size.width < 1 || size.height > JPEG_MAX_DIMENSION || size.width > JPEG_MAX_DIMENSION)
    refuse(cat("the picture is ", size.height, " x ", size.width, "; a side of a JPEG has 1 to ",
               static_cast<int64_t>(JPEG_MAX_DIMENSION), " pixels"));
  if (options.quality < 0 || options.quality > 100) refuse(cat("quality is ", options.quality, "; it is 0 to 100"));
  if (options.density_unit < 0 || options.density_unit > 2)
    refuse(cat("density_unit is ", options.density_unit, "; it is 0, 1 or 2"));
  constexpr int kMost = std::numeric_limits<uint16_t>::max();
  if (options.x_density < 0 || options.x_density > kMost || options.y_density < 0 || options.y_density > kMost)
    refuse(cat("the density is ", options.x_density, " x ", options.y_density, "; it is 0 to ", kMost));
  JpegEncoder encoder;
  if (!encoder.errors.guarded([&] { encoder.encode(rows, stride, size, options); }))
    throw ResourceError(cat("[encode_jpeg] ", encoder.errors.message));
  return {reinterpret_cast<const char*>(encoder.destination.data), encoder.destination.used()};
}

}  // namespace brio::formats
