// Reductions over a TilePlan. The space is cut into units of work by its shape alone (ReductionSpace); each
// unit reduces its part in a fixed order and either writes results or leaves partial results, which are
// combined in order at the end.
#include <algorithm>
#include <bit>
#include <cstring>

#include "brio/backends/cpu/tiles/tile_load.h"
#include "brio/backends/cpu/tiles/tile_run.h"
#include "brio/base/thread_pool.h"

namespace brio::cpu {
namespace {

constexpr int64_t kBlock = static_cast<int64_t>(kReduceBlock);
// Column sums first add this many rows, then add the sums: the error grows with the logarithm of the rows.
constexpr int64_t kRowsPerPart = 64;

std::byte* element(void* base, int64_t index, int64_t size) { return static_cast<std::byte*>(base) + index * size; }
const std::byte* element(const void* base, int64_t index, int64_t size) {
  return static_cast<const std::byte*>(base) + index * size;
}

// Results of blocks combine pairwise as they come, which is the balanced tree over their positions: before
// block b there wait as many as b has bits set.
void combine_top(const ReductionPlan& p, void* waiting, int64_t below) {
  void* low = element(waiting, below, p.accumulator_size);
  p.kernel.combine(low, low, element(waiting, below + 1, p.accumulator_size), nullptr, 1);
}
void push_block(const ReductionPlan& p, void* waiting, int64_t block, const void* value) {
  int64_t top = std::popcount(static_cast<uint64_t>(block));
  std::memcpy(element(waiting, top, p.accumulator_size), value, p.accumulator_size);
  for (; block & 1; block >>= 1) combine_top(p, waiting, --top);
}
void finish_blocks_of(const ReductionPlan& p, void* waiting, int64_t blocks, void* out) {
  for (int64_t top = std::popcount(static_cast<uint64_t>(blocks)) - 1; top > 0;) combine_top(p, waiting, --top);
  std::memcpy(out, waiting, p.accumulator_size);
}

class ReductionRun {
 public:
  ReductionRun(const TileArguments& arguments, TileRun& run)
      : arguments_(arguments), plan_(arguments.plan), space_(plan_.reduction_space), run_(run) {}

  void row_unit(int64_t unit) {
    const int64_t first = unit * space_.values_per_unit;
    const int64_t count = std::min(space_.values_per_unit, space_.width - first);
    values(0, first, count, [&](int64_t at, int64_t n) {
      for (size_t i = 0; i < plan_.reductions.size(); ++i) write(i, at, values_of(plan_.reductions[i]), n);
    });
  }

  void block_unit(int64_t unit) {
    const int64_t blocks = (space_.run + kBlock - 1) / kBlock;
    const int64_t units = (blocks + space_.blocks_per_unit - 1) / space_.blocks_per_unit;
    const int64_t value = unit / units, first = unit % units * space_.blocks_per_unit;
    for (int64_t b = first; b < std::min(blocks, first + space_.blocks_per_unit); ++b) {
      reduce_block(value * space_.run, b);
      for (const ReductionPlan& p : plan_.reductions)
        std::memcpy(element(arguments_.scratch + p.partials, value * blocks + b, p.accumulator_size),
                    run_.at(p.values), p.accumulator_size);
    }
  }

  void column_unit(int64_t unit) {
    const int64_t block = unit % space_.row_blocks;
    const int64_t strip = unit / space_.row_blocks % space_.strips;
    const int64_t kept = unit / space_.row_blocks / space_.strips;
    const int64_t column = strip * space_.strip, columns = std::min(space_.strip, space_.width - column);
    const int64_t group = space_.group, accumulators = columns * group;
    const int64_t first_row = block * space_.rows_per_block;
    const int64_t end_row = std::min(space_.rows, first_row + space_.rows_per_block);

    // With one part there is nothing to add it to.
    const bool one_part = space_.outer_reductions == 1 && end_row - first_row <= kRowsPerPart * group;
    sums_ = one_part ? &ReductionPlan::block : &ReductionPlan::part;
    fill_identity(&ReductionPlan::block, accumulators);
    for (int64_t outer = 0; outer < space_.outer_reductions; ++outer) {
      const int64_t base = outer_offset(kept, outer);
      for (int64_t row = first_row; row < end_row; row += kRowsPerPart * group) {
        const int64_t rows = std::min(kRowsPerPart * group, end_row - row);
        if (!one_part) fill_identity(&ReductionPlan::part, accumulators);
        if (space_.strips == 1) {
          const int64_t begin = row * space_.width;
          values(base, begin, rows * space_.width,
                 [&](int64_t at, int64_t n) { accumulate((at - begin) % accumulators, accumulators, n); });
        } else {
          run_.fetch_ahead(space_.width * space_.run);  // the same columns of the next row
          for (int64_t r = row; r < row + rows; ++r) {
            const int64_t begin = r * space_.width + column;
            values(base, begin, columns, [&](int64_t at, int64_t n) { accumulate(at - begin, accumulators, n); });
          }
        }
        if (one_part) continue;
        for (const ReductionPlan& p : plan_.reductions)
          p.kernel.combine(run_.at(p.block), run_.at(p.block), run_.at(p.part), nullptr,
                           static_cast<size_t>(accumulators));
      }
    }
    for (size_t i = 0; i < plan_.reductions.size(); ++i) {
      const ReductionPlan& p = plan_.reductions[i];
      void* sums = run_.at(p.block);
      if (group > 1)
        p.kernel.columns(sums, element(sums, columns, p.accumulator_size), static_cast<size_t>(group - 1),
                         static_cast<size_t>(columns));
      if (space_.row_blocks == 1) {
        write(i, kept * space_.width + column, sums, columns);
      } else {
        const int64_t at = (kept * space_.row_blocks + block) * space_.width + column;
        std::memcpy(element(arguments_.scratch + p.partials, at, p.accumulator_size), sums,
                    static_cast<size_t>(columns) * p.accumulator_size);
      }
    }
  }

  // Results from the partial results that units left.
  void finish_blocks() {
    const int64_t blocks = (space_.run + kBlock - 1) / kBlock;
    for (size_t i = 0; i < plan_.reductions.size(); ++i) {
      const ReductionPlan& p = plan_.reductions[i];
      for (int64_t v = 0; v < space_.width; ++v) {
        for (int64_t b = 0; b < blocks; ++b)
          push_block(p, run_.at(p.tree), b,
                     element(arguments_.scratch + p.partials, v * blocks + b, p.accumulator_size));
        finish_blocks_of(p, run_.at(p.tree), blocks, run_.at(p.values));
        write(i, v, run_.at(p.values), 1);
      }
    }
  }
  void finish_columns() {
    for (size_t i = 0; i < plan_.reductions.size(); ++i) {
      const ReductionPlan& p = plan_.reductions[i];
      for (int64_t kept = 0; kept < space_.outer_kept; ++kept) {
        void* sums =
            element(arguments_.scratch + p.partials, kept * space_.row_blocks * space_.width, p.accumulator_size);
        p.kernel.columns(sums, element(sums, space_.width, p.accumulator_size),
                         static_cast<size_t>(space_.row_blocks - 1), static_cast<size_t>(space_.width));
        write(i, kept * space_.width, sums, space_.width);
      }
    }
  }

 private:
  // Reduces the runs of values [first, first + count), which begin at element base + value · run; calls
  // use(value, n) for one piece after the other, whose results values_of() then points to.
  template <typename Use>
  void values(int64_t base, int64_t first, int64_t count, Use&& use) {
    const int64_t end = first + count;
    while (first < end) {
      int64_t n = 1;
      if (space_.run > plan_.tile) {
        long_run(base + first * space_.run);
      } else {
        n = std::min(piece(first), end - first);
        run_.evaluate(base + first * space_.run, n * space_.run);
        for (const ReductionPlan& p : plan_.reductions) {
          const void* source = widened(p, n * space_.run);
          if (space_.run > 1 || space_.by_rows)
            p.kernel.rows(run_.at(p.values), source, static_cast<size_t>(n), static_cast<size_t>(space_.run));
        }
      }
      use(first, n);
      first += n;
    }
  }
  const void* values_of(const ReductionPlan& p) const {
    if (space_.run > 1 || space_.by_rows) return run_.at(p.values);
    return p.widened >= 0 ? run_.at(p.widened) : run_.reg(p.reg);
  }

  // Values per tile from `first` on: whole groups of rows where they fit, else whole rows, else parts of one
  // row, so that accumulators stay in step and inputs that are broadcast along rows can be used in place.
  int64_t piece(int64_t first) const {
    const int64_t fit = plan_.tile / space_.run, width = space_.width, group = width * space_.group;
    if (group <= fit) return first % group == 0 ? fit / group * group : group - first % group;
    if (width <= fit) return first % width == 0 ? fit / width * width : width - first % width;
    const int64_t parts = (width + fit - 1) / fit;
    const int64_t even = ((width + parts - 1) / parts + 15) / 16 * 16;
    return std::min(std::min(even, fit), width - first % width);
  }

  const void* widened(const ReductionPlan& p, int64_t n) {
    const void* source = run_.reg(p.reg);
    if (p.widened < 0) return source;
    p.kernel.widen(run_.at(p.widened), source, nullptr, nullptr, static_cast<size_t>(n));
    return run_.at(p.widened);
  }

  // Block b of the run that begins at element `start`: its reduction goes to values[0].
  void reduce_block(int64_t start, int64_t b) {
    fill_identity(&ReductionPlan::lanes, static_cast<int64_t>(kReduceLanes));
    const int64_t end = std::min(space_.run, (b + 1) * kBlock);
    for (int64_t i = b * kBlock; i < end; i += plan_.tile) {
      const int64_t n = std::min(plan_.tile, end - i);
      run_.evaluate(start + i, n);
      for (const ReductionPlan& p : plan_.reductions)
        p.kernel.lanes(run_.at(p.lanes), widened(p, n), static_cast<size_t>(n));
    }
    for (const ReductionPlan& p : plan_.reductions) p.kernel.fold(run_.at(p.values), run_.at(p.lanes));
  }

  void long_run(int64_t start) {
    const int64_t blocks = (space_.run + kBlock - 1) / kBlock;
    if (blocks == 1) return reduce_block(start, 0);
    for (int64_t b = 0; b < blocks; ++b) {
      reduce_block(start, b);
      for (const ReductionPlan& p : plan_.reductions) push_block(p, run_.at(p.tree), b, run_.at(p.values));
    }
    for (const ReductionPlan& p : plan_.reductions) finish_blocks_of(p, run_.at(p.tree), blocks, run_.at(p.values));
  }

  // n values join the accumulators from `position` on, wrapping around.
  void accumulate(int64_t position, int64_t accumulators, int64_t n) {
    for (const ReductionPlan& p : plan_.reductions) {
      const int64_t size = p.accumulator_size;
      const void* source = values_of(p);
      int64_t at = position, left = n;
      while (left > 0) {
        if (at == 0 && left >= accumulators) {
          const int64_t rows = left / accumulators;
          p.kernel.columns(run_.at(p.*sums_), source, static_cast<size_t>(rows), static_cast<size_t>(accumulators));
          source = element(source, rows * accumulators, size);
          left -= rows * accumulators;
        } else {
          const int64_t some = std::min(left, accumulators - at);
          void* sums = element(run_.at(p.*sums_), at, size);
          p.kernel.combine(sums, sums, source, nullptr, static_cast<size_t>(some));
          source = element(source, some, size);
          left -= some;
          at = at + some == accumulators ? 0 : at + some;
        }
      }
    }
  }

  void fill_identity(int32_t ReductionPlan::*where, int64_t n) {
    for (const ReductionPlan& p : plan_.reductions)
      fill_slot(run_.at(p.*where), &p.kernel.identity, p.accumulator_size, n);
  }

  void write(size_t reduction, int64_t at, const void* results, int64_t n) {
    const ReductionPlan& p = plan_.reductions[reduction];
    void* out = element(arguments_.outputs[plan_.outputs.size() + reduction], at, p.element_size);
    if (p.kernel.narrow) p.kernel.narrow(out, results, nullptr, nullptr, static_cast<size_t>(n));
    else std::memcpy(out, results, static_cast<size_t>(n) * p.element_size);
  }

  int64_t outer_offset(int64_t kept, int64_t reduced) const {
    int64_t offset = 0;
    for (int i = space_.outer_rank - 1; i >= 0; --i) {
      int64_t& index = space_.outer_reduced[i] ? reduced : kept;
      offset += index % space_.outer_dims[i] * space_.outer_strides[i];
      index /= space_.outer_dims[i];
    }
    return offset;
  }

  const TileArguments& arguments_;
  const TilePlan& plan_;
  const ReductionSpace& space_;
  TileRun& run_;
  int32_t ReductionPlan::*sums_ = nullptr;  // where accumulate() adds to
};

}  // namespace

void run_reductions(const TileArguments& arguments) {
  const TilePlan& plan = arguments.plan;
  const ReductionSpace& space = plan.reduction_space;
  const bool blocks = space.by_rows && space.blocks_per_unit > 0;
  int64_t units;
  if (blocks) {
    const int64_t per_run = (space.run + kBlock - 1) / kBlock;
    units = space.width * ((per_run + space.blocks_per_unit - 1) / space.blocks_per_unit);
  } else if (space.by_rows) {
    units = (space.width + space.values_per_unit - 1) / space.values_per_unit;
  } else {
    units = space.outer_kept * space.strips * space.row_blocks;
  }
  const auto work = [&](int64_t begin, int64_t end) {
    with_tile_run(arguments, [&](TileRun& tiles) {
      ReductionRun run(arguments, tiles);
      for (int64_t u = begin; u < end; ++u) {
        if (blocks) run.block_unit(u);
        else if (space.by_rows) run.row_unit(u);
        else run.column_unit(u);
      }
      tiles.finish();
    });
  };
  if (plan.parallel) parallel_for(units, 1, work);
  else work(0, units);
  if (blocks || (!space.by_rows && space.row_blocks > 1))
    with_tile_run(arguments, [&](TileRun& tiles) {
      ReductionRun run(arguments, tiles);
      if (blocks) run.finish_blocks();
      else run.finish_columns();
    });
}

}  // namespace brio::cpu
