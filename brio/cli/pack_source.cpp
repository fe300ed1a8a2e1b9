#include "brio/cli/pack_source.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/cli/arguments.h"
#include "brio/cli/augment.h"
#include "brio/cli/example_picture.h"
#include "brio/cli/file_kind.h"
#include "brio/cli/pixels.h"
#include "brio/data/sources/class_folders.h"
#include "brio/data/sources/glob.h"
#include "brio/data/sources/sources.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/example.h"
#include "brio/formats/file.h"

namespace brio::cli {
namespace {

using data::Dataset;
using data::Sample;
using formats::Example;
using formats::Feature;
using formats::Origin;
using formats::PictureFormat;

std::string format_name(PictureFormat format) {
  std::string name(formats::name_of(format));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// The features of one picture, from the bytes of its file. `copy` 0 is the picture itself. What a copy looks like
// depends on the bytes and the seed alone, not on where the picture lies among others.
void add_picture(Example& example, std::string_view bytes, const Origin& origin, const PackOptions& options,
                 int64_t copy) {
  formats::PictureInfo info = formats::picture_info(bytes, origin);
  std::string kept(bytes);
  if (options.decode || options.height > 0 || copy > 0) {
    static thread_local Pixels pixels;
    decode_rgb(bytes, origin, pixels);
    const int64_t height = options.height > 0 ? options.height : pixels.height;
    const int64_t width = options.height > 0 ? options.width : pixels.width;
    if (copy > 0)
      augment_rgb(pixels, height, width, {murmur_hash64(bytes, options.seed), static_cast<uint64_t>(copy)});
    else resize_rgb(pixels, height, width);
    info.height = pixels.height;
    info.width = pixels.width;
    info.channels = 3;
    if (options.decode) {
      kept.assign(reinterpret_cast<const char*>(pixels.rgb.data()), pixels.rgb.size());
    } else {
      const auto stride = static_cast<size_t>(info.width) * 3;
      const formats::PictureSize size{info.height, info.width, 3};
      const bool jpeg = info.format == PictureFormat::jpeg;
      if (!jpeg) info.format = PictureFormat::png;
      kept = jpeg ? formats::encode_jpeg(pixels.rgb.data(), stride, size)
                  : formats::encode_png(pixels.rgb.data(), stride, size);
    }
  }
  example.features["image/height"] = Feature::ints({info.height});
  example.features["image/width"] = Feature::ints({info.width});
  example.features["image/channels"] = Feature::ints({info.channels});
  if (options.augment > 0) example.features["image/copy"] = Feature::ints({copy});
  if (options.decode) {
    example.features["image"] = Feature::bytes({std::move(kept)});
  } else {
    example.features["image/encoded"] = Feature::bytes({std::move(kept)});
    example.features["image/format"] = Feature::bytes({format_name(info.format)});
  }
}

void write_pixels(Sample& sample, const Pixels& pixels) {
  uint8_t* to = sample.write<uint8_t>(0, {pixels.height, pixels.width, 3});
  std::memcpy(to, pixels.rgb.data(), pixels.rgb.size());
}

Dataset shuffled(const Dataset& items, const PackOptions& options) {
  return options.shuffle ? items.shuffle(data::kAutotune, {.seed = options.seed}) : items;
}

// make(0), all pictures as they are, then each round of copies.
template <typename F>
Dataset with_copies(const PackOptions& options, const F& make) {
  Dataset all = make(0);
  for (int64_t copy = 1; copy <= options.augment; ++copy) all = all.concatenate(make(copy));
  return shuffled(all, options);
}

PackSource open_pictures(const std::string& directory, bool classes, const PackOptions& options) {
  auto files = std::make_shared<const data::LabelledFiles>(data::find_files(
      "pack", directory, {".bmp", ".gif", ".jpeg", ".jpg", ".png"}, {.inferred = classes, .shuffle = false}));
  const auto n = static_cast<int64_t>(files->paths.size());
  const Dataset examples = with_copies(options, [&](int64_t copy) {
    return data::range(n).map([files, options, copy](Sample& sample) {
      const auto i = static_cast<size_t>(*sample.read<int64_t>(0));
      const std::string& path = files->paths[i];
      Example example;
      add_picture(example, formats::read_file(path), {path}, options, copy);
      example.features["image/filename"] = Feature::bytes({std::filesystem::path(path).filename().string()});
      if (!files->labels.empty()) {
        example.features["image/class/label"] = Feature::ints({files->labels[i]});
        example.features["image/class/text"] =
            Feature::bytes({files->class_names[static_cast<size_t>(files->labels[i])]});
      }
      sample.write_text(0, example.serialize());
    });
  });
  const Dataset ready = shuffled(data::range(n), options).map([files, options](Sample& sample) {
    static thread_local Pixels pixels;
    const std::string& path = files->paths[static_cast<size_t>(*sample.read<int64_t>(0))];
    decode_rgb(formats::read_file(path), {path}, pixels);
    if (options.height > 0) resize_rgb(pixels, options.height, options.width);
    write_pixels(sample, pixels);
  });
  PackSource source{"pictures", n * (options.augment + 1), 0, 0, files->class_names, examples, ready};
  for (const std::string& path : files->paths) {
    std::error_code unreadable;  // counts as empty here; its own place has the error
    uint64_t bytes = std::filesystem::file_size(path, unreadable);
    if (unreadable) bytes = 0;
    source.bytes += bytes;
    const std::string name = std::filesystem::path(path).lexically_relative(directory).string();
    source.fingerprint = murmur_hash64(cat(name, "\n", bytes), source.fingerprint);
  }
  return source;
}

void add_files(PackSource& source, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const uint64_t bytes = formats::InputFile(file).size();
    source.bytes += bytes;
    source.fingerprint =
        murmur_hash64(cat(std::filesystem::path(file).filename().string(), "\n", bytes), source.fingerprint);
  }
}

int64_t count_of(const Dataset& dataset) {
  if (dataset.cardinality() >= 0) return dataset.cardinality();
  int64_t n = 0;
  data::Iterator iterator = dataset.iterator(0);
  for (data::Item item;; ++n) {
    try {
      if (!iterator.next(item)) return n;
    } catch (const Error&) {  // it has a place all the same
    }
  }
}

PackSource open_rows(const std::vector<std::string>& files, const PackOptions& options) {
  if (options.changes_pictures())
    throw Misuse("--decode, --resize and --augment are for pictures, but SRC holds CSV");
  if (options.shuffle)
    throw Misuse("--shuffle needs items that are found by their number; rows of CSV files are not");
  const formats::CsvOptions with_header{.header = true};
  formats::CsvRows first(formats::in_order(formats::ReadAt(files[0])), {files[0]}, with_header);
  const std::vector<std::string>& names = first.names();
  const std::vector<formats::CsvColumn> columns =
      formats::infer_csv_columns(formats::in_order(formats::ReadAt(files[0])), {files[0]}, with_header, INT64_MAX);
  const Dataset rows = data::csv_dataset(files, columns, {.csv = with_header});
  const Dataset examples = rows.map([names, columns](Sample& sample) {
    Example example;
    for (size_t i = 0; i < names.size(); ++i) {
      Feature& feature = example.features[names[i]];
      switch (columns[i].dtype) {
        case DType::i32: feature = Feature::ints({*sample.read<int32_t>(i)}); break;
        case DType::i64: feature = Feature::ints({*sample.read<int64_t>(i)}); break;
        case DType::f32: feature = Feature::floats({*sample.read<float>(i)}); break;
        case DType::f64: feature = Feature::floats({static_cast<float>(*sample.read<double>(i))}); break;
        default: feature = Feature::bytes({std::string(sample.text(i))});
      }
    }
    sample.write_text(0, example.serialize());
  });
  PackSource source{"rows", count_of(rows), 0, 0, {}, examples, rows};
  add_files(source, files);
  return source;
}

PackSource open_records(const std::vector<std::string>& files, const PackOptions& options) {
  const formats::Compression compression = look_at(files[0]).compression;
  Dataset records = data::tfrecord_dataset(files, {.compression = compression});
  const Dataset examples = with_copies(options, [&](int64_t copy) {
    if (!options.changes_pictures()) return records;
    return records.map([options, copy](Sample& sample) {
      Example example = Example::parse(sample.text(0));
      const auto encoded = example.features.find("image/encoded");
      if (encoded == example.features.end() || encoded->second.kind() != formats::FeatureKind::bytes)
        throw InvalidArgument("[pack] --decode, --resize and --augment need a feature image/encoded in each record");
      const Feature::Bytes bytes = std::get<Feature::Bytes>(encoded->second.values);
      if (bytes.size() != 1)
        throw InvalidArgument(
            cat("[pack] the feature image/encoded has ", bytes.size(), " values; it must have one"));
      if (options.decode) {
        example.features.erase("image/encoded");
        example.features.erase("image/format");
      }
      add_picture(example, bytes[0], {}, options, copy);
      sample.write_text(0, example.serialize());
    });
  });
  PackSource source{"records", count_of(records) * (options.augment + 1), 0, 0, {}, examples, records};
  add_files(source, files);
  return source;
}

}  // namespace

PackSource open_source(const std::string& path, const PackOptions& options) {
  const std::vector<std::string> files = files_below(path);
  std::vector<std::string> records, tables;
  bool pictures = false, classes = false;
  for (const std::string& file : files) {
    const FileKind kind = look_at(file).kind;
    if (kind == FileKind::tfrecord) records.push_back(file);
    if (kind == FileKind::csv) tables.push_back(file);
    if (kind != FileKind::picture) continue;
    pictures = true;
    classes = classes || std::filesystem::path(file).parent_path() != std::filesystem::path(path);
    if (classes) break;
  }
  if (pictures && is_directory(path)) return open_pictures(path, classes, options);
  if (!records.empty()) return open_records(records, options);
  if (!tables.empty()) return open_rows(tables, options);
  throw InvalidArgument(
      cat("[pack] ", path, " holds no pictures in a directory, no TFRecord files and no .csv files"));
}

Dataset unpacked(const std::vector<std::string>& shards, std::string_view compression, bool pictures) {
  Dataset records = data::tfrecord_dataset(shards, {.compression = formats::compression_from_name(compression)});
  if (!pictures) return records;
  return records.map([](Sample& sample) {
    static thread_local Pixels pixels;
    if (!decode_picture_in(sample.text(0), {}, pixels)) throw InvalidArgument("[pack] a record holds no picture");
    write_pixels(sample, pixels);
  });
}

}  // namespace brio::cli
