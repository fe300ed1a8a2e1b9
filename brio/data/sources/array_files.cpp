// npy_dataset, idx_dataset, npz_dataset: the rows of arrays in files. Small ones are loaded; rows of large ones are
// read by position when they are wanted.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/data/engine/stored_elements.h"
#include "brio/data/sources/sources.h"
#include "brio/formats/idx.h"
#include "brio/formats/npz.h"
#include "brio/ir/graph.h"

namespace brio::data {
namespace {

using formats::ArrayFile;

Aval file_row(const ArrayFile& file) {
  Aval row{{}, file.aval().dtype};
  for (int axis = 1; axis < file.aval().shape.rank(); ++axis) row.shape.push_back(file.aval().shape[axis]);
  return row;
}

class RowStage final : public IndexedStage, StoredElements {
 public:
  RowStage(Pipeline& pipeline, const std::vector<ArrayFile>& files) : IndexedStage(pipeline, "rows"), files_(files) {
    for (const ArrayFile& file : files) rows_.push_back(file_row(file));
  }
  int64_t indexed() const override { return files_[0].rows(); }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    out.resize(files_.size());
    for (size_t i = 0; i < files_.size(); ++i) files_[i].read_rows(ticket.index, 1, out.write(i, rows_[i]));
  }
  bool has_work() const override { return true; }
  const StoredElements* stored_elements() const override {
    const bool in_pieces = std::ranges::all_of(files_, &ArrayFile::has_rows_in_one_piece);
    return in_pieces ? this : nullptr;
  }

 private:
  int64_t stored() const override { return indexed(); }
  uint64_t stored_bytes() const override {
    uint64_t bytes = 0;
    for (const ArrayFile& file : files_) bytes += file.aval().bytes();
    return bytes;
  }
  void read_stored(int64_t i, size_t bytes) const override {
    for (const ArrayFile& file : files_) {
      const auto rows = static_cast<int64_t>(bytes / files_.size() / std::max<size_t>(1, file.row_bytes()));
      const int64_t count = std::clamp<int64_t>(rows, 1, file.rows() - i);
      std::string into(static_cast<size_t>(count) * file.row_bytes(), '\0');
      file.read_rows(i, count, into.data());
    }
  }
  void announce(int64_t first, int64_t end) const override {
    for (const ArrayFile& file : files_) file.will_read_rows(first, end - first);
  }

  const std::vector<ArrayFile>& files_;
  std::vector<Aval> rows_;
};

class RowNode final : public Node {
 public:
  RowNode(std::vector<ArrayFile> files, Structure structure)
      : files_(std::move(files)), structure_(std::move(structure)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<RowStage>(pipeline, files_);
  }
  std::string describe() const override {
    std::string text = "rows of files(";
    for (size_t i = 0; i < files_.size(); ++i) text += cat(i ? ", " : "", format_aval(files_[i].aval()));
    return text + ")";
  }
  Structure structure() const override { return structure_; }
  int64_t cardinality() const override { return files_[0].rows(); }

 private:
  std::vector<ArrayFile> files_;
  Structure structure_;
};

// `names`: of what each array comes from, for errors.
Dataset dataset_of_rows(const char* who, std::vector<ArrayFile> files, const std::vector<std::string>& names,
                        Structure structure, const ArrayDatasetOptions& options) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].aval().shape.rank() == 0)
      throw InvalidArgument(cat("[", who, "] ", names[i], " holds one number; axis 0 must number the elements"));
    if (files[i].rows() != files[0].rows())
      throw InvalidArgument(
          cat("[", who, "] ", names[0], " has ", files[0].rows(), " rows, but ", names[i], " has ", files[i].rows()));
    bytes += files[i].aval().bytes();
  }
  if (bytes > options.load_below) return Dataset(std::make_shared<RowNode>(std::move(files), std::move(structure)));
  std::vector<Tensor> loaded;
  for (const ArrayFile& file : files) loaded.emplace_back(file.read());
  return from_tensor_slices(std::move(loaded), std::move(structure));
}

Structure one_or_tuple(size_t n) { return n == 1 ? Structure() : Structure::tuple_of(n); }

template <typename Open>
Dataset rows_of_each(const char* who, const std::vector<std::string>& paths, const ArrayDatasetOptions& options,
                     Open open) {
  if (paths.empty()) throw InvalidArgument(cat("[", who, "] there are no files"));
  std::vector<ArrayFile> files;
  for (const std::string& path : paths) files.push_back(open(path));
  return dataset_of_rows(who, std::move(files), paths, one_or_tuple(paths.size()), options);
}

}  // namespace

Dataset npy_dataset(const std::vector<std::string>& files, ArrayDatasetOptions options) {
  return rows_of_each("npy_dataset", files, options,
                      [](const std::string& path) { return formats::open_npy(formats::ReadAt(path)); });
}

Dataset idx_dataset(const std::vector<std::string>& files, ArrayDatasetOptions options) {
  return rows_of_each("idx_dataset", files, options, [](const std::string& path) { return formats::open_idx(path); });
}

Dataset npz_dataset(const std::string& file, std::vector<std::string> names, ArrayDatasetOptions options) {
  const formats::ReadAt bytes(file);
  const formats::NpzReader reader(bytes);
  if (names.empty()) names = reader.names();
  if (names.empty()) throw InvalidArgument(cat("[npz_dataset] ", file, " holds no arrays"));
  const Structure structure = Structure::named_tensors(names);
  if (bytes.size() > options.load_below) {
    std::vector<ArrayFile> files;
    for (const std::string& name : names) files.push_back(reader.open(name));
    return dataset_of_rows("npz_dataset", std::move(files), names, structure, {.load_below = 0});
  }
  std::vector<Tensor> loaded;
  for (const std::string& name : names) loaded.emplace_back(reader.read(name));
  return from_tensor_slices(std::move(loaded), structure);
}

}  // namespace brio::data
