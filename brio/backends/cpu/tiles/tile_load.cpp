#include "brio/backends/cpu/tiles/tile_load.h"

#include <algorithm>
#include <cstring>

namespace brio::cpu {
namespace {

// A tile's offsets fit in the table only if the input is small enough; larger ones are walked.
constexpr int64_t kMaxOffset = int64_t{1} << 30;
// A period up to this is repeated in the thread's buffer: a run, which could be read in place, or a pattern that
// would have to be put together element by element.
constexpr int64_t kMaxRunPeriod = 512, kMaxPatternPeriod = 4096;
// A pattern that changes must serve so many tiles to be worth repeating.
constexpr int64_t kFewestTilesPerPattern = 8;

template <typename U>
void copy_run(U* out, const U* source, int64_t stride, int64_t n) {
  if (stride == 1) {
    if (n >= 64) {
      std::memcpy(out, source, static_cast<size_t>(n) * sizeof(U));
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = source[i];
    }
  } else if (stride == 0) {
    const U value = *source;
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = source[i * stride];
  }
}

template <typename U>
void copy_elements(const InputPlan& plan, const void* base_, int64_t start, int64_t n, void* out_) {
  const U* base = static_cast<const U*>(base_);
  U* out = static_cast<U*>(out_);
  const int last = plan.rank - 1;
  int64_t at[kMaxRank], rest = start, offset = 0;
  for (int i = last; i > 0; --i) {
    at[i] = rest % plan.dims[i];
    rest /= plan.dims[i];
    offset += at[i] * plan.strides[i];
  }
  at[0] = rest;
  offset += rest * plan.strides[0];

  if (at[last] == 0 && n <= static_cast<int64_t>(plan.offsets.size())) {
    const U* source = base + offset;
    const int32_t* offsets = plan.offsets.data();
    for (int64_t i = 0; i < n; ++i) out[i] = source[offsets[i]];
    return;
  }

  while (true) {
    const int64_t run = std::min(n, plan.dims[last] - at[last]);
    copy_run(out, base + offset, plan.strides[last], run);
    n -= run;
    if (n == 0) return;
    out += run;
    offset -= at[last] * plan.strides[last];
    at[last] = 0;
    for (int i = last - 1; i >= 0; --i) {
      offset += plan.strides[i];
      if (++at[i] < plan.dims[i]) break;
      offset -= at[i] * plan.strides[i];
      at[i] = 0;
    }
  }
}

void merge_dims(InputPlan& plan, const TileProgram::Input& input, const Shape& space) {
  plan.rank = 0;
  for (int i = 0; i < space.rank(); ++i) {
    if (space[i] == 1) continue;
    const int64_t stride = input.strides[i];
    if (plan.rank > 0 && plan.strides[plan.rank - 1] == stride * space[i]) {
      plan.dims[plan.rank - 1] *= space[i];
      plan.strides[plan.rank - 1] = stride;
    } else {
      plan.dims[plan.rank] = space[i];
      plan.strides[plan.rank++] = stride;
    }
  }
}

// With two dims, tiles that begin on a row all have the same offsets relative to their first element. Worth
// it where runs are so short that a loop over each would cost more than a load per element.
void tabulate_offsets(InputPlan& plan, int64_t tile) {
  constexpr int64_t kShortRun = 8;
  const int64_t inner = plan.dims[plan.rank - 1];
  if (plan.rank != 2 || inner > kShortRun) return;
  const int64_t outer_stride = plan.strides[0], inner_stride = plan.strides[1];
  const int64_t rows = tile / inner + 1;
  if (rows * std::abs(outer_stride) + inner * std::abs(inner_stride) > kMaxOffset) return;
  plan.offsets.resize(static_cast<size_t>(tile));
  for (int64_t i = 0; i < tile; ++i)
    plan.offsets[static_cast<size_t>(i)] = static_cast<int32_t>(i / inner * outer_stride + i % inner * inner_stride);
}

// Sets period and repeats where a dim of stride 0 repeats the dims within it, and those are few elements.
bool find_period(InputPlan& plan, int64_t tile) {
  for (int repeated = 0; repeated + 1 < plan.rank; ++repeated) {
    if (plan.strides[repeated] != 0) continue;
    const int first = repeated + 1;
    int64_t period = 1;
    for (int i = first; i < plan.rank; ++i) period *= plan.dims[i];
    const bool run = first + 1 == plan.rank && plan.strides[first] == 1;
    if (period > (run ? kMaxRunPeriod : kMaxPatternPeriod)) continue;
    const int64_t repeats = plan.dims[repeated] * period;
    if (repeated > 0 && repeats < kFewestTilesPerPattern * tile) return false;
    plan.period = period;
    plan.repeats = repeats;
    return true;
  }
  return false;
}

}  // namespace

InputPlan plan_input(const TileProgram::Input& input, const Shape& space, int64_t tile) {
  InputPlan plan{};
  plan.dtype = input.dtype;
  plan.element_size = static_cast<uint8_t>(size_of(input.dtype));
  using Kind = InputPlan::Kind;
  if (input.is_places || input.places >= 0) {
    plan.kind = input.is_places ? Kind::places : Kind::rows;
    plan.places = input.places;
    plan.last = static_cast<uint32_t>(input.rows - 1);
    plan.rank = 1;
    plan.dims[0] = space[0] == 0 ? Size(0) : space.elements() / space[0];
    if (plan.dims[0] <= tile) plan.period = 2 * plan.dims[0];  // a slot of whole rows
    return plan;
  }
  merge_dims(plan, input, space);
  switch (plan.element_size) {
    case 1: plan.copy = copy_elements<uint8_t>; break;
    case 2: plan.copy = copy_elements<uint16_t>; break;
    case 4: plan.copy = copy_elements<uint32_t>; break;
    default: plan.copy = copy_elements<uint64_t>; break;
  }
  if (space.elements() == 0 || plan.rank == 0 || (plan.rank == 1 && plan.strides[0] == 1)) {
    plan.kind = Kind::dense;
  } else if (plan.rank == 1 && plan.strides[0] == 0) {
    plan.kind = Kind::scalar;
  } else if (find_period(plan, tile)) {
    plan.kind = Kind::periodic;
  } else {
    plan.kind = Kind::strided;
    tabulate_offsets(plan, tile);
  }
  return plan;
}

void fill_slot(void* slot, const void* element, size_t element_size, int64_t n) {
  alignas(64) unsigned char line[64];
  const auto repeat = [&](auto u) {
    std::memcpy(&u, element, sizeof u);
    for (size_t i = 0; i < 64; i += sizeof u) std::memcpy(line + i, &u, sizeof u);
  };
  switch (element_size) {
    case 1: repeat(uint8_t{}); break;
    case 2: repeat(uint16_t{}); break;
    case 4: repeat(uint32_t{}); break;
    default: repeat(uint64_t{}); break;
  }
  unsigned char* out = static_cast<unsigned char*>(slot);
  const size_t bytes = static_cast<size_t>(n) * element_size;
  for (size_t i = 0; i < bytes; i += 64) std::memcpy(out + i, line, 64);
}

}  // namespace brio::cpu
