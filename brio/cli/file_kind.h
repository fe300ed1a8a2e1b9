// What a file is, told by how it begins and, where that says nothing, by its name.
#pragma once

#include <string>
#include <vector>

#include "brio/formats/compression.h"

namespace brio::cli {

enum class FileKind : uint8_t {
  tfrecord,
  picture,
  npy,
  npz,
  idx,
  csv,
  text,
  json,
  index,
  keras,
  hdf5,
  safetensors,
  cache,
  other
};
std::string_view name_of(FileKind kind);

struct KnownFile {
  std::string path;
  FileKind kind = FileKind::other;
  formats::Compression compression = formats::Compression::none;  // of TFRecord files
  uint64_t bytes = 0;
};
KnownFile look_at(const std::string& path);  // throws ResourceError where it cannot be read

bool is_directory(const std::string& path);
// All files below a directory, or the file itself, or what a pattern matches; sorted. Links are not followed.
std::vector<std::string> files_below(const std::string& path);

}  // namespace brio::cli
