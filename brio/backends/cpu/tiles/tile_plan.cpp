#include "brio/backends/cpu/tiles/tile_plan.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include "brio/backends/cpu/tiles/tile_load.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

constexpr int64_t kLargestTile = 1024, kSmallestTile = 128, kTileInPlace = 4096;
// Programs that touch more than this work from memory: smaller tiles leave the L1 cache room for what is
// fetched ahead.
constexpr int64_t kFromMemory = 24 << 20, kLargestTileFromMemory = 512;
// Rows of at least this are worth a tile each where an operand has one number for each of them.
constexpr int64_t kShortestRow = 128;
constexpr size_t kSlotBudget = 16 << 10;  // half of the smallest L1 data cache: the other half is for streams
constexpr double kParallelNanoseconds = 50'000, kPieceNanoseconds = 40'000;
constexpr double kNanosecondsPerByte = 0.06;  // of memory traffic, one thread
constexpr int64_t kSmallRegisters = 48;
constexpr int64_t kUnitElements = 1 << 16, kMostUnits = 64;

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }
int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Registers as the program numbers them.
struct Registers {
  explicit Registers(const TileProgram& program) {
    for (const auto& input : program.inputs) dtype.push_back(input.dtype);
    for (const auto& constant : program.constants) dtype.push_back(constant.dtype);
    first_step = static_cast<int32_t>(dtype.size());
    for (const auto& step : program.steps) dtype.push_back(step.dtype);
    // Time: step k happens at k; then the outputs are copied, then the reductions read.
    const int32_t end = static_cast<int32_t>(program.steps.size());
    last_read.assign(dtype.size(), -1);
    for (size_t k = 0; k < program.steps.size(); ++k)
      for (int32_t source : program.steps[k].src)
        if (source >= 0) last_read[static_cast<size_t>(source)] = static_cast<int32_t>(k);
    for (size_t o = 0; o < program.outputs.size(); ++o)
      last_read[static_cast<size_t>(program.outputs[o].reg)] = end + static_cast<int32_t>(o);
    for (const auto& reduction : program.reductions)
      last_read[static_cast<size_t>(reduction.reg)] = end + static_cast<int32_t>(program.outputs.size());
  }
  int32_t first_step;
  std::vector<DType> dtype;
  std::vector<int32_t> last_read;
};

void check(const TileProgram& program) {
  const int32_t leaves = static_cast<int32_t>(program.inputs.size() + program.constants.size());
  const int32_t registers = leaves + static_cast<int32_t>(program.steps.size());
  for (size_t k = 0; k < program.steps.size(); ++k) {
    BRIO_CHECK(program.steps[k].fn, "step ", k, " has no kernel");
    for (int32_t source : program.steps[k].src)
      BRIO_CHECK(source >= -1 && source < leaves + static_cast<int32_t>(k), "step ", k, " reads register ", source);
  }
  for (const auto& output : program.outputs)
    BRIO_CHECK(output.reg >= 0 && output.reg < registers, "an output reads register ", output.reg);
  for (const auto& reduction : program.reductions)
    BRIO_CHECK(reduction.reg >= 0 && reduction.reg < registers, "a reduction reads register ", reduction.reg);
  BRIO_CHECK(program.reduced_mask < (1 << program.space.rank()), "mask ", int{program.reduced_mask}, " for ",
             program.space);
}

// Bytes of dense operands and results per element.
int64_t bytes_per_element(const TileProgram& program, const Registers& registers) {
  int64_t bytes = 0;
  for (const auto& input : program.inputs) {
    bool broadcast = true;
    for (int i = 0; i < program.space.rank(); ++i) broadcast &= input.strides[i] == 0 || program.space[i] == 1;
    if (!broadcast) bytes += static_cast<int64_t>(size_of(input.dtype));
  }
  for (const auto& output : program.outputs)
    bytes += static_cast<int64_t>(size_of(registers.dtype[static_cast<size_t>(output.reg)]));
  return bytes;
}

int64_t choose_tile(const TileProgram& program, const TilePlan& plan) {
  size_t bytes = 1;
  for (const auto& step : program.steps) bytes += size_of(step.dtype);
  const int64_t fitting = static_cast<int64_t>(kSlotBudget / bytes) / 64 * 64;
  const int64_t largest = plan.prefetch ? kLargestTileFromMemory : kLargestTile;
  return std::min(std::clamp(fitting, kSmallestTile, largest), round_up(std::max<int64_t>(plan.elements, 1), 64));
}

bool has_rows(const InputPlan& input) {
  return input.kind == InputPlan::Kind::strided || input.kind == InputPlan::Kind::rows;
}

// The longest stretch along which every input is contiguous or constant; tiles that respect it need no
// copies.
int64_t common_row(const TilePlan& plan) {
  int64_t row = plan.elements;
  for (const InputPlan& input : plan.inputs)
    if (has_rows(input)) row = std::min(row, input.dims[input.rank - 1]);
  for (const InputPlan& input : plan.inputs)  // a divisor of each, or no row at all
    if (has_rows(input) && input.dims[input.rank - 1] % row != 0) return plan.elements;
  return row;
}

void cut_tiles(TilePlan& plan) {
  const int64_t row = common_row(plan);
  if (row < (plan.row_splats.empty() ? plan.tile : std::min(plan.tile, kShortestRow))) {
    plan.row = plan.elements;
    plan.tile_length = plan.tile / row * row;
  } else {
    plan.row = row;
    plan.tile_length = std::min(round_up(divide_up(row, divide_up(row, plan.tile)), 64), plan.tile);
  }
  plan.tiles_per_row = divide_up(plan.row, plan.tile_length);
  plan.tiles = plan.tiles_per_row * (plan.elements / plan.row);
}

void find_places(TilePlan& plan) {
  using Kind = InputPlan::Kind;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const InputPlan& input = plan.inputs[i];
    if (input.kind == Kind::scalar) continue;  // it has its place for good
    TilePlan::Place place{static_cast<int32_t>(i), plan.row * input.element_size, input.element_size};
    if (input.kind != Kind::dense) {
      const bool rows = input.kind == Kind::strided && input.rank == 2 && input.dims[1] == plan.row;
      if (!rows || (input.strides[1] != 1 && !input.splat)) return;
      place.row_bytes = input.strides[0] * input.element_size;
      place.element_bytes *= input.strides[1];
    }
    plan.places.push_back(place);
  }
  plan.in_place = true;
}

// One past the chain of each step; the step itself where a chain cannot do it.
std::vector<size_t> chain_ends(const std::vector<TileProgram::Step>& steps) {
  std::vector<size_t> ends(steps.size());
  for (size_t k = steps.size(); k-- > 0;) {
    if (!chainable(steps[k])) ends[k] = k;
    else ends[k] = k + 1 < steps.size() && ends[k + 1] > k + 1 ? ends[k + 1] : k + 1;
  }
  return ends;
}

// Which inputs are one value for a whole tile, and read as such? Those that chains alone read.
void find_splats(const TileProgram& program, TilePlan& plan) {
  const std::vector<size_t> chain_end = chain_ends(program.steps);
  std::vector<bool> chainable_only(plan.inputs.size(), true), chains_only(plan.inputs.size(), true);
  const auto read = [&](int32_t reg, bool by_chainable, bool by_chain) {
    if (reg < 0 || static_cast<size_t>(reg) >= plan.inputs.size()) return;
    if (!by_chainable) chainable_only[static_cast<size_t>(reg)] = false;
    if (!by_chain) chains_only[static_cast<size_t>(reg)] = false;
  };
  for (size_t k = 0; k < program.steps.size(); ++k)
    for (int32_t source : program.steps[k].src)
      read(source, chain_end[k] > k, chain_end[k] > k + 1 || (k > 0 && chain_end[k - 1] > k));
  for (const auto& output : program.outputs) read(output.reg, false, false);
  for (const auto& reduction : program.reductions) read(reduction.reg, false, false);
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    InputPlan& input = plan.inputs[i];
    const int last = input.rank - 1;
    if (input.kind == InputPlan::Kind::scalar) {
      input.splat = chains_only[i];
    } else if (input.kind == InputPlan::Kind::strided && input.strides[last] == 0 &&
               input.dims[last] >= std::min(plan.tile, kShortestRow)) {
      input.splat = chainable_only[i];  // a step by itself becomes a chain then
      if (input.splat) plan.row_splats.push_back(static_cast<int32_t>(i));
    }
  }
}

// Neighbouring steps that a chain can do become one; the others are called one by one, unless they read a splat.
void write_code(const TileProgram& program, const Registers& registers, TilePlan& plan) {
  const std::vector<TileProgram::Step>& steps = program.steps;
  const std::vector<size_t> chain_end = chain_ends(steps);
  const auto reads_splat = [&](const TileProgram::Step& step) {
    return std::ranges::any_of(step.src, [&](int32_t source) {
      return std::ranges::find(plan.row_splats, source) != plan.row_splats.end();
    });
  };
  const auto in_chain = [&](size_t k) {
    return chain_end[k] > k + 1 || (chain_end[k] == k + 1 && reads_splat(steps[k]));
  };
  // What a link passes on to the next alone is never stored.
  std::vector<ChainRegister> known(registers.dtype.size());
  for (size_t i = 0; i < known.size(); ++i)
    known[i].splat = i < plan.inputs.size() ? plan.inputs[i].kind == InputPlan::Kind::scalar
                                            : static_cast<int32_t>(i) < registers.first_step;
  for (size_t k = 0; k < steps.size(); ++k) {
    const int32_t reg = registers.first_step + static_cast<int32_t>(k);
    const bool follows = k > 0 && chain_end[k - 1] > k;
    for (int32_t source : steps[k].src)
      if (source >= registers.first_step && !(follows && source == reg - 1))
        known[static_cast<size_t>(source)].stored = true;
    if (!follows && !in_chain(k)) known[static_cast<size_t>(reg)].stored = true;  // its kernel writes it
  }
  for (const auto& output : program.outputs) known[static_cast<size_t>(output.reg)].stored = true;
  for (const auto& reduction : program.reductions) known[static_cast<size_t>(reduction.reg)].stored = true;
  for (size_t i = 0; i < known.size(); ++i)
    plan.stored.push_back(static_cast<int32_t>(i) < registers.first_step || known[i].stored);

  const auto write = [&](std::vector<TilePlan::Code>& code) {
    for (size_t k = 0; k < steps.size();) {
      const int32_t reg = registers.first_step + static_cast<int32_t>(k);
      if (in_chain(k)) {
        plan.chains.push_back(
            std::make_unique<const Chain>(make_chain(std::span(steps).subspan(k, chain_end[k] - k), reg, known)));
        code.push_back({nullptr, 0, 0, 0, 0, plan.chains.back().get()});
        k = chain_end[k];
        continue;
      }
      const auto source = [&](int n) { return steps[k].src[n] < 0 ? plan.registers : steps[k].src[n]; };
      code.push_back({steps[k].fn, reg, source(0), source(1), source(2), nullptr});
      ++k;
    }
  };
  if (!plan.row_splats.empty()) write(plan.code_across_rows);
  for (int32_t i : plan.row_splats) known[static_cast<size_t>(i)].splat = true;
  write(plan.code);
}

// Where no step keeps anything in a slot and every input is read in place, longer tiles cost no room in the cache.
void lengthen_tiles(const Registers& registers, TilePlan& plan) {
  if (plan.prefetch) return;
  std::vector<bool> in_slot = plan.stored;
  std::fill_n(in_slot.begin(), registers.first_step, false);
  for (const OutputPlan& output : plan.outputs)
    if (output.direct) in_slot[static_cast<size_t>(output.reg)] = false;
  if (std::ranges::find(in_slot, true) != in_slot.end()) return;
  for (const InputPlan& input : plan.inputs)
    if (input.kind != InputPlan::Kind::dense && input.kind != InputPlan::Kind::scalar) return;
  plan.tile = std::clamp(round_up(plan.elements, 64), plan.tile, kTileInPlace);
}

// Slots by liveness: a step may write over a source of the same element size that it is the last to read.
Layout assign_slots(const TileProgram& program, const Registers& registers, TilePlan& plan, bool collected) {
  Layout layout;
  layout.slot.assign(registers.dtype.size(), -1);
  const auto take = [&](int64_t elements, size_t size) {
    const size_t offset = layout.bytes;
    layout.bytes += static_cast<size_t>(round_up(elements * static_cast<int64_t>(size), 64));
    return static_cast<int32_t>(offset);
  };
  std::vector<bool> is_output(registers.dtype.size(), false), is_direct(registers.dtype.size(), false);
  for (const OutputPlan& output : plan.outputs) {
    is_output[static_cast<size_t>(output.reg)] = true;
    if (output.direct && !collected) is_direct[static_cast<size_t>(output.reg)] = true;
  }
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const InputPlan& input = plan.inputs[i];
    const bool staged = collected && is_output[i];
    if ((input.kind == InputPlan::Kind::dense && !staged) || input.kind == InputPlan::Kind::places) continue;
    if (input.kind == InputPlan::Kind::scalar && input.splat) continue;
    layout.slot[i] = take(plan.tile + input.period, input.element_size);
  }
  std::vector<std::vector<int32_t>> free(9);  // by element size
  for (size_t k = 0; k < program.steps.size(); ++k) {
    const size_t out = static_cast<size_t>(registers.first_step) + k;
    const size_t size = size_of(registers.dtype[out]);
    const auto release_sources = [&] {
      for (int n = 0; n < 3; ++n) {
        const int32_t source = program.steps[k].src[n];
        if (source < registers.first_step) continue;
        const size_t s = static_cast<size_t>(source);
        const bool repeated =
            std::find(program.steps[k].src, program.steps[k].src + n, source) != program.steps[k].src + n;
        if (repeated || layout.slot[s] < 0 || registers.last_read[s] != static_cast<int32_t>(k)) continue;
        free[size_of(registers.dtype[s])].push_back(layout.slot[s]);
      }
    };
    release_sources();
    if (is_direct[out] || !plan.stored[out]) continue;
    if (free[size].empty()) {
      layout.slot[out] = take(plan.tile, size);
    } else {
      layout.slot[out] = free[size].back();
      free[size].pop_back();
    }
    if (registers.last_read[out] < 0) free[size].push_back(layout.slot[out]);  // nothing reads it
  }
  return layout;
}

void plan_outputs(const TileProgram& program, const Registers& registers, TilePlan& plan) {
  std::vector<bool> taken(registers.dtype.size(), false);
  const int32_t end = static_cast<int32_t>(program.steps.size());
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    const int32_t reg = program.outputs[o].reg;
    OutputPlan output{reg, static_cast<uint8_t>(size_of(registers.dtype[static_cast<size_t>(reg)])), false};
    output.direct = reg >= registers.first_step && !taken[static_cast<size_t>(reg)];
    taken[static_cast<size_t>(reg)] = true;
    plan.outputs.push_back(output);
    const int32_t written = output.direct ? reg - registers.first_step : end + static_cast<int32_t>(o);
    for (size_t i = 0; i < plan.inputs.size(); ++i)
      if (plan.inputs[i].kind == InputPlan::Kind::dense && registers.last_read[i] > written)
        plan.hazards.push_back({static_cast<int32_t>(o), static_cast<int32_t>(i)});
  }
}

void splat_constants(const TileProgram& program, TilePlan& plan) {
  if (program.constants.empty()) return;
  const size_t bytes = static_cast<size_t>(plan.tile) * 8;
  char* storage = static_cast<char*>(::operator new (bytes* program.constants.size(), std::align_val_t{64}));
  plan.constant_storage.reset(storage);
  for (const auto& constant : program.constants) {
    fill_slot(storage, &constant.bits, size_of(constant.dtype), plan.tile);
    plan.constants.push_back(storage);
    storage += bytes;
  }
}

// The space as reductions see it: dims of size 1 dropped, neighbours of the same sort merged. Depends on
// nothing else, so that the order of combination is the same whatever is fused in front.
ReductionSpace plan_reduction_space(const Shape& space, uint8_t mask) {
  struct Dim {
    int64_t size, stride;
    bool reduced;
  };
  std::vector<Dim> dims;
  const Strides strides = row_major(space);
  for (int i = 0; i < space.rank(); ++i) {
    if (space[i] == 1) continue;
    const bool reduced = mask >> i & 1;
    if (!dims.empty() && dims.back().reduced == reduced) {
      dims.back().size *= space[i];
      dims.back().stride = strides[i];
    } else {
      dims.push_back({space[i], strides[i], reduced});
    }
  }
  ReductionSpace r;
  const auto pop = [&](bool reduced) {
    if (dims.empty() || dims.back().reduced != reduced) return int64_t{1};
    const int64_t size = dims.back().size;
    dims.pop_back();
    return size;
  };
  r.run = pop(true);
  r.width = pop(false);
  r.rows = pop(true);
  for (const Dim& dim : dims) {
    r.outer_dims[r.outer_rank] = dim.size;
    r.outer_strides[r.outer_rank] = dim.stride;
    r.outer_reduced[r.outer_rank++] = dim.reduced;
    (dim.reduced ? r.outer_reductions : r.outer_kept) *= dim.size;
  }
  r.by_rows = r.rows == 1 && r.outer_rank == 0;

  const int64_t elements = space.elements();
  const int64_t units = std::clamp<int64_t>(elements / kUnitElements, 1, kMostUnits);
  if (r.by_rows) {
    if (r.width < units && r.run > static_cast<int64_t>(kReduceBlock)) {
      r.blocks_per_unit = std::max<int64_t>(1, kUnitElements / static_cast<int64_t>(kReduceBlock));
    } else {
      r.values_per_unit = std::max<int64_t>(1, kUnitElements / r.run);
    }
    return r;
  }
  constexpr int64_t kNarrow = 128, kVector = 16, kFewestRows = 64;
  if (r.width < kNarrow) {
    const int64_t to_vectors = kVector / std::gcd(r.width, kVector);
    r.group = std::min(r.rows, round_up(divide_up(kNarrow, r.width), to_vectors));
  }
  r.rows_per_block = r.rows;
  if (r.outer_reductions == 1) {
    const int64_t wanted = std::min(divide_up(units, r.outer_kept), std::max<int64_t>(1, r.rows / kFewestRows));
    r.rows_per_block = round_up(divide_up(r.rows, wanted), r.group);
  }
  r.row_blocks = divide_up(r.rows, r.rows_per_block);
  return r;
}

// Columns per unit: as many as have their accumulators in the second-level cache. The order of combination
// does not depend on it.
void cut_strips(ReductionSpace& r, size_t reductions) {
  constexpr int64_t kWidest = 1 << 15, kVector = 16;
  r.strips = divide_up(r.width, std::max<int64_t>(kWidest / static_cast<int64_t>(reductions), 1024));
  r.strip = round_up(divide_up(r.width, r.strips), kVector);
  r.strips = divide_up(r.width, r.strip);
}

int64_t most_strip_values(const ReductionSpace& r) { return std::min(r.strip, r.width) * r.group; }

void plan_reductions(const TileProgram& program, const Registers& registers, TilePlan& plan) {
  if (program.reductions.empty()) return;
  ReductionSpace& r = plan.reduction_space = plan_reduction_space(program.space, program.reduced_mask);
  cut_strips(r, program.reductions.size());
  for (const auto& reduction : program.reductions) {
    ReductionPlan p{};
    p.reg = reduction.reg;
    p.dtype = registers.dtype[static_cast<size_t>(reduction.reg)];
    p.kernel = find_reduce_kernel(reduction.kind, p.dtype);
    p.element_size = static_cast<uint8_t>(size_of(p.dtype));
    p.accumulator_size = static_cast<uint8_t>(size_of(p.kernel.accumulator));
    p.widened = p.values = p.lanes = p.block = p.part = -1;
    const auto take = [&](int64_t elements) {
      const size_t bytes = static_cast<size_t>(round_up(elements * p.accumulator_size, 64));
      const size_t offset = plan.direct.bytes;
      plan.direct.bytes += bytes;
      plan.collected.bytes += bytes;
      return static_cast<int32_t>(offset);
    };
    if (p.kernel.widen) p.widened = take(plan.tile);
    p.values = take(plan.tile);
    p.lanes = take(static_cast<int64_t>(kReduceLanes));
    p.tree = take(48);
    if (!r.by_rows) {
      p.block = take(most_strip_values(r));
      p.part = take(most_strip_values(r));
    }
    int64_t partials = 0;
    if (r.by_rows && r.blocks_per_unit > 0) partials = r.width * divide_up(r.run, static_cast<int64_t>(kReduceBlock));
    else if (!r.by_rows && r.row_blocks > 1) partials = r.outer_kept * r.row_blocks * r.width;
    p.partials = plan.scratch;
    plan.scratch += static_cast<size_t>(round_up(partials * p.accumulator_size, 64));
    plan.reductions.push_back(p);
  }
}

void estimate(const TileProgram& program, TilePlan& plan) {
  double per_element = 0;
  double bytes = 0;
  size_t written = 0;
  for (const auto& step : program.steps) per_element += tile_fn_cost(step.fn);
  for (const InputPlan& input : plan.inputs)
    if (input.kind == InputPlan::Kind::dense || input.kind == InputPlan::Kind::strided) {
      bytes += input.element_size;
      if (input.kind == InputPlan::Kind::strided) per_element += 0.3;
    }
  for (const OutputPlan& output : plan.outputs) bytes += output.element_size, written += output.element_size;
  per_element += bytes * kNanosecondsPerByte + 0.06 * static_cast<double>(plan.reductions.size());
  const double n = static_cast<double>(plan.elements);
  plan.parallel = n * per_element > kParallelNanoseconds;
  const double per_tile = per_element * static_cast<double>(plan.tile_length);
  plan.grain = std::max<int64_t>(1, static_cast<int64_t>(kPieceNanoseconds / std::max(per_tile, 1.0)));
  plan.streaming = static_cast<size_t>(plan.elements) * written > streaming_threshold();
  plan.stream_copy = find_stream_copy();
}

}  // namespace

void TilePlan::AlignedDelete::operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }

std::unique_ptr<const TilePlan> make_tile_plan(const TileProgram& program) {
  check(program);
  auto owned = std::make_unique<TilePlan>();
  TilePlan& plan = *owned;
  const Registers registers(program);
  plan.elements = program.space.elements();
  plan.registers = static_cast<int32_t>(registers.dtype.size());
  plan.results = 1;
  for (int i = 0; i < program.space.rank(); ++i)
    if (!(program.reduced_mask >> i & 1)) plan.results *= program.space[i];
  plan.prefetch = plan.elements * bytes_per_element(program, registers) > kFromMemory;
  plan.tile = choose_tile(program, plan);

  for (const auto& input : program.inputs) plan.inputs.push_back(plan_input(input, program.space, plan.tile));
  find_splats(program, plan);
  write_code(program, registers, plan);
  plan_outputs(program, registers, plan);
  lengthen_tiles(registers, plan);
  splat_constants(program, plan);
  plan.direct = assign_slots(program, registers, plan, false);
  plan.collected = assign_slots(program, registers, plan, true);
  // Both layouts keep the reductions' buffers at the same offsets.
  plan.direct.bytes = plan.collected.bytes = std::max(plan.direct.bytes, plan.collected.bytes);
  if (plan.elements == 0) {
    for (const auto& reduction : program.reductions) {
      ReductionPlan p{};
      p.dtype = registers.dtype[static_cast<size_t>(reduction.reg)];
      p.kernel = find_reduce_kernel(reduction.kind, p.dtype);
      p.element_size = static_cast<uint8_t>(size_of(p.dtype));
      plan.reductions.push_back(p);
    }
    return owned;
  }
  cut_tiles(plan);
  find_places(plan);
  plan_reductions(program, registers, plan);
  estimate(program, plan);

  const ReductionSpace& r = plan.reduction_space;
  plan.small = plan.elements <= plan.tile && plan.registers <= kSmallRegisters &&
               (plan.reductions.empty() || (r.by_rows && r.width == 1));
  for (const InputPlan& input : plan.inputs)
    plan.small &= input.kind == InputPlan::Kind::dense || input.kind == InputPlan::Kind::scalar;
  return owned;
}

size_t heap_bytes(const TilePlan& plan) {
  auto block = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  size_t bytes = sizeof(TilePlan) + block(plan.places) + block(plan.inputs) + block(plan.constants) +
                 block(plan.code) + block(plan.code_across_rows) + block(plan.chains) + block(plan.outputs) +
                 block(plan.reductions) + static_cast<size_t>(plan.tile) * 8 * plan.constants.size();
  for (const auto& chain : plan.chains)
    bytes += sizeof(Chain) + block(chain->wide) + block(chain->single) + block(chain->tail);
  return bytes;
}

}  // namespace brio::cpu
