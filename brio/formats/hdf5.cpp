#include "brio/formats/hdf5.h"

#include <algorithm>
#include <mutex>

#include "brio/formats/data_error.h"
#include "brio/formats/file.h"
#include "brio/formats/hdf5_library.h"

namespace brio::formats {
namespace {

// The library's own numbers for what it is asked.
constexpr Hdf5Id kDefault = 0, kAll = 0;
constexpr unsigned kReadOnly = 0, kTruncate = 2;
constexpr int kScalarSpace = 0, kWholeFile = 1, kUpward = 0, kByName = 0, kNativeOrder = 2, kVirtual = 3;
constexpr int kIntegerClass = 0, kFloatClass = 1, kStringClass = 3, kOpaqueClass = 5, kEnumClass = 8;
constexpr int kUtf8 = 1, kNullPadded = 1, kUnsigned = 0, kGroup = 2, kDataset = 5;
constexpr size_t kVariable = SIZE_MAX, kImageGrowth = size_t{1} << 22;

// Debian's library is not made for several threads.
std::recursive_mutex library_mutex;

std::string reason() {
  std::string text;
  hdf5_library().H5Ewalk2(
      kDefault, kUpward,
      [](unsigned n, const Hdf5ErrorRow* row, void* into) {
        if (n == 0 && row->desc) *static_cast<std::string*>(into) = row->desc;
        return 0;
      },
      &text);
  return text.empty() ? "the library gives no reason" : text;
}

// A file, and the place in it.
struct Place {
  const std::string& file;
  std::string inside = {};

  [[noreturn]] void fail(std::string_view why) const {
    throw DataError({file}, 0, inside.empty() ? std::string(why) : cat("'", inside, "': ", why));
  }
  [[noreturn]] void fail_in_library() const { fail(cat("it cannot be read as an HDF5 file: ", reason())); }
};

// An identifier of the library's, closed at the end.
class Id {
 public:
  Id(Hdf5Id id, int (*close)(Hdf5Id), const Place& place) : id_(id), close_(close) {
    if (id_ < 0) place.fail_in_library();
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator Hdf5Id() const { return id_; }  // NOLINT: it is what the library takes

 private:
  Hdf5Id id_;
  int (*close_)(Hdf5Id);
};

struct Row {
  DType dtype;
  Hdf5Id Hdf5Library::*type;
};
constexpr Row kRows[] = {
    {f32, &Hdf5Library::H5T_IEEE_F32LE_g}, {f64, &Hdf5Library::H5T_IEEE_F64LE_g},
    {i8, &Hdf5Library::H5T_STD_I8LE_g},    {i16, &Hdf5Library::H5T_STD_I16LE_g},
    {i32, &Hdf5Library::H5T_STD_I32LE_g},  {i64, &Hdf5Library::H5T_STD_I64LE_g},
    {u8, &Hdf5Library::H5T_STD_U8LE_g},    {u16, &Hdf5Library::H5T_STD_U16LE_g},
    {u32, &Hdf5Library::H5T_STD_U32LE_g},  {u64, &Hdf5Library::H5T_STD_U64LE_g},
};

// Types that the library has no name for, in h5py's form.
Id half(const Place& at) {
  const Hdf5Library& h = hdf5_library();
  Id type(h.H5Tcopy(h.H5T_IEEE_F32LE_g), h.H5Tclose, at);
  if (h.H5Tset_fields(type, 15, 10, 5, 0, 10) < 0 || h.H5Tset_size(type, 2) < 0 || h.H5Tset_ebias(type, 15) < 0)
    at.fail_in_library();
  return type;
}
Id truth(const Place& at) {
  const Hdf5Library& h = hdf5_library();
  Id type(h.H5Tenum_create(h.H5T_STD_I8LE_g), h.H5Tclose, at);
  const int8_t no = 0, yes = 1;
  if (h.H5Tenum_insert(type, "FALSE", &no) < 0 || h.H5Tenum_insert(type, "TRUE", &yes) < 0) at.fail_in_library();
  return type;
}

Id type_of(DType dtype, const Place& at) {
  const Hdf5Library& h = hdf5_library();
  if (dtype == f16) return half(at);
  if (dtype == boolean) return truth(at);
  if (dtype == bf16) return {h.H5Tcreate(kOpaqueClass, 2), h.H5Tclose, at};
  for (const Row& row : kRows)
    if (row.dtype == dtype) return {h.H5Tcopy(h.*row.type), h.H5Tclose, at};
  throw InvalidArgument(cat(at.file, ": '", at.inside, "' is ", dtype, ", which HDF5 files do not have"));
}

DType dtype_of(Hdf5Id type, const Place& at) {
  const Hdf5Library& h = hdf5_library();
  const int kind = h.H5Tget_class(type);
  const size_t size = h.H5Tget_size(type);
  if (kind == kEnumClass && size == 1) return boolean;
  if (kind == kFloatClass && size == 2) return f16;
  if (kind == kOpaqueClass && size == 2) return bf16;
  for (const Row& row : kRows) {
    const bool floating = is_floating(row.dtype);
    if (kind != (floating ? kFloatClass : kIntegerClass) || size_of(row.dtype) != size) continue;
    if (floating || is_signed(row.dtype) == (h.H5Tget_sign(type) != kUnsigned)) return row.dtype;
  }
  at.fail("it holds something else than numbers");
}

void write_text(Hdf5Id object, const Place& at, const std::string& name, const std::string& text) {
  const Hdf5Library& h = hdf5_library();
  const Id type(h.H5Tcopy(h.H5T_C_S1_g), h.H5Tclose, at);
  if (h.H5Tset_size(type, kVariable) < 0 || h.H5Tset_cset(type, kUtf8) < 0) at.fail_in_library();
  const Id space(h.H5Screate(kScalarSpace), h.H5Sclose, at);
  const Id attribute(h.H5Acreate2(object, name.c_str(), type, space, kDefault, kDefault), h.H5Aclose, at);
  const char* value = text.c_str();
  if (h.H5Awrite(attribute, type, &value) < 0) at.fail_in_library();
}

// A list of texts as an array of texts of one length, which is how Keras writes names.
void write_texts(Hdf5Id object, const Place& at, const Hdf5Attribute& list) {
  const Hdf5Library& h = hdf5_library();
  size_t longest = 1;
  for (const std::string& text : list.texts) longest = std::max(longest, text.size());
  std::string all;
  for (const std::string& text : list.texts) all += text + std::string(longest - text.size(), '\0');
  const Id type(h.H5Tcopy(h.H5T_C_S1_g), h.H5Tclose, at);
  if (h.H5Tset_size(type, longest) < 0 || h.H5Tset_strpad(type, kNullPadded) < 0) at.fail_in_library();
  const Hdf5Size count = list.texts.size();
  const Id space(h.H5Screate_simple(1, &count, nullptr), h.H5Sclose, at);
  const Id attribute(h.H5Acreate2(object, list.name.c_str(), type, space, kDefault, kDefault), h.H5Aclose, at);
  if (count > 0 && h.H5Awrite(attribute, type, all.data()) < 0) at.fail_in_library();
}

Id memory_access(const Place& at) {
  const Hdf5Library& h = hdf5_library();
  Id plan(h.H5Pcreate(h.H5P_CLS_FILE_ACCESS_ID_g), h.H5Pclose, at);
  if (h.H5Pset_fapl_core(plan, kImageGrowth, false) < 0) at.fail_in_library();
  return plan;
}

Id image_access(std::string_view image, const Place& at) {
  Id plan = memory_access(at);
  if (hdf5_library().H5Pset_file_image(plan, const_cast<char*>(image.data()), image.size()) < 0) at.fail_in_library();
  return plan;
}

Id link_plan(const Place& at) {
  const Hdf5Library& h = hdf5_library();
  Id plan(h.H5Pcreate(h.H5P_CLS_LINK_CREATE_ID_g), h.H5Pclose, at);
  if (h.H5Pset_create_intermediate_group(plan, 1) < 0) at.fail_in_library();
  return plan;
}

}  // namespace

// ---- writing

struct Hdf5Writer::State {
  std::string name;
  Id file, parents;

  explicit State(const std::string& called)
      : name(called),
        file(hdf5_library().H5Fcreate(name.c_str(), kTruncate, kDefault, memory_access({name})),
             hdf5_library().H5Fclose, {name}),
        parents(link_plan({name})) {}
};

Hdf5Writer::Hdf5Writer(const std::string& name) {
  const std::lock_guard lock(library_mutex);
  state_ = std::make_unique<State>(name);
}

Hdf5Writer::~Hdf5Writer() {
  const std::lock_guard lock(library_mutex);
  state_.reset();
}

void Hdf5Writer::group(const std::string& path, const std::vector<Hdf5Attribute>& attributes) {
  const std::lock_guard lock(library_mutex);
  const Hdf5Library& h = hdf5_library();
  const Place at{state_->name, path};
  const Id group(path.empty() ? h.H5Gopen2(state_->file, "/", kDefault)
                              : h.H5Gcreate2(state_->file, path.c_str(), state_->parents, kDefault, kDefault),
                 h.H5Gclose, at);
  for (const Hdf5Attribute& attribute : attributes) {
    if (attribute.is_list) write_texts(group, at, attribute);
    else write_text(group, at, attribute.name, attribute.texts.at(0));
  }
}

void Hdf5Writer::dataset(const std::string& path, DType dtype, const std::vector<int64_t>& shape, const void* data) {
  const std::lock_guard lock(library_mutex);
  const Hdf5Library& h = hdf5_library();
  const Place at{state_->name, path};
  const Id type = type_of(dtype, at);
  const std::vector<Hdf5Size> dims(shape.begin(), shape.end());
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  const Id space(dims.empty() ? h.H5Screate(kScalarSpace)
                              : h.H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                 h.H5Sclose, at);
  const Id set(h.H5Dcreate2(state_->file, path.c_str(), type, space, state_->parents, kDefault, kDefault), h.H5Dclose,
               at);
  if (!empty && h.H5Dwrite(set, type, kAll, kAll, kDefault, data) < 0) at.fail_in_library();
  if (dtype == bf16) write_text(set, at, "dtype", "bfloat16");
}

void Hdf5Writer::dataset(const std::string& path, const Array& array) {
  std::vector<int64_t> shape;
  for (const auto& size : array.aval.shape) shape.push_back(int64_t{size});
  dataset(path, array.aval.dtype, shape, array.data());
}

std::string_view Hdf5Writer::bytes() {
  const std::lock_guard lock(library_mutex);
  const Hdf5Library& h = hdf5_library();
  const Place at{state_->name};
  if (h.H5Fflush(state_->file, kWholeFile) < 0) at.fail_in_library();
  void** memory = nullptr;
  const ssize_t size = h.H5Fget_file_image(state_->file, nullptr, 0);
  if (size < 0 || h.H5Fget_vfd_handle(state_->file, kDefault, reinterpret_cast<void**>(&memory)) < 0)
    at.fail_in_library();
  return {static_cast<const char*>(*memory), static_cast<size_t>(size)};
}

// ---- reading

struct Hdf5Reader::State {
  std::string path;
  Id file;

  State(std::string called, Hdf5Id opened) : path(std::move(called)), file(opened, hdf5_library().H5Fclose, {path}) {}
};

Hdf5Reader::Hdf5Reader(std::string path) {
  const InputFile there(path);  // who cannot be opened says why
  const std::lock_guard lock(library_mutex);
  const Hdf5Id opened = hdf5_library().H5Fopen(path.c_str(), kReadOnly, kDefault);
  state_ = std::make_unique<State>(std::move(path), opened);
}

Hdf5Reader::Hdf5Reader(std::string_view image, std::string name) {
  const std::lock_guard lock(library_mutex);
  const Hdf5Id opened = hdf5_library().H5Fopen(name.c_str(), kReadOnly, image_access(image, {name}));
  state_ = std::make_unique<State>(std::move(name), opened);
}

Hdf5Reader::~Hdf5Reader() {
  const std::lock_guard lock(library_mutex);
  state_.reset();
}

std::vector<std::pair<std::string, bool>> Hdf5Reader::names(const std::string& path) const {
  const std::lock_guard lock(library_mutex);
  const Hdf5Library& h = hdf5_library();
  const Place at{state_->path, path};
  const Id group(h.H5Gopen2(state_->file, path.empty() ? "/" : path.c_str(), kDefault), h.H5Gclose, at);
  Hdf5GroupInfo about{};
  if (h.H5Gget_info(group, &about) < 0) at.fail_in_library();
  std::vector<std::pair<std::string, bool>> found;
  for (Hdf5Size i = 0; i < about.links; ++i) {
    const ssize_t length = h.H5Lget_name_by_idx(group, ".", kByName, kNativeOrder, i, nullptr, 0, kDefault);
    if (length < 0) at.fail_in_library();
    std::string name(static_cast<size_t>(length) + 1, '\0');
    if (h.H5Lget_name_by_idx(group, ".", kByName, kNativeOrder, i, name.data(), name.size(), kDefault) < 0)
      at.fail_in_library();
    name.pop_back();
    if (char none = 0; h.H5Lget_val(group, name.c_str(), &none, 1, kDefault) >= 0) continue;  // it leads elsewhere
    const Id object(h.H5Oopen(group, name.c_str(), kDefault), h.H5Oclose, at);
    const int kind = h.H5Iget_type(object);
    if (kind == kGroup || kind == kDataset) found.emplace_back(std::move(name), kind == kGroup);
  }
  return found;
}

bool Hdf5Reader::has_attribute(const std::string& path, const std::string& name) const {
  const std::lock_guard lock(library_mutex);
  return hdf5_library().H5Aexists_by_name(state_->file, path.empty() ? "/" : path.c_str(), name.c_str(), kDefault) >
         0;
}

std::vector<std::string> Hdf5Reader::texts(const std::string& path, const std::string& name) const {
  const std::lock_guard lock(library_mutex);
  const Hdf5Library& h = hdf5_library();
  const Place at{state_->path, cat(path, ": ", name)};
  const Id attribute(
      h.H5Aopen_by_name(state_->file, path.empty() ? "/" : path.c_str(), name.c_str(), kDefault, kDefault),
      h.H5Aclose, at);
  const Id stored(h.H5Aget_type(attribute), h.H5Tclose, at);
  const Id space(h.H5Aget_space(attribute), h.H5Sclose, at);
  const int64_t count = h.H5Sget_simple_extent_npoints(space);
  if (count < 0) at.fail_in_library();
  if (count == 0) return {};  // an empty list has no type of its own
  if (h.H5Tget_class(stored) != kStringClass) at.fail("it is no text");
  const bool variable = h.H5Tis_variable_str(stored) > 0;
  const size_t width = variable ? 1 : h.H5Tget_size(stored);
  if (width == 0 || static_cast<uint64_t>(count) > h.H5Aget_storage_size(attribute) / width)
    at.fail("it claims more than is stored");
  std::vector<std::string> result;
  if (variable) {
    std::vector<char*> values(static_cast<size_t>(count));
    if (h.H5Aread(attribute, stored, values.data()) < 0) at.fail_in_library();
    for (char* value : values) {
      result.emplace_back(value ? value : "");
      h.H5free_memory(value);
    }
    return result;
  }
  std::string all(static_cast<size_t>(count) * width, '\0');
  if (h.H5Aread(attribute, stored, all.data()) < 0) at.fail_in_library();
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const std::string one = all.substr(i * width, width);
    result.push_back(one.substr(0, one.find('\0')));
  }
  return result;
}

Array Hdf5Reader::read(const std::string& path) const {
  const std::lock_guard lock(library_mutex);
  const Hdf5Library& h = hdf5_library();
  const Place at{state_->path, path};
  const Id set(h.H5Dopen2(state_->file, path.c_str(), kDefault), h.H5Dclose, at);
  const Id space(h.H5Dget_space(set), h.H5Sclose, at);
  const Id stored(h.H5Dget_type(set), h.H5Tclose, at);
  const Id plan(h.H5Dget_create_plist(set), h.H5Pclose, at);
  if (h.H5Pget_external_count(plan) > 0 || h.H5Pget_layout(plan) == kVirtual)
    at.fail("its numbers lie in another file, which is not read");
  const int rank = h.H5Sget_simple_extent_ndims(space);
  if (rank < 0) at.fail_in_library();
  std::vector<Hdf5Size> dims(static_cast<size_t>(rank));
  if (rank > 0 && h.H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0) at.fail_in_library();
  const DType dtype = dtype_of(stored, at);
  uint64_t bytes = size_of(dtype);
  for (const Hdf5Size size : dims)
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > uint64_t{1} << 60) at.fail("its shape is too large");
  // A small file that claims to hold much is not believed.
  const uint64_t kept = h.H5Dget_storage_size(set);
  if (bytes > (uint64_t{1} << 32) && bytes / 1000 > kept)
    at.fail(cat("it claims ", bytes, " bytes, but ", kept, " are stored"));
  std::vector<int64_t> shape(dims.begin(), dims.end());
  Array array = Array::allocate({Shape(shape), dtype});
  const Id type = type_of(dtype, at);
  // A dataset that was never written reads as its fill value.
  if (bytes > 0 &&
      h.H5Dread(set, dtype == bf16 ? Hdf5Id{stored} : Hdf5Id{type}, kAll, kAll, kDefault, array.data()) < 0)
    at.fail_in_library();
  return array;
}

}  // namespace brio::formats
