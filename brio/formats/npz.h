// NumPy's .npz files: arrays by name, in a ZIP of .npy members.
#pragma once

#include <utility>

#include "brio/formats/npy.h"
#include "brio/formats/zip.h"

namespace brio::formats {

class NpzReader {
 public:
  explicit NpzReader(ReadAt bytes, const NpyOptions& options = {}, const ZipLimits& limits = {});

  const std::vector<std::string>& names() const { return names_; }  // without ".npy", in the file's order
  Array read(std::string_view name) const;                          // throws InvalidArgument for an unknown name
  // Of one that is stored rather than deflated: its rows by position. Its checksum is not compared.
  ArrayFile open(std::string_view name) const;

 private:
  const ZipMember& member(std::string_view name) const;

  ZipReader zip_;
  NpyOptions options_;
  std::vector<std::string> names_;
};

// As numpy.savez: members are stored.
void write_npz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays);

}  // namespace brio::formats
