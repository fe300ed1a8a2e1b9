// tf.io: files, pictures in their formats, bytes as numbers.
#include "brio/base/error.h"
#include "brio/data/sources/glob.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/decode_raw.h"
#include "brio/formats/file.h"
#include "brio/ir/string_moves.h"
#include "brio/ops/strings/strings.h"
#include "brio/profile/clock.h"
#include "brio/profile/op_times.h"
#include "brio/python/bind.h"
#include "brio/tensor/strings.h"

namespace brio::python {
namespace {

// The one string that a function is given, which must be known.
std::string one_string(const char* who, const Tensor& x) {
  if (x.dtype() != DType::string || x.size() != 1)
    throw InvalidArgument(
        cat("[", who, "] takes one string, but got a tensor of ", x.dtype(), " and shape ", x.shape()));
  check_known_now(who, x);
  return std::string(string_at(x.array(), 0));
}

// A function of one string, which works without the interpreter's lock.
template <typename F>
nb::object perform_on_string(const char* who, Given text, F f) {
  return perform(
      [who, f](const Tensor& x) {
        std::optional<Unlocked> release;
        if (PyGILState_Check()) release.emplace();
        const uint64_t begin = profile::ticks();
        Tensor made = f(one_string(who, x));
        if (profile::OpTimes* const table = profile::op_table()) table->add(who, profile::ticks() - begin);
        return made;
      },
      std::tuple{Parameter<Tensor>::take(text)});
}

nb::object decode(const char* who, Given contents, const formats::DecodeOptions& options,
                  std::optional<formats::PictureFormat> only = {}) {
  return perform_on_string(who, contents, [who, options, only](const std::string& bytes) {
    const auto format = formats::sniff_picture(bytes);
    if (format == formats::PictureFormat::unknown)
      throw InvalidArgument(cat("[", who, "] the contents are no JPEG, PNG or BMP picture"));
    // As in TensorFlow, decode_jpeg and decode_png take either; decode_bmp takes BMP alone.
    if (only == formats::PictureFormat::bmp && format != *only)
      throw InvalidArgument(cat("[", who, "] the contents are ", formats::name_of(format), ", not BMP"));
    try {
      return Tensor(formats::decode_picture(bytes, {who}, options));
    } catch (const formats::DataError& error) {
      throw InvalidArgument(cat("[", who, "] ", error.what()));  // TensorFlow's class for it
    }
  });
}

bool accurate_dct(const char* who, const std::string& method) {
  if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE")
    throw InvalidArgument(
        cat("[", who, "] dct_method is '", method, "'; it is 'INTEGER_FAST' or 'INTEGER_ACCURATE'"));
  return method == "INTEGER_ACCURATE";
}

void bind_decoding(nb::module_& m) {
  m.def(
      "decode_jpeg",
      [](Given contents, Given channels, Given ratio, bool fancy_upscaling, bool try_recover_truncated, Given,
         const std::string& dct_method, Given) {
        return decode("decode_jpeg", contents,
                      {.channels = axis_from(channels.object),
                       .ratio = axis_from(ratio.object),
                       .fancy_upscaling = fancy_upscaling,
                       .accurate_dct = accurate_dct("decode_jpeg", dct_method),
                       .try_recover_truncated = try_recover_truncated});
      },
      nb::arg("contents"), nb::arg("channels") = 0, nb::arg("ratio") = 1, nb::arg("fancy_upscaling") = true,
      nb::arg("try_recover_truncated") = false, nb::arg("acceptable_fraction") = 1, nb::arg("dct_method") = "",
      nb::arg("name") = nb::none(), "The pixels of a JPEG file's bytes.");
  m.def(
      "decode_png",
      [](Given contents, Given channels, Given dtype, Given) {
        return decode("decode_png", contents,
                      {.channels = axis_from(channels.object), .dtype = dtype_from(dtype.object)});
      },
      nb::arg("contents"), nb::arg("channels") = 0, nb::arg("dtype") = "uint8", nb::arg("name") = nb::none(),
      "The pixels of a PNG file's bytes.");
  m.def(
      "decode_bmp",
      [](Given contents, Given channels, Given) {
        return decode("decode_bmp", contents, {.channels = axis_from(channels.object)}, formats::PictureFormat::bmp);
      },
      nb::arg("contents"), nb::arg("channels") = 0, nb::arg("name") = nb::none(),
      "The pixels of a BMP file's bytes.");
  m.def(
      "_decode_image",
      [](Given contents, Given channels, Given dtype) {
        return decode("decode_image", contents,
                      {.channels = channels.object.is_none() ? 0 : axis_from(channels.object),
                       .dtype = dtype_from(dtype.object)});
      },
      nb::arg("contents"), nb::arg("channels") = nb::none(), nb::arg("dtype") = "uint8");
  m.def(
      "is_jpeg",
      [](Given contents, Given) {
        return perform_on_string("is_jpeg", contents, [](const std::string& bytes) {
          return host_scalar(formats::sniff_picture(bytes) == formats::PictureFormat::jpeg, boolean);
        });
      },
      nb::arg("contents"), nb::arg("name") = nb::none(), "True where bytes begin as a JPEG file does.");
  m.def(
      "_picture_size",
      [](Given contents) {
        return perform_on_string("extract_jpeg_shape", contents, [](const std::string& bytes) {
          const auto info = formats::picture_info(bytes, {"extract_jpeg_shape"});
          const int32_t sizes[] = {static_cast<int32_t>(info.height), static_cast<int32_t>(info.width),
                                   info.channels};
          return Tensor::from(sizes, {3});
        });
      },
      nb::arg("contents"));
  m.def(
      "_decode_raw",
      [](Given input, Given out_type, bool little_endian) {
        return perform(
            [dtype = dtype_from(out_type.object), little_endian](const Tensor& x) {
              if (x.dtype() != DType::string)
                throw InvalidArgument(cat("[decode_raw] takes strings, but got a tensor of ", x.dtype()));
              check_known_now("decode_raw", x);
              return Tensor(formats::decode_raw(x.array(), dtype, little_endian));
            },
            std::tuple{Parameter<Tensor>::take(input)});
      },
      nb::arg("input_bytes"), nb::arg("out_type"), nb::arg("little_endian") = true);
}

// The pixels of a picture that is to be encoded.
const Array& pixels_of(const char* who, const Tensor& x, bool wide) {
  if (x.rank() != 3 || (x.dtype() != u8 && !(wide && x.dtype() == u16)))
    throw InvalidArgument(cat("[", who, "] takes pixels (height, width, channels) of uint8", wide ? " or uint16" : "",
                              ", but got a tensor of ", x.dtype(), " and shape ", x.shape()));
  check_known_now(who, x);
  return x.array();
}
// A string of a picture's pixels, which is made without the interpreter's lock.
template <typename F>
nb::object perform_on_pixels(const char* who, Given image, bool wide, F f) {
  return perform(
      [who, wide, f](const Tensor& x) {
        std::optional<Unlocked> release;
        if (PyGILState_Check()) release.emplace();
        return string_tensor(f(pixels_of(who, x, wide)));
      },
      std::tuple{Parameter<Tensor>::take(image)});
}
formats::PictureSize size_of_picture(const Array& pixels) {
  const Shape& s = pixels.aval.shape;
  return {s[0], s[1], static_cast<int>(s[2])};
}

void bind_encoding(nb::module_& m) {
  m.def(
      "encode_jpeg",
      [](Given image, const std::string& format, int quality, bool progressive, bool optimize_size,
         bool chroma_downsampling, const std::string& density_unit, int x_density, int y_density, Given, Given) {
        if (density_unit != "in" && density_unit != "cm")
          throw InvalidArgument(cat("[encode_jpeg] density_unit is '", density_unit, "'; it is 'in' or 'cm'"));
        const formats::JpegEncodeOptions options{.quality = quality,
                                                 .progressive = progressive,
                                                 .optimize_size = optimize_size,
                                                 .chroma_downsampling = chroma_downsampling,
                                                 .density_unit = density_unit == "in" ? 1 : 2,
                                                 .x_density = x_density,
                                                 .y_density = y_density};
        return perform_on_pixels("encode_jpeg", image, false, [options, format](const Array& pixels) {
          const formats::PictureSize size = size_of_picture(pixels);
          if (size.channels != 1 && size.channels != 3)
            throw InvalidArgument(cat("[encode_jpeg] takes 1 or 3 channels, but got ", size.channels));
          if ((format == "grayscale" && size.channels != 1) || (format == "rgb" && size.channels != 3))
            throw InvalidArgument(
                cat("[encode_jpeg] format '", format, "' does not go with ", size.channels, " channels"));
          return formats::encode_jpeg(pixels.data(), static_cast<size_t>(size.width * size.channels), size, options);
        });
      },
      nb::arg("image"), nb::arg("format") = "", nb::arg("quality") = 95, nb::arg("progressive") = false,
      nb::arg("optimize_size") = false, nb::arg("chroma_downsampling") = true, nb::arg("density_unit") = "in",
      nb::arg("x_density") = 300, nb::arg("y_density") = 300, nb::arg("xmp_metadata") = "",
      nb::arg("name") = nb::none(), "The bytes of a JPEG file of these pixels.");
  m.def(
      "encode_png",
      [](Given image, int compression, Given) {
        return perform_on_pixels("encode_png", image, true, [compression](const Array& pixels) {
          const formats::PictureSize size = size_of_picture(pixels);
          if (size.channels < 1 || size.channels > 4)
            throw InvalidArgument(cat("[encode_png] takes 1 to 4 channels, but got ", size.channels));
          const size_t row = static_cast<size_t>(size.width * size.channels) * size_of(pixels.aval.dtype);
          return formats::encode_png(pixels.data(), row, size, pixels.aval.dtype, compression);
        });
      },
      nb::arg("image"), nb::arg("compression") = -1, nb::arg("name") = nb::none(),
      "The bytes of a PNG file of these pixels.");
}

}  // namespace

void bind_io(nb::module_& m) {
  nb::module_ io = m.def_submodule("_io", "tf.io.");
  bind_decoding(io);
  bind_encoding(io);
  io.def(
      "_read_file",
      [](Given filename) {
        return perform_on_string("read_file", filename,
                                 [](const std::string& path) { return string_tensor(formats::read_file(path)); });
      },
      nb::arg("filename"));
  io.def(
      "write_file",
      [](Given filename, Given contents, Given) {
        const std::string path = one_string("write_file", tensor_of(filename.object));
        const std::string bytes = one_string("write_file", tensor_of(contents.object));
        const Unlocked release;
        formats::write_file(path, bytes);
      },
      nb::arg("filename"), nb::arg("contents"), nb::arg("name") = nb::none(), "Writes a string to a file.");
  io.def(
      "_glob",
      [](const std::string& pattern) {
        const Unlocked release;
        return data::glob(pattern);
      },
      nb::arg("pattern"));
}

}  // namespace brio::python
