// Sums of looked-up rows, and what is made of them. Time and memory go with the rows that are looked up; only
// row_places, one int32 per row, and spread_rows, where no loop takes it in, go with the table.
#include <algorithm>
#include <bit>
#include <cstring>

#include "brio/backends/cpu/kernels/movement.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/indexing/indexing.h"

namespace brio::cpu {
namespace {

constexpr int64_t kRowsPiece = 256 << 10;

int64_t row_bytes(const Aval& rows) {
  int64_t bytes = static_cast<int64_t>(size_of(rows.dtype));
  for (int i = 1; i < rows.shape.rank(); ++i) bytes *= rows.shape[i];
  return bytes;
}
int64_t rows_per_piece(int64_t bytes) { return std::max<int64_t>(1, kRowsPiece / std::max<int64_t>(bytes, 4)); }

// The distinct indices so far, by open addressing; at most half of the entries are taken.
class IndexTable {
 public:
  struct Entry {
    int32_t index, place;
  };
  static size_t capacity(int64_t indices) { return std::bit_ceil(static_cast<size_t>(indices) * 2 + 2); }
  IndexTable(void* memory, size_t capacity)
      : entries_(static_cast<Entry*>(memory)), mask_(capacity - 1), shift_(64 - std::countr_zero(capacity)) {
    std::memset(memory, 0xff, capacity * sizeof(Entry));  // no index is -1
  }
  // The place that the index has, or gets now.
  int32_t place(int32_t index, int32_t next) {
    for (size_t at = static_cast<uint32_t>(index) * 0x9e3779b97f4a7c15u >> shift_;; at = (at + 1) & mask_) {
      Entry& entry = entries_[at];
      if (entry.index == index) return entry.place;
      if (entry.index >= 0) continue;
      entry = {index, next};
      return next;
    }
  }

 private:
  Entry* entries_;
  size_t mask_;
  int shift_;
};

class SumRowsKernel final : public Kernel {
 public:
  explicit SumRowsKernel(const NodeView& view)
      : table_(view.out(1).shape),
        sums_(view.out(1)),
        index_dtype_(view.in(0).dtype),
        count_(view.in(0).shape.elements()),
        capacity_(IndexTable::capacity(count_)) {
    table_.set(0, view.attrs()[0]);
    description = "hash and add in index order";
  }
  size_t scratch_bytes() const override {
    return capacity_ * sizeof(IndexTable::Entry) + static_cast<size_t>(count_) * sizeof(int32_t);
  }
  void run(const KernelArgs& args) const override {
    if (first_bad_index(index_dtype_, args.in[0], count_, table_[0]) >= 0)
      check_indices(op::scatter_add, table_, 0, index_dtype_, args.in[0], count_);
    auto* places = reinterpret_cast<int32_t*>(static_cast<IndexTable::Entry*>(args.scratch) + capacity_);
    auto* ids = static_cast<int32_t*>(args.out[0]);
    if (index_dtype_ == i32) find_places(static_cast<const int32_t*>(args.in[0]), args.scratch, ids, places);
    else find_places(static_cast<const int64_t*>(args.in[0]), args.scratch, ids, places);
    const int64_t row = row_bytes(sums_);
    if (row == 0) return;
    parallel_for(sums_.shape[0], rows_per_piece(row), [&](int64_t begin, int64_t end) {
      std::memset(static_cast<char*>(args.out[1]) + begin * row, 0, static_cast<size_t>((end - begin) * row));
    });
    scatter_add(sums_.dtype, 1, sums_.shape[0], row / static_cast<int64_t>(size_of(sums_.dtype)), i32, places, count_,
                args.in[1], args.out[1], args.out[1]);
  }

 private:
  template <typename Index>
  void find_places(const Index* indices, void* scratch, int32_t* ids, int32_t* places) const {
    IndexTable known(scratch, capacity_);
    int32_t distinct = 0;
    for (int64_t k = 0; k < count_; ++k) {
      const auto index = static_cast<int32_t>(indices[k]);
      places[k] = known.place(index, distinct);
      if (places[k] == distinct) ids[distinct++] = index;
    }
    std::fill(ids + distinct, ids + count_, -1);
  }

  Shape table_;
  Aval sums_;
  DType index_dtype_;
  int64_t count_;
  size_t capacity_;
};

class RowPlacesKernel final : public Kernel {
 public:
  explicit RowPlacesKernel(const NodeView& view)
      : count_(static_cast<int32_t>(view.in(0).shape[0])), size_(view.attrs()[0]) {
    description = "fill and mark";
  }
  void run(const KernelArgs& args) const override {
    const auto* ids = static_cast<const int32_t*>(args.in[0]);
    auto* places = static_cast<int32_t*>(args.out[0]);
    parallel_for(size_, rows_per_piece(sizeof(int32_t)),
                 [&](int64_t begin, int64_t end) { std::fill(places + begin, places + end, count_); });
    for (int32_t k = 0; k < count_; ++k)
      if (ids[k] >= 0 && ids[k] < size_) places[ids[k]] = k;
  }

 private:
  int32_t count_;
  int64_t size_;
};

class SpreadRowsKernel final : public Kernel {
 public:
  explicit SpreadRowsKernel(const NodeView& view)
      : bytes_(row_bytes(view.in(0))), last_(view.in(0).shape[0] - 1), size_(view.out(0).shape[0]) {
    description = "copies";
  }
  void run(const KernelArgs& args) const override {
    const auto* places = static_cast<const int32_t*>(args.in[1]);
    if (bytes_ == 0) return;
    parallel_for(size_, rows_per_piece(bytes_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t place = places[r] < 0 || places[r] > last_ ? last_ : places[r];
        std::memcpy(static_cast<char*>(args.out[0]) + r * bytes_,
                    static_cast<const char*>(args.in[0]) + place * bytes_, static_cast<size_t>(bytes_));
      }
    });
  }

 private:
  int64_t bytes_, last_, size_;
};

class SubtractRowsKernel final : public Kernel {
 public:
  explicit SubtractRowsKernel(const NodeView& view)
      : bytes_(row_bytes(view.in(0))),
        width_(static_cast<size_t>(bytes_) / size_of(view.in(0).dtype)),
        size_(view.in(0).shape[0]),
        count_(view.in(2).shape[0]),
        subtract_(find_tile_fn("sub", view.in(0).dtype, view.in(0).dtype)) {
    description = "the rows that are named";
  }
  size_t scratch_bytes() const override { return static_cast<size_t>(size_ + 7) / 8; }
  bool allows_in_place(size_t in, size_t) const override { return in == 0; }
  void run(const KernelArgs& args) const override {
    if (bytes_ == 0) return;
    const auto* table = static_cast<const char*>(args.in[0]);
    const auto* rows = static_cast<const char*>(args.in[1]);
    const auto* ids = static_cast<const int32_t*>(args.in[2]);
    auto* out = static_cast<char*>(args.out[0]);
    auto subtract = [&](int64_t row, int64_t change) {
      subtract_(out + row * bytes_, table + row * bytes_, rows + change * bytes_, nullptr, width_);
    };
    const char* last = rows + count_ * bytes_;
    if (std::any_of(last, last + bytes_, [](char byte) { return byte != 0; })) {
      subtract_from_others(ids, static_cast<uint8_t*>(args.scratch), subtract);
    } else if (out != table) {  // x - 0 is x, to the bit
      parallel_for(size_, rows_per_piece(bytes_), [&](int64_t begin, int64_t end) {
        std::memcpy(out + begin * bytes_, table + begin * bytes_, static_cast<size_t>((end - begin) * bytes_));
      });
    }
    parallel_for(count_, rows_per_piece(bytes_), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        if (ids[k] >= 0 && ids[k] < size_) subtract(ids[k], k);
    });
  }

 private:
  template <typename Subtract>
  void subtract_from_others(const int32_t* ids, uint8_t* named, Subtract subtract) const {
    std::memset(named, 0, scratch_bytes());
    for (int64_t k = 0; k < count_; ++k)
      if (ids[k] >= 0 && ids[k] < size_) named[ids[k] / 8] |= static_cast<uint8_t>(1 << ids[k] % 8);
    parallel_for(size_, rows_per_piece(bytes_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        if (!(named[r / 8] >> r % 8 & 1)) subtract(r, count_);
    });
  }

  int64_t bytes_;
  size_t width_;
  int64_t size_, count_;
  TileFn subtract_;
};

}  // namespace

void add_indexed_row_kernels(Registry& registry) {
  registry.add(kDevice, op::sum_rows, {"sums", kPriority, always, prepare<SumRowsKernel>});
  registry.add(kDevice, op::row_places, {"places", kPriority, always, prepare<RowPlacesKernel>});
  registry.add(kDevice, op::spread_rows, {"rows", kPriority, always, prepare<SpreadRowsKernel>});
  registry.add(kDevice, op::subtract_rows, {"rows", kPriority, always, prepare<SubtractRowsKernel>});
}

}  // namespace brio::cpu
