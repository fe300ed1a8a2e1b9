// brio._hdf5: groups, datasets of numbers and attributes that are texts or lists of them, as Keras' weight files have
// them. A module of its own, loaded when such a file is first met: the library that it stands on pulls in many
// others.
//
// The interpreter's lock is held throughout: Debian's library is not made for several threads.
#include <fcntl.h>
#include <hdf5.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

std::string reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* into) -> herr_t {
        if (n == 0 && error->desc) *static_cast<std::string*>(into) = error->desc;
        return 0;
      },
      &text);
  return text.empty() ? "the library gives no reason" : text;
}
[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + reason()); }

// An identifier of the library's, closed at the end.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id_ < 0) fail(what);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT: it is what the library takes

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

struct Row {
  const char* name;
  hid_t type;
  H5T_class_t kind;
  size_t size;
  bool is_signed;
};
const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"float32", H5T_IEEE_F32LE, H5T_FLOAT, 4, true},  {"float64", H5T_IEEE_F64LE, H5T_FLOAT, 8, true},
      {"int8", H5T_STD_I8LE, H5T_INTEGER, 1, true},     {"int16", H5T_STD_I16LE, H5T_INTEGER, 2, true},
      {"int32", H5T_STD_I32LE, H5T_INTEGER, 4, true},   {"int64", H5T_STD_I64LE, H5T_INTEGER, 8, true},
      {"uint8", H5T_STD_U8LE, H5T_INTEGER, 1, false},   {"uint16", H5T_STD_U16LE, H5T_INTEGER, 2, false},
      {"uint32", H5T_STD_U32LE, H5T_INTEGER, 4, false}, {"uint64", H5T_STD_U64LE, H5T_INTEGER, 8, false},
  };
  return table;
}

// Types that the library has no name for, in h5py's form.
Id half() {
  Id type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose, "float16");
  if (H5Tset_fields(type, 15, 10, 5, 0, 10) < 0 || H5Tset_size(type, 2) < 0 || H5Tset_ebias(type, 15) < 0)
    fail("float16");
  return type;
}
Id boolean() {
  Id type(H5Tenum_create(H5T_STD_I8LE), H5Tclose, "bool");
  int8_t no = 0, yes = 1;
  if (H5Tenum_insert(type, "FALSE", &no) < 0 || H5Tenum_insert(type, "TRUE", &yes) < 0) fail("bool");
  return type;
}
Id opaque(size_t bytes) { return {H5Tcreate(H5T_OPAQUE, bytes), H5Tclose, "opaque"}; }

Id type_of(const std::string& name) {
  if (name == "float16") return half();
  if (name == "bool") return boolean();
  if (name == "bfloat16") return opaque(2);
  for (const Row& row : rows())
    if (name == row.name) return {H5Tcopy(row.type), H5Tclose, name};
  throw std::runtime_error("numbers of dtype " + name + " cannot be written to HDF5 files");
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose, name);
  if (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) fail(name);
  const Id space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  const char* value = text.c_str();
  if (H5Awrite(attribute, type, &value) < 0) fail(name);
}

// A list of texts as an array of texts of one length, which is how Keras writes names.
void write_texts(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
  size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string all;
  for (const std::string& text : texts) all += text + std::string(longest - text.size(), '\0');
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose, name);
  if (H5Tset_size(type, longest) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0) fail(name);
  const hsize_t count = texts.size();
  const Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, name);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  if (count > 0 && H5Awrite(attribute, type, all.data()) < 0) fail(name);
}

// A file in memory. The library does not survive a disk that is full while it writes: it crashes when the process
// ends.
Id memory_access(const std::string& path) {
  Id plan(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  if (H5Pset_fapl_core(plan, size_t{1} << 22, false) < 0) fail(path);
  return plan;
}

// Writes bytes over what is in a file. Throws Python's OSError.
void write_bytes(const std::string& path, const char* data, size_t size) {
  const auto refuse = [&] {
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
    throw nb::python_error();
  };
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) refuse();
  for (size_t done = 0; done < size;) {
    const ssize_t wrote = ::write(fd, data + done, size - done);
    if (wrote < 0 && errno != EINTR) {
      const int error = errno;
      ::close(fd);
      errno = error;
      refuse();
    }
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  if (::close(fd) != 0) refuse();
}

// groups: [(path, {attribute: text, or list of texts})], where "" is the file itself; datasets: (path, dtype, shape,
// bytes), made one after the other. Groups on the way are made.
void write_file(const std::string& file_path, nb::list groups, nb::iterable datasets) {
  const Id file(H5Fcreate(file_path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, memory_access(file_path)), H5Fclose,
                file_path);
  const Id parents(H5Pcreate(H5P_LINK_CREATE), H5Pclose, file_path);
  if (H5Pset_create_intermediate_group(parents, 1) < 0) fail(file_path);
  for (nb::handle row : groups) {
    const auto path = nb::cast<std::string>(row[0]);
    const Id group(path.empty() ? H5Gopen2(file, "/", H5P_DEFAULT)
                                : H5Gcreate2(file, path.c_str(), parents, H5P_DEFAULT, H5P_DEFAULT),
                   H5Gclose, path);
    for (auto [key, value] : nb::cast<nb::dict>(row[1])) {
      const auto name = nb::cast<std::string>(key);
      if (nb::isinstance<nb::list>(value)) write_texts(group, name, nb::cast<std::vector<std::string>>(value));
      else write_text(group, name, nb::cast<std::string>(value));
    }
  }
  for (nb::handle row : datasets) {
    const auto path = nb::cast<std::string>(row[0]), dtype = nb::cast<std::string>(row[1]);
    const auto shape = nb::cast<std::vector<uint64_t>>(row[2]);
    const auto bytes = nb::cast<nb::bytes>(row[3]);
    const Id type = type_of(dtype);
    size_t count = 1;
    for (const uint64_t size : shape) count *= size;
    if (count * H5Tget_size(type) != bytes.size())
      throw std::runtime_error(path + ": there are " + std::to_string(bytes.size()) +
                               " bytes, not as many as the shape says");
    const std::vector<hsize_t> dims(shape.begin(), shape.end());
    const Id space(
        dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
        H5Sclose, path);
    const Id set(H5Dcreate2(file, path.c_str(), type, space, parents, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, path);
    if (count > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.c_str()) < 0) fail(path);
    if (dtype == "bfloat16") write_text(set, "dtype", dtype);
  }
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) fail(file_path);
  void** memory = nullptr;
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, reinterpret_cast<void**>(&memory)) < 0) fail(file_path);
  write_bytes(file_path, static_cast<const char*>(*memory), static_cast<size_t>(size));
}

Id in_memory(const nb::bytes& image, const std::string& name) {
  Id plan(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, name);
  if (H5Pset_fapl_core(plan, size_t{1} << 20, false) < 0 ||
      H5Pset_file_image(plan, const_cast<char*>(image.c_str()), image.size()) < 0)
    fail(name);
  return plan;
}

class Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path) {}
  // The bytes of a file, which is called `name`.
  Reader(nb::bytes image, const std::string& name)
      : path_(name), file_(H5Fopen(name.c_str(), H5F_ACC_RDONLY, in_memory(image, name)), H5Fclose, name) {}

  // Names inside a group: (name, whether it is a group). Links that lead elsewhere are left out.
  std::vector<std::pair<std::string, bool>> names(const std::string& path) const {
    const Id group(H5Gopen2(file_, path.empty() ? "/" : path.c_str(), H5P_DEFAULT), H5Gclose, path_ + ": " + path);
    std::vector<std::string> found;
    const herr_t status = H5Literate(
        group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
        [](hid_t, const char* name, const H5L_info_t* link, void* into) -> herr_t {
          if (link->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(into)->emplace_back(name);
          return 0;
        },
        &found);
    if (status < 0) fail(path_ + ": " + path);
    std::vector<std::pair<std::string, bool>> result;
    for (const std::string& name : found) {
      H5O_info_t about;
      if (H5Oget_info_by_name(group, name.c_str(), &about, H5P_DEFAULT) < 0) fail(path_ + ": " + name);
      if (about.type == H5O_TYPE_GROUP || about.type == H5O_TYPE_DATASET)
        result.emplace_back(name, about.type == H5O_TYPE_GROUP);
    }
    return result;
  }

  // An attribute that is a text.
  std::string text(const std::string& path, const std::string& name) const {
    const std::string where = path_ + ": " + path + ": " + name;
    const Id attribute(H5Aopen_by_name(file_, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, where);
    const Id stored(H5Aget_type(attribute), H5Tclose, where);
    if (H5Tget_class(stored) != H5T_STRING || H5Tis_variable_str(stored) <= 0)
      throw std::runtime_error(where + ": it is no text");
    const Id space(H5Aget_space(attribute), H5Sclose, where);
    if (H5Sget_simple_extent_npoints(space) != 1) throw std::runtime_error(where + ": it is no single text");
    char* value = nullptr;
    if (H5Aread(attribute, stored, &value) < 0) fail(where);
    const std::string result = value ? value : "";
    H5free_memory(value);
    return result;
  }

  bool has_attribute(const std::string& path, const std::string& name) const {
    const std::string& at = path.empty() ? root_ : path;
    return H5Aexists_by_name(file_, at.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  }

  // An attribute that is a text or several, of fixed or variable length.
  std::vector<std::string> texts(const std::string& path, const std::string& name) const {
    const std::string& at = path.empty() ? root_ : path;
    const std::string where = path_ + ": " + at + ": " + name;
    const Id attribute(H5Aopen_by_name(file_, at.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, where);
    const Id stored(H5Aget_type(attribute), H5Tclose, where);
    const Id space(H5Aget_space(attribute), H5Sclose, where);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < 0) fail(where);
    if (count == 0) return {};  // an empty list has no type of its own
    if (H5Tget_class(stored) != H5T_STRING) throw std::runtime_error(where + ": it is no text");
    std::vector<std::string> result;
    if (H5Tis_variable_str(stored) > 0) {
      std::vector<char*> values(static_cast<size_t>(count));
      if (H5Aread(attribute, stored, values.data()) < 0) fail(where);
      for (char* value : values) {
        result.emplace_back(value ? value : "");
        H5free_memory(value);
      }
      return result;
    }
    const size_t width = H5Tget_size(stored);
    const uint64_t held = H5Aget_storage_size(attribute);
    if (width == 0 || static_cast<uint64_t>(count) > held / width)
      throw std::runtime_error(where + ": it claims more than is stored");
    std::string all(static_cast<size_t>(count) * width, '\0');
    if (H5Aread(attribute, stored, all.data()) < 0) fail(where);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const std::string one = all.substr(i * width, width);
      result.push_back(one.substr(0, one.find('\0')));
    }
    return result;
  }

  // (dtype, shape, bytes)
  nb::tuple read(const std::string& path) const {
    const std::string where = path_ + ": " + path;
    const Id set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose, where);
    const Id space(H5Dget_space(set), H5Sclose, where);
    const Id stored(H5Dget_type(set), H5Tclose, where);
    const Id plan(H5Dget_create_plist(set), H5Pclose, where);
    if (H5Pget_external_count(plan) > 0 || H5Pget_layout(plan) == H5D_VIRTUAL)
      throw std::runtime_error(where + ": its numbers lie in another file, which is not read");
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0) fail(where);
    std::vector<hsize_t> dims(static_cast<size_t>(rank));
    if (rank > 0 && H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0) fail(where);
    const std::string dtype = name_of(stored, where);
    const Id type = type_of(dtype);
    const size_t width = H5Tget_size(type);
    uint64_t bytes = width;
    for (const hsize_t size : dims)
      if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
        throw std::runtime_error(where + ": its shape is too large");
    // A small file that claims to hold much is not believed.
    const uint64_t kept = H5Dget_storage_size(set);
    if (bytes > (uint64_t{1} << 32) && bytes / 1000 > kept)
      throw std::runtime_error(where + ": it claims " + std::to_string(bytes) + " bytes, but " +
                               std::to_string(kept) + " are stored");
    PyObject* buffer = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes));
    if (!buffer) throw nb::python_error();
    const auto result = nb::steal<nb::bytes>(buffer);
    // A dataset that was never written reads as its fill value.
    if (bytes > 0 && H5Dread(set, dtype == "bfloat16" ? static_cast<hid_t>(stored) : static_cast<hid_t>(type),
                             H5S_ALL, H5S_ALL, H5P_DEFAULT, PyBytes_AS_STRING(buffer)) < 0)
      fail(where);
    nb::list shape;
    for (const hsize_t size : dims) shape.append(static_cast<uint64_t>(size));
    return nb::make_tuple(dtype, nb::tuple(shape), result);
  }

 private:
  static std::string name_of(hid_t type, const std::string& where) {
    const H5T_class_t kind = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    if (kind == H5T_ENUM && size == 1) return "bool";
    if (kind == H5T_FLOAT && size == 2) return "float16";
    if (kind == H5T_OPAQUE && size == 2) return "bfloat16";
    for (const Row& row : rows())
      if (row.kind == kind && row.size == size &&
          (kind == H5T_FLOAT || row.is_signed == (H5Tget_sign(type) != H5T_SGN_NONE)))
        return row.name;
    throw std::runtime_error(where + ": it holds something else than numbers");
  }

  const std::string root_ = "/";
  std::string path_;
  Id file_;
};

}  // namespace

NB_MODULE(_hdf5, m) {
  nb::set_leak_warnings(false);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  m.def("write", write_file);
  nb::class_<Reader>(m, "Reader")
      .def(nb::init<const std::string&>())
      .def(nb::init<nb::bytes, const std::string&>())
      .def("names",
           [](const Reader& reader, const std::string& path) {
             nb::list list;
             for (const auto& [name, is_group] : reader.names(path)) list.append(nb::make_tuple(name, is_group));
             return list;
           })
      .def("text", &Reader::text)
      .def("has_attribute", &Reader::has_attribute)
      .def("texts", &Reader::texts)
      .def("read", &Reader::read);
}
