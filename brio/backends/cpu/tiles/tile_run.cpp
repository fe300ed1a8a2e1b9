#include "brio/backends/cpu/tiles/tile_run.h"

#include <algorithm>
#include <cstring>

#include "brio/backends/cpu/kernels/stream_copy.h"
#include "brio/backends/cpu/tiles/tile_load.h"
#include "brio/base/thread_pool.h"

namespace brio::cpu {
TileRun::TileRun(const TileArguments& arguments, std::byte* buffer, void** registers, const void** filled, Row* rows)
    : arguments_(arguments),
      plan_(arguments.plan),
      buffer_(buffer),
      registers_(registers),
      filled_(filled),
      rows_(rows) {
  const Layout& layout = arguments.layout;
  for (size_t i = 0; i < static_cast<size_t>(plan_.registers); ++i)
    registers_[i] = layout.slot[i] >= 0 ? buffer_ + layout.slot[i] : nullptr;
  registers_[plan_.registers] = nullptr;
  for (size_t i = 0; i < plan_.constants.size(); ++i)
    registers_[plan_.inputs.size() + i] = const_cast<void*>(plan_.constants[i]);
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    const InputPlan& input = plan_.inputs[i];
    filled_[i] = nullptr;
    rows_[i] = {};
    if (input.kind != InputPlan::Kind::scalar) continue;
    if (input.splat) registers_[i] = const_cast<void*>(arguments.inputs[i]);
    else fill_slot(registers_[i], arguments.inputs[i], input.element_size, std::min(plan_.tile, plan_.elements));
  }
}

// The pattern of a periodic input from linear index `start` of the space on, as often as the slot has room for it.
void TileRun::repeat_pattern(size_t i, int64_t start) {
  const InputPlan& input = plan_.inputs[i];
  std::byte* slot = buffer_ + arguments_.layout.slot[i];
  const size_t period = static_cast<size_t>(input.period) * input.element_size;
  const size_t bytes = static_cast<size_t>(plan_.tile) * input.element_size + period;
  input.copy(input, arguments_.inputs[i], start, input.period, slot);
  for (size_t done = period; done < bytes; done += std::min(done, bytes - done))
    std::memcpy(slot + done, slot, std::min(done, bytes - done));
}

// The innermost run of a strided input that linear index `start` of the space lies in. Tiles mostly go on where the
// last one ended: divisions, which all loads of a tile would wait for, are rare.
const TileRun::Row& TileRun::row_at(size_t i, int64_t start) {
  const InputPlan& input = plan_.inputs[i];
  Row& row = rows_[i];
  if (start >= row.begin && start < row.end) return row;
  const int last = input.rank - 1;
  const int64_t size = input.element_size;
  if (start == row.end && start > 0 && input.rank == 2) {
    row = {row.end, row.end + input.dims[last], row.first + input.strides[0] * size};
    return row;
  }
  const int64_t begin = start - start % input.dims[last];
  int64_t rest = begin / input.dims[last], offset = 0;
  for (int k = last - 1; k >= 0; --k) {
    offset += rest % input.dims[k] * input.strides[k];
    rest /= input.dims[k];
  }
  row = {begin, begin + input.dims[last], static_cast<const std::byte*>(arguments_.inputs[i]) + offset * size};
  return row;
}

// Has a tile one value of each of the row_splats?
bool TileRun::within_rows(int64_t start, int64_t n) {
  for (int32_t i : plan_.row_splats)
    if (start + n > row_at(static_cast<size_t>(i), start).end) return false;
  return true;
}

// splats: row_splats need one element.
void TileRun::load(size_t i, int64_t start, int64_t n, bool splats) {
  const InputPlan& input = plan_.inputs[i];
  const int64_t size = input.element_size;
  const std::byte* base = static_cast<const std::byte*>(arguments_.inputs[i]);
  switch (input.kind) {
    case InputPlan::Kind::scalar:
    case InputPlan::Kind::places: return;
    case InputPlan::Kind::rows: return load_rows(i, start, n);
    case InputPlan::Kind::dense: {
      const std::byte* here = base + start * size;
      const int32_t slot = arguments_.layout.slot[i];
      if (slot < 0) {
        registers_[i] = const_cast<std::byte*>(here);
      } else {  // it is an output as well, and may be overwritten before it is copied
        std::memcpy(buffer_ + slot, here, static_cast<size_t>(n * size));
      }
      return;
    }
    case InputPlan::Kind::periodic: {
      const int64_t within = start % input.repeats, pattern = start - within;
      std::byte* slot = buffer_ + arguments_.layout.slot[i];
      if (within + n > input.repeats) {  // the end of one pattern and the beginning of the next
        input.copy(input, base, start, n, slot);
        registers_[i] = slot;
        filled_[i] = nullptr;
        return;
      }
      const std::byte* key = base + pattern;  // stands for the pattern; not read
      if (filled_[i] != key) repeat_pattern(i, pattern);
      filled_[i] = key;
      registers_[i] = slot + within % input.period * size;
      return;
    }
    case InputPlan::Kind::strided: break;
  }
  const int last = input.rank - 1;
  const int64_t inner = input.dims[last], stride = input.strides[last];
  void* slot = buffer_ + arguments_.layout.slot[i];
  if (input.splat && splats) {
    registers_[i] = const_cast<std::byte*>(row_at(i, start).first);
    return;
  }
  if ((stride == 0 || stride == 1) && inner >= n) {
    if (const Row& row = row_at(i, start); start + n <= row.end) {
      if (stride == 1) {
        registers_[i] = const_cast<std::byte*>(row.first + (start - row.begin) * size);
      } else {
        registers_[i] = slot;
        if (filled_[i] != row.first) fill_slot(slot, row.first, input.element_size, plan_.tile);
        filled_[i] = row.first;
      }
      return;
    }
  }
  registers_[i] = slot;
  filled_[i] = nullptr;
  input.copy(input, base, start, n, slot);
}

// Most rows of a large table are the last one: the slot is full of it, and only what is another is copied, and taken
// back for the next tile.
void TileRun::load_rows(size_t i, int64_t start, int64_t n) {
  const InputPlan& input = plan_.inputs[i];
  const std::byte* base = static_cast<const std::byte*>(arguments_.inputs[i]);
  const auto* places = static_cast<const int32_t*>(arguments_.inputs[input.places]);
  const int64_t width = input.dims[0], row_bytes = width * input.element_size;
  const int64_t row = start / width, at = start % width, table_rows = plan_.elements / width;
  std::byte* slot = buffer_ + arguments_.layout.slot[i];
  const auto place = [&](int64_t r) { return std::min(static_cast<uint32_t>(places[r]), input.last); };
  const auto copy = [&](int64_t to, uint32_t from) {
    std::memcpy(slot + to * row_bytes, base + from * row_bytes, static_cast<size_t>(row_bytes));
  };
  if (at + n <= width) {
    registers_[i] = const_cast<std::byte*>(base + place(row) * row_bytes + at * input.element_size);
    return;
  }
  if (width > plan_.tile) {  // the end of a row and the beginning of the next
    const int64_t first = (width - at) * input.element_size;
    std::memcpy(slot, base + place(row) * row_bytes + at * input.element_size, static_cast<size_t>(first));
    std::memcpy(slot + first, base + place(row + 1) * row_bytes, static_cast<size_t>(n * input.element_size - first));
    registers_[i] = slot;
    return;
  }
  registers_[i] = slot + at * input.element_size;
  const int64_t tile_rows = (plan_.tile + 2 * width - 2) / width;  // those that a tile may touch
  if (!filled_[i]) {
    for (int64_t k = 0; k < tile_rows; ++k) copy(k, input.last);
  } else {
    const int64_t before = static_cast<const int32_t*>(filled_[i]) - places;
    for (int64_t k = 0; k < std::min(tile_rows, table_rows - before); ++k)
      if (place(before + k) != input.last) copy(k, input.last);
  }
  filled_[i] = places + row;
  for (int64_t k = 0; (row + k) * width < start + n; ++k)
    if (place(row + k) != input.last) copy(k, place(row + k));
}

[[gnu::always_inline]] inline void TileRun::run_steps(const std::vector<TilePlan::Code>& code, int64_t start,
                                                      int64_t n) {
  if (!arguments_.collect)
    for (size_t i = 0; i < plan_.outputs.size(); ++i)
      if (const OutputPlan& output = plan_.outputs[i]; output.direct)
        registers_[output.reg] = static_cast<std::byte*>(arguments_.outputs[i]) + start * output.element_size;
  const int64_t steps = static_cast<int64_t>(code.size());
  if (steps == 0 && plan_.prefetch) prefetch(start, n, 0, 1);
  for (int64_t k = 0; k < steps; ++k) {
    if (plan_.prefetch) prefetch(start, n, k, steps);
    code[static_cast<size_t>(k)].run(registers_, static_cast<size_t>(n));
  }
  copy_outputs(start, n);
}

void TileRun::evaluate(int64_t start, int64_t n) {
  const bool splats = within_rows(start, n);
  for (size_t i = 0; i < plan_.inputs.size(); ++i) load(i, start, n, splats);
  run_steps(splats ? plan_.code : plan_.code_across_rows, start, n);
}

void TileRun::evaluate(int64_t row, int64_t at, int64_t n) {
  const int64_t start = row * plan_.row + at;
  if (!plan_.in_place || arguments_.collect) return evaluate(start, n);
  for (const TilePlan::Place& place : plan_.places) {
    const auto* base = static_cast<const std::byte*>(arguments_.inputs[place.input]);
    registers_[place.input] = const_cast<std::byte*>(base + row * place.row_bytes + at * place.element_bytes);
  }
  run_steps(plan_.code, start, n);
}

// A part of the lines that the tile to come will read: spread over the steps, so that memory works while they
// compute.
void TileRun::prefetch(int64_t start, int64_t n, int64_t part, int64_t parts) {
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    const InputPlan& input = plan_.inputs[i];
    if (input.kind != InputPlan::Kind::dense) continue;
    const int64_t first = start + (ahead_ > 0 ? ahead_ : n);
    const std::byte* next = static_cast<const std::byte*>(arguments_.inputs[i]) + first * input.element_size;
    const int64_t lines = (n * input.element_size + 63) / 64;
    for (int64_t l = lines * part / parts; l < lines * (part + 1) / parts; ++l) __builtin_prefetch(next + l * 64);
  }
}

void TileRun::finish() {
  if (arguments_.stream) finish_streaming();
}

void TileRun::copy_outputs(int64_t start, int64_t n) {
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const OutputPlan& output = plan_.outputs[i];
    if (output.direct && !arguments_.collect) continue;
    std::byte* out = static_cast<std::byte*>(arguments_.outputs[i]) + start * output.element_size;
    const size_t bytes = static_cast<size_t>(n) * output.element_size;
    const void* source = registers_[output.reg];
    if (arguments_.stream) plan_.stream_copy(out, source, bytes);
    else if (out != source) std::memcpy(out, source, bytes);
  }
}

void run_elementwise(const TileArguments& arguments) {
  const TilePlan& plan = arguments.plan;
  const auto tiles = [&](int64_t begin, int64_t end) {
    with_tile_run(arguments, [&](TileRun& run) {
      int64_t row = begin / plan.tiles_per_row, in_row = begin % plan.tiles_per_row * plan.tile_length;
      for (int64_t t = begin; t < end; ++t) {
        run.evaluate(row, in_row, std::min(plan.tile_length, plan.row - in_row));
        in_row += plan.tile_length;
        if (in_row >= plan.row) ++row, in_row = 0;
      }
      run.finish();
    });
  };
  if (plan.parallel) parallel_for(plan.tiles, plan.grain, tiles);
  else tiles(0, plan.tiles);
}

}  // namespace brio::cpu
