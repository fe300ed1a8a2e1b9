// safetensors files: a JSON header with names, dtypes, shapes and places, then the numbers. What is written has a
// checksum of the whole file in its metadata (seal.h); whose it is the package of that name does not care.
//
//   write_safetensors("a.safetensors", {{"kernel", kernel}}, {{"format", "brio"}});
//   SafetensorsFile file("a.safetensors");
//   Array kernel = file.read("kernel");
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brio/formats/file.h"
#include "brio/tensor/aval.h"

namespace brio::formats {

using NamedArray = std::pair<std::string, Array>;
using Metadata = std::vector<std::pair<std::string, std::string>>;

// Written aside, synced and renamed. Throws InvalidArgument for a dtype that these files do not have, and for a name
// that is there twice. Returns the checksum of the file's bytes.
uint32_t write_safetensors(const std::string& path, const std::vector<NamedArray>& arrays,
                           const Metadata& metadata = {});

class SafetensorsFile {
 public:
  // Reads the header and compares the checksum, where there is one. Throws DataError.
  explicit SafetensorsFile(std::string path);

  struct Entry {
    std::string name;
    Aval aval;
    uint64_t offset = 0;  // in the file
  };
  const std::vector<Entry>& entries() const { return entries_; }  // in the order of the header
  const Entry* find(std::string_view name) const;                 // nullptr: there is none
  const Metadata& metadata() const { return metadata_; }
  Array read(const Entry& entry, Owner owner = Owner::other) const;
  const std::string& path() const { return file_.path(); }

 private:
  void add(std::string name, DType dtype, const std::vector<int64_t>& shape, uint64_t begin, uint64_t end);

  InputFile file_;
  uint64_t data_ = 0;  // where the numbers begin
  std::vector<Entry> entries_;
  Metadata metadata_;
};

}  // namespace brio::formats
