// Gradients of looked-up tables without a table: the sums of the rows that were looked up, and their positions. The
// planner makes these ops from scatter_add into zeros (passes/indexed.cpp). Each of them identifies the table's rows
// by
//   ids      the distinct rows that have a sum, in the order in which they first appear; -1 behind the last
//   rows     one row per id, and one more for all the other rows of the table: 0, unless it was computed with
//   places   per row of the table: its row among `rows`; the last, for all the others
#pragma once

#include "brio/ir/op.h"

namespace brio::op {

// indices, rows (indices.shape + …) {size} → ids, sums of rows. An index outside [0, size) is an error, as in
// scatter_add, which this op replaces.
extern const OpDef sum_rows;
// ids {size} → places
extern const OpDef row_places;
// rows, places → the table. A place outside `rows` means the last row.
extern const OpDef spread_rows;
// table, rows, ids → table - spread_rows(rows, row_places(ids)), for distinct ids. In place it touches only the rows
// in ids, if the last row is 0.
extern const OpDef subtract_rows;

}  // namespace brio::op
