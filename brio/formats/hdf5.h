// HDF5 files, as much of them as Keras' weight files have: groups, datasets of numbers, and attributes that are texts
// or lists of them. libhdf5 does the work (hdf5_library.h); files are made and read in memory, since it does not
// survive a disk that is full while it writes.
//
//   Hdf5Writer file("a.weights.h5");
//   file.group("layers/dense/vars", {{"name", {"dense"}}});
//   file.dataset("layers/dense/vars/0", kernel);
//   write_file("a.weights.h5", file.bytes());
//
//   Hdf5Reader file("a.weights.h5");
//   Array kernel = file.read("layers/dense/vars/0");
//
// Errors are DataErrors that name the file and the place in it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brio/tensor/aval.h"
#include "brio/tensor/memory.h"

namespace brio::formats {

struct Hdf5Attribute {
  std::string name;
  std::vector<std::string> texts;
  bool is_list = false;  // otherwise there is one text
};

class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& name);  // that messages use
  Hdf5Writer(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  // "" is the file itself. Groups on the way are made.
  void group(const std::string& path, const std::vector<Hdf5Attribute>& attributes = {});
  // Numbers that begin at `data`. Throws InvalidArgument for a dtype that these files do not have.
  void dataset(const std::string& path, DType dtype, const std::vector<int64_t>& shape, const void* data);
  void dataset(const std::string& path, const Array& array);
  std::string_view bytes();  // the file so far; good until the next call

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(std::string path);
  Hdf5Reader(std::string_view image, std::string name);  // the bytes of a file; they are copied
  Hdf5Reader(const Hdf5Reader&) = delete;
  ~Hdf5Reader();

  // Names inside a group: (name, whether it is a group). Links that lead elsewhere are left out.
  std::vector<std::pair<std::string, bool>> names(const std::string& path) const;
  bool has_attribute(const std::string& path, const std::string& name) const;
  std::vector<std::string> texts(const std::string& path, const std::string& name) const;  // one, or several
  Array read(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace brio::formats
