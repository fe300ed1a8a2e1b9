// libnvjpeg.so.13 for a machine without a GPU: libjpeg decodes, so that samples are those of the host. There are
// engines for JPEGs, unless EMULATED_NO_JPEG_ENGINES is set; pictures of fewer than 16 lines are not for them.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "brio/backends/cuda/nvjpeg.h"

#include <jpeglib.h>

namespace brio::cuda {
struct NvjpegHandle {
  NvjpegBackend backend;
};
struct NvjpegState {
  int pictures;
  NvjpegOutput output;
};
struct NvjpegStream {
  bool supported;
};
}  // namespace brio::cuda

namespace {

using namespace brio::cuda;

constexpr auto kSuccess = NvjpegStatus::success;
constexpr auto kBadJpeg = static_cast<NvjpegStatus>(3);
constexpr auto kInvalid = static_cast<NvjpegStatus>(2);

struct Decoder {
  jpeg_error_mgr errors{};
  std::jmp_buf out{};
  jpeg_decompress_struct info{};
};

void leave(j_common_ptr info) { std::longjmp(static_cast<Decoder*>(info->client_data)->out, 1); }
void say_nothing(j_common_ptr) {}

void begin(Decoder& d, const unsigned char* file, size_t bytes) {
  d.info.err = jpeg_std_error(&d.errors);
  d.errors.error_exit = leave;
  d.errors.output_message = say_nothing;
  d.info.client_data = &d;
  jpeg_create_decompress(&d.info);
  jpeg_mem_src(&d.info, file, bytes);
  jpeg_read_header(&d.info, TRUE);
  d.info.dct_method = JDCT_IFAST;
}

void read_pixels(Decoder& d, const NvjpegImage& to) {
  d.info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&d.info);
  while (d.info.output_scanline < d.info.output_height) {
    JSAMPROW row = to.channel[0] + d.info.output_scanline * to.pitch[0];
    jpeg_read_scanlines(&d.info, &row, 1);
  }
}

// Whole rows of blocks, of which a plane gets what is its own.
void read_planes(Decoder& d, const NvjpegImage& to, std::vector<unsigned char>& lines) {
  d.info.raw_data_out = TRUE;
  jpeg_start_decompress(&d.info);
  const auto width = static_cast<size_t>(d.info.output_width) + 64;
  lines.resize(3 * 32 * width);
  JSAMPROW rows[3][32];
  JSAMPARRAY planes[3];
  for (size_t c = 0; c < 3; ++c) {
    planes[c] = rows[c];
    for (size_t i = 0; i < 32; ++i) rows[c][i] = lines.data() + (c * 32 + i) * width;
  }
  const auto at_once = static_cast<unsigned>(d.info.max_v_samp_factor * DCTSIZE);
  for (unsigned block = 0; d.info.output_scanline < d.info.output_height; ++block) {
    jpeg_read_raw_data(&d.info, planes, at_once);
    for (int c = 0; c < 3; ++c) {
      const jpeg_component_info& component = d.info.comp_info[c];
      const auto height = static_cast<unsigned>(component.v_samp_factor * DCTSIZE);
      for (unsigned i = 0; i < height && block * height + i < component.downsampled_height; ++i)
        std::copy_n(rows[c][i], component.downsampled_width, to.channel[c] + (block * height + i) * to.pitch[c]);
    }
  }
}

NvjpegStatus decode(const unsigned char* file, size_t bytes, NvjpegOutput output, const NvjpegImage& to) {
  Decoder d;
  std::vector<unsigned char> lines;
  if (setjmp(d.out) != 0) {
    jpeg_destroy_decompress(&d.info);
    return kBadJpeg;
  }
  begin(d, file, bytes);
  if (output == NvjpegOutput::planes) read_planes(d, to, lines);
  else read_pixels(d, to);
  jpeg_destroy_decompress(&d.info);
  return kSuccess;
}

}  // namespace

extern "C" {

NvjpegStatus nvjpegGetProperty(NvjpegProperty which, int* value) {
  *value = which == NvjpegProperty::major ? 13 : 0;
  return kSuccess;
}
NvjpegStatus nvjpegCreateEx(NvjpegBackend backend, void*, void*, unsigned, NvjpegHandle** made) {
  if (backend == NvjpegBackend::hardware && std::getenv("EMULATED_NO_JPEG_ENGINES"))
    return static_cast<NvjpegStatus>(7);
  *made = new NvjpegHandle{backend};
  return kSuccess;
}
NvjpegStatus nvjpegDestroy(NvjpegHandle* handle) { return delete handle, kSuccess; }
NvjpegStatus nvjpegGetHardwareDecoderInfo(NvjpegHandle*, unsigned* engines, unsigned* cores) {
  *engines = *cores = 1;
  return kSuccess;
}
NvjpegStatus nvjpegJpegStateCreate(NvjpegHandle*, NvjpegState** made) {
  *made = new NvjpegState{0, NvjpegOutput::planes};
  return kSuccess;
}
NvjpegStatus nvjpegJpegStreamCreate(NvjpegHandle*, NvjpegStream** made) {
  *made = new NvjpegStream{false};
  return kSuccess;
}
NvjpegStatus nvjpegJpegStreamParseHeader(NvjpegHandle*, const unsigned char* file, size_t bytes, NvjpegStream* into) {
  Decoder d;
  if (setjmp(d.out) != 0) {
    jpeg_destroy_decompress(&d.info);
    return kBadJpeg;
  }
  begin(d, file, bytes);
  into->supported = d.info.image_height >= 16;
  jpeg_destroy_decompress(&d.info);
  return kSuccess;
}
NvjpegStatus nvjpegDecodeBatchedSupported(NvjpegHandle*, NvjpegStream* header, int* not_zero_if_not) {
  *not_zero_if_not = header->supported ? 0 : 1;
  return kSuccess;
}
NvjpegStatus nvjpegDecodeBatchedInitialize(NvjpegHandle*, NvjpegState* state, int pictures, int,
                                           NvjpegOutput output) {
  *state = {pictures, output};
  return kSuccess;
}
NvjpegStatus nvjpegDecodeBatched(NvjpegHandle*, NvjpegState* state, const unsigned char* const* files,
                                 const size_t* bytes, NvjpegImage* pictures, CUstream) {
  if (state->pictures == 0) return kInvalid;
  for (int i = 0; i < state->pictures; ++i)
    if (const NvjpegStatus status = decode(files[i], bytes[i], state->output, pictures[i]); status != kSuccess)
      return status;
  return kSuccess;
}

}  // extern "C"
