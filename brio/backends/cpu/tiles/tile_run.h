// One thread's evaluation of a TilePlan. Private to tile_*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brio/backends/cpu/tiles/tile_plan.h"

namespace brio::cpu {

// The arguments of TileKernel::run and what is decided from them.
struct TileArguments {
  const TilePlan& plan;
  const void* const* inputs;
  void* const* outputs;
  std::byte* scratch;
  const Layout& layout;
  bool collect;  // layout is plan.collected: outputs are copied when a tile is done
  bool stream;   // … with streaming stores
};

class TileRun {
 public:
  // The innermost run of a strided input that was read last: elements begin … end of the space.
  struct Row {
    int64_t begin, end;
    const std::byte* first;
  };

  // buffer: layout.bytes, 64-byte aligned; registers: plan.registers + 1; filled, rows: one per input.
  TileRun(const TileArguments& arguments, std::byte* buffer, void** registers, const void** filled, Row* rows);

  // Runs the steps on elements [start, start + n) of the space, n ≤ plan.tile, and writes the outputs.
  void evaluate(int64_t start, int64_t n);
  // The same on elements [at, at + n) of a row of the plan.
  void evaluate(int64_t row, int64_t at, int64_t n);

  // From memory, the tile to come is fetched early; it is the next one in the space unless this says how many
  // elements ahead it lies.
  void fetch_ahead(int64_t elements) { ahead_ = elements; }

  // After the last tile of this thread.
  void finish();

  const void* reg(int32_t number) const { return registers_[number]; }
  void* at(int32_t offset) const { return buffer_ + offset; }

 private:
  const Row& row_at(size_t input, int64_t start);
  bool within_rows(int64_t start, int64_t n);
  void run_steps(const std::vector<TilePlan::Code>& code, int64_t start, int64_t n);
  void load(size_t input, int64_t start, int64_t n, bool splats);
  void load_rows(size_t input, int64_t start, int64_t n);
  void repeat_pattern(size_t input, int64_t start);
  void copy_outputs(int64_t start, int64_t n);
  void prefetch(int64_t start, int64_t n, int64_t part, int64_t parts);

  const TileArguments& arguments_;
  const TilePlan& plan_;
  std::byte* buffer_;
  void** registers_;
  int64_t ahead_ = 0;
  // What a slot holds all over: strided inputs: the element; periodic ones: their pattern; rows: the last row, except
  // for those of the tile whose first row's place this is.
  const void** filled_;
  Row* rows_;
};

// Calls body(run) with a TileRun whose storage is on the stack.
template <typename Body>
[[gnu::noinline]] void with_tile_run(const TileArguments& arguments, Body&& body) {
  const TilePlan& plan = arguments.plan;
  void* buffer = __builtin_alloca_with_align(arguments.layout.bytes + 64, 512);
  void* pointers = __builtin_alloca(sizeof(void*) * (static_cast<size_t>(plan.registers) + 1 + plan.inputs.size()));
  void** registers = static_cast<void**>(pointers);
  void* rows = __builtin_alloca(sizeof(TileRun::Row) * plan.inputs.size());
  TileRun run(arguments, static_cast<std::byte*>(buffer), registers,
              const_cast<const void**>(registers + plan.registers + 1), static_cast<TileRun::Row*>(rows));
  body(run);
}

void run_elementwise(const TileArguments& arguments);
void run_reductions(const TileArguments& arguments);  // tile_reduce.cpp

}  // namespace brio::cpu
