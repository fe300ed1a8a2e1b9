// What TileKernel works out once from a TileProgram. Private to tile_*.cpp.
//
// The space is walked in its linear (row-major) order, in tiles of at most `tile` elements. A register is a
// pointer that is valid for the tile at hand: into an input that is dense, into a slot of the thread's
// buffer, or straight into an output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "brio/backends/cpu/kernels/reduce_kernels.h"
#include "brio/backends/cpu/kernels/stream_copy.h"
#include "brio/backends/cpu/tiles/tile_chain.h"
#include "brio/backends/cpu/tiles/tile_program.h"

namespace brio::cpu {

// How an input reaches the steps.
struct InputPlan {
  enum class Kind : uint8_t {
    dense,     // in place
    scalar,    // one element: in place as a splat, or a slot filled once per thread
    periodic,  // broadcast along the leading dims, short: repeated once per thread so that any phase is a
               // pointer; where a dim outside of those picks the pattern, repeated anew when it changes
    strided,   // in place where the tile lies within one contiguous run, else copied into a slot
    rows,      // found by places: in place where the tile lies within one row, else copied into a slot
    places,    // read as such for another input
  };
  Kind kind;
  DType dtype;
  uint8_t element_size;
  int rank;  // of the dims below: those of the space, merged as far as this input allows
  int64_t dims[kMaxRank], strides[kMaxRank];
  bool splat;       // scalar: needs no slot; strided: one of row_splats
  int64_t period;   // periodic: elements of the pattern; rows: by how many elements their slot is longer than a tile
  int64_t repeats;  // periodic: elements that it covers before the next pattern, or all
  int32_t places;   // rows: the input that says where they are; dims[0] elements each
  uint32_t last;    // rows: the last one, for all that are nowhere
  std::vector<int32_t>
      offsets;  // strided: offsets of a tile that begins at a multiple of the innermost dim; may be empty
  // Copies n elements from linear index `start` of the space. Chosen by element size.
  void (*copy)(const InputPlan& plan, const void* base, int64_t start, int64_t n, void* out);
};

// Where registers live. Two exist: outputs written by their steps, and outputs collected in slots until the
// tile ends (needed when an output overwrites an input that a later step reads, and for streaming stores).
struct Layout {
  std::vector<int32_t> slot;  // byte offset in the thread's buffer per register, -1 when it has none
  size_t bytes = 0;           // of the thread's buffer
};

struct OutputPlan {
  int32_t reg;
  uint8_t element_size;
  bool direct;  // its step (or its loader) may write into the output itself
};

struct ReductionPlan {
  int32_t reg;
  DType dtype;
  uint8_t element_size;  // of the result
  uint8_t accumulator_size;
  ReduceKernel kernel;
  int32_t widened = -1;           // thread buffer: one tile in the accumulator dtype
  int32_t values = -1;            // thread buffer: one reduced value per run of a tile
  int32_t lanes = -1;             // thread buffer: 64 lanes
  int32_t tree = -1;              // thread buffer: results of blocks waiting for their neighbour
  int32_t block = -1, part = -1;  // thread buffer: column accumulators
  size_t partials = 0;            // scratch: byte offset of partial results
};

// The space seen by reductions: outer kept × outer reduced × rows × width × run, where the last three are
// contiguous. A "value" is the reduction of one run; values of a row are kept apart, values of a column are
// combined.
struct ReductionSpace {
  int64_t run = 1;     // innermost reduced dim (1: the innermost dim is kept)
  int64_t width = 1;   // kept dim outside it
  int64_t rows = 1;    // reduced dim outside that
  int outer_rank = 0;  // remaining dims, outermost first
  int64_t outer_dims[kMaxRank], outer_strides[kMaxRank];
  bool outer_reduced[kMaxRank];
  int64_t outer_kept = 1, outer_reductions = 1;  // their products

  bool by_rows = true;  // rows and outer dims are all 1: every value is a result
  // by_rows: results per unit of work, or, when there are few long runs, blocks of a run per unit.
  int64_t values_per_unit = 1, blocks_per_unit = 0;
  // by columns:
  int64_t group = 1;  // rows side by side in one accumulator, so that narrow rows fill vectors
  int64_t strip = 1;  // columns per unit
  int64_t strips = 1, row_blocks = 1, rows_per_block = 1;
};

struct TilePlan {
  int64_t elements = 0;
  int64_t tile = 0;
  int64_t row = 0;  // tiles do not straddle multiples of this, when it is at least a tile
  int64_t tile_length = 0, tiles_per_row = 0, tiles = 0;  // how the space is cut when there is no reduction
  int32_t inputs_count = 0, registers = 0;
  // Where every input is read in place, and rows are the same for all of them: what a tile takes to find its operands
  // is a product or two, which the loads of its first elements wait for.
  struct Place {
    int32_t input;
    int64_t row_bytes, element_bytes;  // from one row, from one element of a row to the next
  };
  std::vector<Place> places;
  bool in_place = false;

  std::vector<InputPlan> inputs;
  std::vector<const void*> constants;  // a tile of each
  struct AlignedDelete {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, AlignedDelete> constant_storage;

  struct Code {
    TileFn fn;
    int32_t out, a, b, c;          // an absent source is register number `registers`, which is null
    const Chain* chain = nullptr;  // instead of all that

    void run(void* const* registers, size_t n) const {
      if (chain) chain->run(*chain, registers, n);
      else fn(registers[out], registers[a], registers[b], registers[c], n);
    }
  };
  std::vector<Code> code;
  // Inputs that are constant along their innermost dim, which is long, and that chains alone read: a tile within one
  // run has one value of each, which needs no slot. Other tiles have them in slots and run code_across_rows.
  std::vector<int32_t> row_splats;
  std::vector<Code> code_across_rows;
  std::vector<std::unique_ptr<const Chain>> chains;
  std::vector<bool> stored;  // per register: has it a place in memory, or is it only passed on within a chain?
  std::vector<OutputPlan> outputs;
  std::vector<ReductionPlan> reductions;
  ReductionSpace reduction_space;
  int64_t results = 0;  // elements of each reduction's result

  Layout direct, collected;
  struct Hazard {
    int32_t output, input;
  };  // the output is written before the last read of the input
  std::vector<Hazard> hazards;

  bool small = false;      // one tile, nothing to load: the short way
  bool prefetch = false;   // inputs come from memory
  bool streaming = false;  // outputs are too large for the cache to be of use
  StreamCopy stream_copy = nullptr;
  bool parallel = false;
  int64_t grain = 1;  // tiles per piece, without reductions
  size_t scratch = 0;
};

std::unique_ptr<const TilePlan> make_tile_plan(const TileProgram& program);
size_t heap_bytes(const TilePlan& plan);

}  // namespace brio::cpu
