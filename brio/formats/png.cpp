#include "brio/formats/png.h"

#include <vector>

#include "brio/formats/orientation.h"
#include "brio/formats/png_errors.h"

namespace brio::formats {

namespace {

// No chunk that says how to read the pixels is nearly as long.
constexpr size_t kChunkMemory = size_t{8} << 20;
constexpr int kChunkCount = 1000;

// 8-bit samples as 16-bit ones, from the row's end on, since they lie in the same memory.
void widen(uint8_t* row, int64_t samples) {
  for (int64_t i = samples - 1; i >= 0; --i) {
    const auto wide = static_cast<uint16_t>(row[i] * 0x0101);
    std::memcpy(row + 2 * i, &wide, 2);
  }
}

}  // namespace

struct PngDecoder::State {
  PngErrors errors;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view bytes;
  size_t at = 0;
  bool exhausted = false;

  PictureInfo picture;
  Origin origin;
  DecodeOptions options;
  PictureSize stored;
  bool widened = false;
  int passes = 1;
  std::vector<uint8_t> scratch;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { close(); }

  void close() { png_destroy_read_struct(&png, &info, nullptr); }
  int orientation() const { return options.apply_orientation ? picture.orientation : 1; }
  int pixel() const { return stored.channels * static_cast<int>(size_of(options.dtype)); }

  template <typename Body>
  void run(const Body& body) {
    if (errors.guarded(body)) return;
    close();
    if (exhausted) throw DataError(origin, bytes.size(), "the PNG ends too early; the file is truncated");
    throw DataError(origin, at, cat("not a good PNG: ", errors.message));
  }

  static void read(png_structp png, png_bytep to, size_t count) {
    auto* self = static_cast<State*>(png_get_io_ptr(png));
    if (self->bytes.size() - self->at < count) {
      self->exhausted = true;
      png_error(png, "the end of the file");
    }
    std::memcpy(to, self->bytes.data() + self->at, count);
    self->at += count;
  }

  void open(std::string_view file);
  void read_header();
  void choose_output();
  void decode(const RowPlacer& placer);
};

void PngDecoder::State::open(std::string_view file) {
  close();
  bytes = file;
  at = 0;
  exhausted = false;
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &errors, PngErrors::fail, PngErrors::ignore);
  info = png ? png_create_info_struct(png) : nullptr;
  if (!info) throw ResourceError("libpng: there is no memory for its state");
  run([&] { read_header(); });
  try {
    const int decoded =
        (options.channels ? options.channels : picture.channels) * static_cast<int>(size_of(options.dtype));
    check_limits(picture, bytes.size(), decoded, options.limits, origin);
  } catch (...) {
    close();
    throw;
  }
  run([&] { choose_output(); });
  // The rows are the caller's: libpng must not write more than they hold.
  BRIO_CHECK(png_get_rowbytes(png, info) * (widened ? 2 : 1) ==
                 static_cast<size_t>(stored.width) * static_cast<size_t>(pixel()),
             "libpng's rows are as long as was asked for");
}

void PngDecoder::State::read_header() {
  png_set_read_fn(png, this, read);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_limits() is asked
  png_set_chunk_malloc_max(png, kChunkMemory);
  png_set_chunk_cache_max(png, kChunkCount);
  // Texts and their kin may be large when they are unpacked, and say nothing of the pixels.
  constexpr png_byte kSkipped[] = "tEXt\0zTXt\0iTXt\0tIME\0sPLT\0hIST\0pCAL\0sCAL\0oFFs\0pHYs";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kSkipped, static_cast<int>(sizeof kSkipped / 5));
  png_read_info(png, info);
  picture = {PictureFormat::png,          png_get_image_height(png, info), png_get_image_width(png, info),
             png_get_channels(png, info), png_get_bit_depth(png, info),    1};
  if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE)
    picture.channels = png_get_valid(png, info, PNG_INFO_tRNS) ? 4 : 3;
  png_bytep exif = nullptr;
  png_uint_32 length = 0;
  if (options.apply_orientation && png_get_eXIf_1(png, info, &length, &exif))
    picture.orientation = exif_orientation({reinterpret_cast<const char*>(exif), length});
}

// The conversions of tf.io.decode_png, and in its order, which matters: the value of an alpha that is added is the
// largest of the stored depth, even where the samples are then widened.
void PngDecoder::State::choose_output() {
  const int colour = png_get_color_type(png, info), depth = picture.bit_depth;
  const bool transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  const bool alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0, grey = (colour & PNG_COLOR_MASK_COLOR) == 0;
  const int channels = options.channels ? options.channels : picture.channels;
  const bool wide = options.dtype == u16;
  if (channels % 2 == 0 && !alpha) {
    if (transparent) png_set_tRNS_to_alpha(png);
    else png_set_add_alpha(png, (1U << depth) - 1, PNG_FILLER_AFTER);
  } else if (channels % 2 == 1 && (alpha || transparent)) {
    png_set_strip_alpha(png);
  }
  if (depth == 16 && !wide) png_set_strip_16(png);
  png_set_packing(png);
  passes = png_set_interlace_handling(png);
  if (wide) png_set_swap(png);
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (grey && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (channels < 3 && !grey) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  if (channels >= 3 && grey) png_set_gray_to_rgb(png);
  png_read_update_info(png, info);
  widened = wide && depth <= 8;
  stored = {picture.height, picture.width, channels};
}

void PngDecoder::State::decode(const RowPlacer& placer) {
  const Window& window = placer.stored_window();
  const auto row_bytes = static_cast<size_t>(stored.width) * static_cast<size_t>(pixel());
  const bool whole = window.height == stored.height && window.width == stored.width && placer.as_stored();
  // An interlaced picture is completed pass by pass, so all of it must lie somewhere.
  if (passes > 1 && !whole) scratch.resize(row_bytes * static_cast<size_t>(stored.height));
  else if (!whole) scratch.resize(row_bytes);
  const auto place = [&](int64_t row) {
    return whole ? placer.place_of(row) : scratch.data() + (passes > 1 ? static_cast<size_t>(row) * row_bytes : 0);
  };
  run([&] {
    for (int pass = 0; pass < passes; ++pass) {
      const int64_t end = passes > 1 ? stored.height : window.top + window.height;
      for (int64_t row = 0; row < end; ++row) {
        png_read_row(png, place(row), nullptr);
        if (pass + 1 < passes || row < window.top || row >= window.top + window.height) continue;
        if (widened) widen(place(row), stored.width * stored.channels);
        if (!whole) placer.put(row, place(row) + window.left * pixel());
      }
    }
    if (window.top + window.height == stored.height) png_read_end(png, info);
  });
  close();
}

PngDecoder::PngDecoder() : state_(std::make_unique<State>()) {}
PngDecoder::PngDecoder(PngDecoder&&) noexcept = default;
PngDecoder& PngDecoder::operator=(PngDecoder&&) noexcept = default;
PngDecoder::~PngDecoder() = default;

const PictureInfo& PngDecoder::open(std::string_view bytes, const Origin& origin, const DecodeOptions& options) {
  if (options.channels < 0 || options.channels > 4)
    throw InvalidArgument(
        cat("[decode_png] channels is ", options.channels, "; a PNG is decoded to 0, 1, 2, 3 or 4"));
  if (options.dtype != u8 && options.dtype != u16)
    throw InvalidArgument(cat("[decode_png] dtype is ", options.dtype, "; a PNG is decoded to uint8 or uint16"));
  if (options.ratio != 1) throw InvalidArgument(cat("[decode_png] ratio is ", options.ratio, "; a PNG has only 1"));
  state_->origin = origin;
  state_->options = options;
  state_->open(bytes);
  return state_->picture;
}

PictureSize PngDecoder::size() const {
  PictureSize size = state_->stored;
  if (RowPlacer::transposes(state_->orientation())) std::swap(size.height, size.width);
  return size;
}

void PngDecoder::decode(void* rows, size_t stride) { decode(rows, stride, {0, 0, size().height, size().width}); }

void PngDecoder::decode(void* rows, size_t stride, const Window& window) {
  State& state = *state_;
  if (!state.png) throw InvalidArgument("[decode_png] no picture is open; call open() before each decode()");
  check_window(window, size(), "decode_png");
  state.decode(RowPlacer(state.orientation(), state.stored, window, state.pixel(), rows, stride));
}

}  // namespace brio::formats
