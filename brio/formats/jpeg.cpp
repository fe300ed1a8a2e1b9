#include "brio/formats/jpeg.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "brio/formats/jpeg_errors.h"
#include "brio/formats/orientation.h"

#include <jerror.h>

namespace brio::formats {

namespace {

// A file of a few bytes a scan could make libjpeg pass over a large picture thousands of times.
constexpr int kMaxScans = 100;
constexpr int kRowsAtOnce = 16;

// The bytes in memory. When they run out, and it is asked to recover, a picture's end is made up.
struct Source {
  jpeg_source_mgr manager{};  // first, as above
  const JOCTET* data = nullptr;
  size_t size = 0;
  bool recover = false, exhausted = false;
};
constexpr JOCTET kEndMarker[2] = {0xff, JPEG_EOI};

::boolean fill(j_decompress_ptr info) {
  auto* source = reinterpret_cast<Source*>(info->src);
  if (source->recover) {
    // libjpeg asks in the middle of a block whose bytes it has not yet declared as read. TensorFlow lets it read them
    // again, and so do we: recovered pictures have the same pixels.
    if (source->manager.bytes_in_buffer > 0) return TRUE;
    if (source->manager.next_input_byte != kEndMarker) {
      WARNMS(info, JWRN_JPEG_EOF);
      source->manager.next_input_byte = kEndMarker;
      source->manager.bytes_in_buffer = 2;
      return TRUE;
    }
  }
  source->exhausted = true;
  ERREXIT(info, JERR_INPUT_EOF);
  return FALSE;
}

void skip(j_decompress_ptr info, long count) {
  auto* source = reinterpret_cast<Source*>(info->src);
  if (count <= 0) return;
  if (static_cast<size_t>(count) > source->manager.bytes_in_buffer) {
    source->manager.bytes_in_buffer = 0;
    fill(info);
    return;
  }
  source->manager.next_input_byte += count;
  source->manager.bytes_in_buffer -= static_cast<size_t>(count);
}

// CMYK as libjpeg gives it (inverted where Adobe's marker is there) in place to RGB.
void cmyk_to_rgb(uint8_t* row, int64_t width, bool adobe) {
  const uint8_t* from = row;
  for (int64_t i = 0; i < width; ++i, from += 4, row += 3) {
    const int k = adobe ? from[3] : 255 - from[3];
    for (int c = 0; c < 3; ++c) row[c] = static_cast<uint8_t>(k * (adobe ? from[c] : 255 - from[c]) / 255);
  }
}

}  // namespace

struct JpegDecoder::State {
  jpeg_decompress_struct info{};
  JpegErrors errors;
  Source source;
  jpeg_progress_mgr progress{};
  std::vector<uint8_t> row;  // a decoded row, where it cannot go straight to the caller

  PictureInfo picture;
  Origin origin;
  DecodeOptions options;
  PictureSize stored;  // after `ratio`, before the orientation
  bool is_open = false, cmyk = false;

  State() {
    info.err = &errors.manager;
    if (!errors.guarded([&] { jpeg_create_decompress(&info); }))
      throw ResourceError(cat("libjpeg: ", errors.message));
    source.manager.init_source = [](j_decompress_ptr) {};
    source.manager.term_source = [](j_decompress_ptr) {};
    source.manager.fill_input_buffer = fill;
    source.manager.skip_input_data = skip;
    source.manager.resync_to_restart = jpeg_resync_to_restart;
    info.src = &source.manager;
    progress.progress_monitor = [](j_common_ptr common) {
      const auto* decompress = reinterpret_cast<j_decompress_ptr>(common);
      if (decompress->input_scan_number > kMaxScans) ERREXIT(common, JERR_BAD_PROGRESSION);
    };
    info.progress = &progress;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { jpeg_destroy_decompress(&info); }

  int orientation() const { return options.apply_orientation ? picture.orientation : 1; }

  // What libjpeg does not catch: `body` is run so that its errors become DataErrors that say where.
  template <typename Body>
  void run(const Body& body) {
    if (errors.guarded(body)) return;
    const size_t left = source.manager.bytes_in_buffer;
    const uint64_t at = source.exhausted || left > source.size ? source.size : source.size - left;
    close();
    if (source.exhausted) throw DataError(origin, at, "the JPEG ends too early; the file is truncated");
    throw DataError(origin, at, cat("not a good JPEG: ", errors.message));
  }
  void close() {
    is_open = false;
    jpeg_abort_decompress(&info);  // gives the picture's memory back, and throws nothing
  }

  void open(std::string_view bytes);
  void choose_output();
  void decode(const RowPlacer& placer);
  void read_window(const RowPlacer& placer);
};

void JpegDecoder::State::open(std::string_view bytes) {
  close();
  source.data = reinterpret_cast<const JOCTET*>(bytes.data());
  source.size = bytes.size();
  source.manager.next_input_byte = source.data;
  source.manager.bytes_in_buffer = source.size;
  source.recover = options.try_recover_truncated;
  source.exhausted = false;
  errors.warnings_are_errors = options.warnings_are_errors;
  errors.warning[0] = '\0';
  run([&] {
    jpeg_read_header(&info, TRUE);  // sets the number of warnings to 0
    choose_output();
    jpeg_calc_output_dimensions(&info);
  });
  picture = {PictureFormat::jpeg, info.image_height,
             info.image_width,    std::min(info.num_components, 3),
             info.data_precision, options.apply_orientation ? jpeg_orientation(bytes) : 1};
  const int channels = options.channels ? options.channels : picture.channels;
  stored = {info.output_height, info.output_width, channels};
  const auto refuse = [&](std::string_view why) {
    const uint64_t at = source.size - source.manager.bytes_in_buffer;
    close();
    throw DataError(origin, at, why);
  };
  if (info.num_components == 2) refuse("the JPEG has 2 channels, which stand for no known colours");
  // A file of several scans is held as coefficients before the first row comes out: two bytes for each sample.
  const bool several_scans = jpeg_has_multiple_scans(&info);
  try {
    check_limits(picture, bytes.size(), channels + (several_scans ? 2 * info.num_components : 0), options.limits,
                 origin);
  } catch (...) {
    close();
    throw;
  }
  is_open = true;
}

void JpegDecoder::State::choose_output() {
  cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  const int channels = options.channels ? options.channels : std::min(info.num_components, 3);
  if (cmyk) info.out_color_space = JCS_CMYK;
  else info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info.do_fancy_upsampling = options.fancy_upscaling;
  info.dct_method = options.accurate_dct ? JDCT_ISLOW : JDCT_IFAST;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(options.ratio);
}

void JpegDecoder::State::decode(const RowPlacer& placer) {
  is_open = false;
  row.resize(static_cast<size_t>(stored.width) * (cmyk ? 4 : 3));
  run([&] {
    jpeg_start_decompress(&info);
    read_window(placer);
    // The rest is read to its end, so that a truncated file is found out; a window's rest is not.
    if (info.output_scanline == info.output_height) jpeg_finish_decompress(&info);
    else jpeg_abort_decompress(&info);
  });
}

void JpegDecoder::State::read_window(const RowPlacer& placer) {
  const Window& window = placer.stored_window();
  const int samples = cmyk ? 4 : stored.channels;
  int64_t left = window.left;
  if (window.width < stored.width) {
    // libjpeg begins on a block, and smooths chroma as if the picture ended at the window: one column more on each
    // side makes the window's own pixels those of the whole picture.
    const int64_t begin = std::max<int64_t>(window.left - 1, 0);
    auto first = static_cast<JDIMENSION>(begin);
    auto width = static_cast<JDIMENSION>(std::min(window.left + window.width + 2, stored.width) - begin);
    jpeg_crop_scanline(&info, &first, &width);
    left = window.left - first;
  }
  if (window.top > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(window.top));
  const auto end = static_cast<JDIMENSION>(window.top + window.height);
  const bool straight = placer.as_stored() && !cmyk && window.width == info.output_width;
  while (info.output_scanline < end) {
    const auto line = info.output_scanline;
    JSAMPROW rows[kRowsAtOnce] = {row.data()};
    JDIMENSION count = 1;
    if (straight) {
      count = std::min<JDIMENSION>(kRowsAtOnce, end - line);
      for (JDIMENSION i = 0; i < count; ++i) rows[i] = placer.place_of(line + i);
    }
    jpeg_read_scanlines(&info, rows, count);  // never none: the source does not suspend
    if (straight) continue;
    uint8_t* pixels = row.data() + left * samples;
    if (cmyk) {
      cmyk_to_rgb(pixels, window.width, info.saw_Adobe_marker);
      if (stored.channels == 1)
        for (int64_t i = 0; i < window.width; ++i)
          pixels[i] = luma(pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]);
    }
    placer.put(line, pixels);
  }
}

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {}
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;
JpegDecoder& JpegDecoder::operator=(JpegDecoder&&) noexcept = default;
JpegDecoder::~JpegDecoder() = default;

const PictureInfo& JpegDecoder::open(std::string_view bytes, const Origin& origin, const DecodeOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3)
    throw InvalidArgument(cat("[decode_jpeg] channels is ", options.channels, "; a JPEG is decoded to 0, 1 or 3"));
  if (options.ratio != 1 && options.ratio != 2 && options.ratio != 4 && options.ratio != 8)
    throw InvalidArgument(cat("[decode_jpeg] ratio is ", options.ratio, "; it is 1, 2, 4 or 8"));
  if (options.dtype != u8)
    throw InvalidArgument(cat("[decode_jpeg] dtype is ", options.dtype, "; a JPEG is decoded to uint8"));
  state_->origin = origin;
  state_->options = options;
  state_->open(bytes);
  return state_->picture;
}

PictureSize JpegDecoder::size() const {
  PictureSize size = state_->stored;
  if (RowPlacer::transposes(state_->orientation())) std::swap(size.height, size.width);
  return size;
}

void JpegDecoder::decode(void* rows, size_t stride) { decode(rows, stride, {0, 0, size().height, size().width}); }

void JpegDecoder::decode(void* rows, size_t stride, const Window& window) {
  State& state = *state_;
  if (!state.is_open) throw InvalidArgument("[decode_jpeg] no picture is open; call open() before each decode()");
  check_window(window, size(), "decode_jpeg");
  state.decode(RowPlacer(state.orientation(), state.stored, window, state.stored.channels, rows, stride));
}

int64_t JpegDecoder::warnings() const { return state_->errors.manager.num_warnings; }
std::string_view JpegDecoder::first_warning() const { return state_->errors.warning; }

int jpeg_ratio_for(int64_t height, int64_t width, int64_t wanted_height, int64_t wanted_width) {
  int ratio = 1;
  const auto holds = [&](int64_t r) {
    return (height + r - 1) / r >= wanted_height && (width + r - 1) / r >= wanted_width;
  };
  while (ratio < 8 && holds(2 * ratio)) ratio *= 2;
  return ratio;
}

}  // namespace brio::formats
