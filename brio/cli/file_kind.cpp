#include "brio/cli/file_kind.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/data/sources/glob.h"
#include "brio/formats/crc32c.h"
#include "brio/formats/picture.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using formats::Compression;

// The checksum of a length is right by chance once in 2^32 files.
bool begins_as_records(std::string_view bytes) {
  uint32_t stored = 0;
  if (bytes.size() < 12) return false;
  std::memcpy(&stored, bytes.data() + 8, sizeof stored);
  return stored == formats::masked_crc32c(bytes.substr(0, 8));
}

bool begins_as_idx(std::string_view bytes) {
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 8 && bytes[2] <= 14 && bytes[3] > 0 &&
         bytes[3] <= 8;
}

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 && !std::strchr("\t\n\r\f\x1b", c); });
}

}  // namespace

std::string_view name_of(FileKind kind) {
  constexpr std::string_view names[] = {"TFRecord", "picture",     "npy",   "npz",          "IDX",
                                        "CSV",      "text",        "JSON",  "record index", "Keras",
                                        "HDF5",     "safetensors", "cache", "unknown"};
  return names[static_cast<size_t>(kind)];
}

KnownFile look_at(const std::string& path) {
  const formats::InputFile file(path);
  KnownFile known{path, FileKind::other, Compression::none, file.size()};
  std::string head(512, '\0');
  head.resize(file.read_some(0, head.data(), head.size()));
  std::string name = fs::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const Compression guess = formats::guess_compression(head);
  if (formats::sniff_picture(head) != formats::PictureFormat::unknown) known.kind = FileKind::picture;
  else if (head.starts_with("\x93NUMPY")) known.kind = FileKind::npy;
  else if (head.starts_with("PK\x03\x04") && name.ends_with(".npz")) known.kind = FileKind::npz;
  else if (head.starts_with("PK\x03\x04") && name.ends_with(".keras")) known.kind = FileKind::keras;
  else if (head.starts_with("\x89HDF\r\n\x1a\n")) known.kind = FileKind::hdf5;
  else if (head.starts_with("BRIOIDX\n")) known.kind = FileKind::index;
  else if (head.starts_with("BRIOCACH")) known.kind = FileKind::cache;
  else if (begins_as_records(head)) known.kind = FileKind::tfrecord;
  else if (begins_as_idx(head)) known.kind = FileKind::idx;
  else if (guess != Compression::none) {
    std::string inflated(12, '\0');
    try {
      formats::InputStream stream(file, guess);
      inflated.resize(stream.read_some(inflated.data(), inflated.size()));
    } catch (const Error&) {
      inflated.clear();
    }
    if (begins_as_records(inflated)) {
      known.kind = FileKind::tfrecord;
      known.compression = guess;
    } else if (begins_as_idx(inflated)) {
      known.kind = FileKind::idx;
    }
  }
  if (known.kind != FileKind::other) return known;
  for (const std::string_view ending : {".jpg", ".jpeg", ".png", ".bmp", ".gif"})
    if (name.ends_with(ending)) known.kind = FileKind::picture;  // though it does not begin as one
  if (name.find(".tfrecord") != std::string::npos && !name.ends_with(".brio-part")) known.kind = FileKind::tfrecord;
  else if (name.ends_with(".npy")) known.kind = FileKind::npy;
  else if (name.ends_with(".npz")) known.kind = FileKind::npz;
  else if (name.ends_with(".keras")) known.kind = FileKind::keras;
  else if (name.ends_with(".h5")) known.kind = FileKind::hdf5;
  else if (name.ends_with(".safetensors")) known.kind = FileKind::safetensors;
  else if (name.ends_with(".csv") && is_text(head)) known.kind = FileKind::csv;
  else if (name.ends_with(".json")) known.kind = FileKind::json;
  // "checkpoint" is the list of a directory's checkpoints, whatever is in it.
  else if (name == "checkpoint" || (known.kind == FileKind::other && !head.empty() && is_text(head)))
    known.kind = FileKind::text;
  return known;
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> files_below(const std::string& path) {
  if (!is_directory(path)) return data::files_of("files", {path});
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (std::error_code ignored; at->is_regular_file(ignored)) files.push_back(at->path().string());
  if (error) throw ResourceError(cat(path, ": it cannot be listed: ", error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace brio::cli
