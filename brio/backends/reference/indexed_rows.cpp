#include "brio/ops/indexing/indexed_rows.h"

#include <cstring>
#include <vector>

#include "brio/backends/reference/kernel.h"
#include "brio/ops/indexing/indexing.h"

namespace brio::reference {
namespace {

int64_t width_of(const Shape& rows) {
  int64_t width = 1;
  for (int i = 1; i < rows.rank(); ++i) width *= rows[i];
  return width;
}

// The place of each row of a table among those that `ids` names; behind them, if nowhere.
std::vector<int64_t> places_of(const int32_t* ids, int64_t count, int64_t size) {
  std::vector<int64_t> places(static_cast<size_t>(size), count);
  for (int64_t k = 0; k < count; ++k)
    if (ids[k] >= 0 && ids[k] < size) places[static_cast<size_t>(ids[k])] = k;
  return places;
}

void run_sum_rows(const Call& call) {
  const int64_t size = call.attrs[0], count = call.in_shape(0).elements(), width = width_of(call.out_shape(1));
  Shape table = call.out_shape(1);
  table.set(0, size);
  check_indices(op::scatter_add, table, 0, call.in_avals[0].dtype, call.args.in[0], count);
  if (call.out_avals[1].bytes() != 0) std::memset(call.out<void>(1), 0, call.out_avals[1].bytes());
  std::vector<int64_t> places(static_cast<size_t>(size), count);
  int64_t distinct = 0;
  visit_numbers(call.out_avals[1].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t k = 0; k < count; ++k) {
      const int64_t index = integer_at(call.args.in[0], call.in_avals[0].dtype, k);
      int64_t& place = places[static_cast<size_t>(index)];
      if (place == count) {
        place = distinct++;
        call.out<int32_t>(0)[place] = static_cast<int32_t>(index);
      }
      for (int64_t i = 0; i < width; ++i) {
        T& at = call.out<T>(1)[place * width + i];
        at = static_cast<T>(plus(wide(at), wide(call.in<T>(1)[k * width + i])));
      }
    }
  });
  for (int64_t k = distinct; k < count; ++k) call.out<int32_t>(0)[k] = -1;
}

void run_row_places(const Call& call) {
  const auto places = places_of(call.in<int32_t>(0), call.in_shape(0)[0], call.attrs[0]);
  for (size_t r = 0; r < places.size(); ++r) call.out<int32_t>()[r] = static_cast<int32_t>(places[r]);
}

void run_spread_rows(const Call& call) {
  const int64_t last = call.in_shape(0)[0] - 1;
  const size_t bytes =
      static_cast<size_t>(width_of(call.in_shape(0))) * static_cast<size_t>(size_of(call.in_avals[0].dtype));
  if (bytes == 0) return;
  for (int64_t r = 0; r < call.out_shape()[0]; ++r) {
    const int64_t place = call.in<int32_t>(1)[r];
    std::memcpy(call.out<char>() + static_cast<size_t>(r) * bytes,
                call.in<char>(0) + static_cast<size_t>(place < 0 || place > last ? last : place) * bytes, bytes);
  }
}

void run_subtract_rows(const Call& call) {
  const int64_t size = call.in_shape(0)[0], width = width_of(call.in_shape(0));
  const auto places = places_of(call.in<int32_t>(2), call.in_shape(2)[0], size);
  visit_numbers(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t r = 0; r < size; ++r)
      for (int64_t i = 0; i < width; ++i) {
        const T change = call.in<T>(1)[places[static_cast<size_t>(r)] * width + i];
        call.out<T>()[r * width + i] = static_cast<T>(minus(wide(call.in<T>(0)[r * width + i]), wide(change)));
      }
  });
}

}  // namespace

void add_indexed_rows(Registry& r) {
  add<run_sum_rows>(r, op::sum_rows);
  add<run_row_places>(r, op::row_places);
  add<run_spread_rows>(r, op::spread_rows);
  add<run_subtract_rows>(r, op::subtract_rows);
}

}  // namespace brio::reference
