#include "brio/ops/indexing/indexed_rows.h"

#include <limits>

#include "brio/base/error.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/families.h"

namespace brio {
namespace {

constexpr AttrSpec kRowCountAttrs[] = {{"size", AttrKind::integer}};

int64_t table_size(const OpCall& call) {
  const int64_t size = call.attrs[0];
  if (surely_less(size, 0) || surely_less(std::numeric_limits<int32_t>::max(), size))
    throw_invalid(call.op, cat("the table has ", size, " rows; they are counted in int32"));
  return size;
}

void check_int32_vector(const OpDef& op, std::string_view what, const Aval& aval) {
  if (aval.dtype != i32 || aval.shape.rank() != 1)
    throw_invalid(op, cat("the ", what, " must be an int32 vector, but are ", aval.dtype, " of shape ", aval.shape));
}

Shape with_rows(const OpDef& op, Size count, const Shape& like, int from) {
  std::vector<Size> dims = {count};
  dims.insert(dims.end(), like.begin() + from, like.end());
  return checked_shape(op, dims);
}

void check_rows(const OpDef& op, const Aval& rows) {
  if (rows.shape.rank() == 0 || rows.shape[0] == 0)
    throw_invalid(op, cat("needs a row for what has none of its own, but the rows have shape ", rows.shape));
}

void infer_sum_rows(const OpCall& call, std::vector<Aval>& out) {
  const Aval &indices = *call.in[0], &rows = *call.in[1];
  table_size(call);
  if (indices.dtype != i32 && indices.dtype != i64)
    throw_invalid(call.op, cat("the indices must be int32 or int64, but are ", indices.dtype, "; cast them first"));
  if (rows.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  bool fits = indices.shape.rank() <= rows.shape.rank();
  for (int i = 0; fits && i < indices.shape.rank(); ++i) fits = !(indices.shape[i] != rows.shape[i]);
  if (!fits)
    throw_invalid(call.op, cat("the indices have shape ", indices.shape, ", which is not the beginning of the rows' ",
                               rows.shape));
  const Size count = indices.shape.elements();
  if (surely_less(std::numeric_limits<int32_t>::max() - 1, count))
    throw_invalid(call.op, cat("there are ", count, " indices; they are counted in int32"));
  out.push_back({Shape{count}, i32});
  out.push_back({with_rows(call.op, count + 1, rows.shape, indices.shape.rank()), rows.dtype});
}

void infer_row_places(const OpCall& call, std::vector<Aval>& out) {
  check_int32_vector(call.op, "ids", *call.in[0]);
  out.push_back({Shape{table_size(call)}, i32});
}

void infer_spread_rows(const OpCall& call, std::vector<Aval>& out) {
  const Aval &rows = *call.in[0], &places = *call.in[1];
  check_rows(call.op, rows);
  check_int32_vector(call.op, "places", places);
  out.push_back({with_rows(call.op, places.shape[0], rows.shape, 1), rows.dtype});
}

void infer_subtract_rows(const OpCall& call, std::vector<Aval>& out) {
  const Aval &table = *call.in[0], &rows = *call.in[1], &ids = *call.in[2];
  check_int32_vector(call.op, "ids", ids);
  check_rows(call.op, rows);
  if (table.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  if (table.shape.rank() == 0 || rows.dtype != table.dtype || rows.shape[0] != ids.shape[0] + 1 ||
      with_rows(call.op, table.shape[0], rows.shape, 1) != table.shape)
    throw_invalid(call.op,
                  cat("a table of ", table.dtype, " of shape ", table.shape, " with ", ids.shape[0],
                      " ids takes one row more of the same sort, but got ", rows.dtype, " of shape ", rows.shape));
  out.push_back(table);
}

Cost rows_cost(const OpCall& call, std::span<const Aval> out) {
  return {static_cast<double>(call.in[1]->shape.elements()), total_bytes(call, out)};
}

constexpr std::string_view kNoGradOfRows = "the planner makes it after differentiation";

}  // namespace

namespace op {
const OpDef sum_rows{.name = "sum_rows",
                     .summary = "the sums of rows of equal index, and the distinct indices",
                     .kind = OpKind::indexed,
                     .min_inputs = 2,
                     .max_inputs = 2,
                     .attrs = kRowCountAttrs,
                     .infer = infer_sum_rows,
                     .no_grad = kNoGradOfRows,
                     .cost = rows_cost,
                     .may_fail = true};
const OpDef row_places{.name = "row_places",
                       .summary = "where among some rows each row of a table is found; behind them if nowhere",
                       .kind = OpKind::indexed,
                       .min_inputs = 1,
                       .max_inputs = 1,
                       .attrs = kRowCountAttrs,
                       .infer = infer_row_places,
                       .no_grad = kNoGradOfRows,
                       .cost = movement_cost};
const OpDef spread_rows{.name = "spread_rows",
                        .summary = "the table whose rows are found at these places; the last for a place outside",
                        .kind = OpKind::indexed,
                        .min_inputs = 2,
                        .max_inputs = 2,
                        .infer = infer_spread_rows,
                        .no_grad = kNoGradOfRows,
                        .cost = movement_cost};
const OpDef subtract_rows{.name = "subtract_rows",
                          .summary = "a table less some of its rows' changes, and the last of them from all others",
                          .kind = OpKind::indexed,
                          .min_inputs = 3,
                          .max_inputs = 3,
                          .infer = infer_subtract_rows,
                          .no_grad = kNoGradOfRows,
                          .cost = rows_cost};
}  // namespace op

void register_indexed_rows() {
  static const OpDef* const rows[] = {&op::sum_rows, &op::row_places, &op::spread_rows, &op::subtract_rows};
  register_ops(rows);
}

}  // namespace brio
