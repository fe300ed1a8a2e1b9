#include "brio/ops/indexing/indexed_rows.h"

#include <gtest/gtest.h>

#include <cstring>

#include "brio/base/thread_pool.h"
#include "brio/ir/recording.h"

#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

// A table's shape, of rank 1 to 8, and how many rows are looked up.
struct Table {
  Shape shape, rows;  // rows: one more than are looked up
  int64_t count;
};
Table table(Rng& rng, int i) {
  Table t;
  t.shape = random_shape(rng, std::max(1, i % 9));
  if (t.shape[0] == 0) t.shape.set(0, 1);
  t.count = rng.range(0, 9);
  t.rows = t.shape;
  t.rows.set(0, t.count + 1);
  return t;
}

// Distinct ids below `size` in some order, then -1.
Input distinct_ids(int64_t count, int64_t size, uint64_t seed) {
  return {{Shape{count}, i32}, 0, 1, Fill::uniform, [=](Array& array) {
            Rng rng(seed);
            std::vector<int32_t> free(static_cast<size_t>(size));
            for (size_t k = 0; k < free.size(); ++k) free[k] = static_cast<int32_t>(k);
            for (int64_t k = 0; k < count; ++k) {
              int32_t& id = array.as<int32_t>()[k];
              id = -1;
              if (free.empty() || (k > 0 && array.as<int32_t>()[k - 1] < 0) || rng.chance(0.1)) continue;
              const auto at = free.begin() + rng.range(0, static_cast<int64_t>(free.size()) - 1);
              id = *at;
              free.erase(at);
            }
          }};
}

void clear_last_row(Array& array) {
  const Aval& aval = array.aval;
  const size_t bytes = aval.bytes() / static_cast<size_t>(aval.shape[0]);
  if (bytes != 0) std::memset(static_cast<char*>(array.data()) + aval.bytes() - bytes, 0, bytes);
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::sum_rows,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Table t = table(rng, i);
             Shape indices =
                 random_shape(rng, static_cast<int>(rng.range(0, std::min(2, kMaxRank - t.shape.rank()))));
             Shape rows = indices;
             for (int k = 1; k < t.shape.rank(); ++k) rows.push_back(t.shape[k]);
             return Case{{{{indices, i % 2 ? i32 : i64}, 0, static_cast<double>(t.shape[0] - 1)}, {{rows, dtype}}},
                         {t.shape[0]}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{16384}, i32}, 0, 99'999}, {{Shape{16384, 128}, dtype}}}, {100'000}};
           }},
      {.op = &op::row_places,
       .dtypes = {i32},
       .make =
           [](Rng& rng, DType, int) {
             const int64_t size = rng.range(0, 20);
             return Case{{distinct_ids(rng.range(0, 9), size, rng.bits())}, {size}};
           },
       .large =
           [](DType) {
             return Case{{distinct_ids(1000, 2000, 1)}, {100'000}};
           },
       .exact = true},
      {.op = &op::spread_rows,
       .dtypes = kAll,
       .make =
           [](Rng& rng, DType dtype, int i) {  // places outside too
             const Table t = table(rng, i);
             return Case{{{{t.rows, dtype}}, {{Shape{t.shape[0]}, i32}, -2, static_cast<double>(t.count + 2)}}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{1000, 128}, dtype}}, {{Shape{100'000}, i32}, 0, 1000}}};
           },
       .exact = true},
      {.op = &op::subtract_rows,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Table t = table(rng, i);
             Input rows{{t.rows, dtype}};
             if (i % 3 != 0) rows.adjust = clear_last_row;
             return Case{{{{t.shape, dtype}}, rows, distinct_ids(t.count, t.shape[0], rng.bits())}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{100'000, 128}, dtype}},
                          {{Shape{1001, 128}, dtype}, -1, 1, Fill::uniform, clear_last_row},
                          distinct_ids(1000, 100'000, 1)}};
           },
       .exact = true},
  };
}

std::vector<Invalid> invalid() {
  const Tensor ids = tensor({2}, i32);
  return {
      {&op::sum_rows,
       "float indices",
       [] {
         call(op::sum_rows, {tensor({2}), tensor({2, 3})}, {4});
       },
       {"int32 or int64", "float32"}},
      {&op::sum_rows,
       "bools",
       [=] {
         call(op::sum_rows, {ids, tensor({2, 3}, boolean)}, {4});
       },
       {"bool", "cast"}},
      {&op::sum_rows,
       "other rows",
       [=] {
         call(op::sum_rows, {ids, tensor({3, 3})}, {4});
       },
       {"(2,)", "(3, 3)"}},
      {&op::sum_rows,
       "a table of less than nothing",
       [=] {
         call(op::sum_rows, {ids, tensor({2, 3})}, {-1});
       },
       {"-1 rows"}},
      {&op::row_places,
       "too large a table",
       [=] { call(op::row_places, {ids}, {int64_t{1} << 31}); },
       {"2147483648 rows", "int32"}},
      {&op::row_places,
       "a matrix",
       [] {
         call(op::row_places, {tensor({2, 2}, i32)}, {4});
       },
       {"int32 vector", "(2, 2)"}},
      {&op::row_places, "wide ids", [] { call(op::row_places, {tensor({2}, i64)}, {4}); }, {"int32 vector", "int64"}},
      {&op::spread_rows,
       "no rows",
       [=] {
         call(op::spread_rows, {tensor({0, 3}), ids});
       },
       {"needs a row", "(0, 3)"}},
      {&op::spread_rows,
       "a scalar",
       [=] {
         call(op::spread_rows, {tensor({}), ids});
       },
       {"needs a row", "()"}},
      {&op::spread_rows,
       "float places",
       [=] {
         call(op::spread_rows, {tensor({1, 3}), tensor({2})});
       },
       {"places", "float32"}},
      {&op::subtract_rows,
       "too few rows",
       [=] {
         call(op::subtract_rows, {tensor({4, 3}), tensor({2, 3}), ids});
       },
       {"(4, 3)", "2 ids", "(2, 3)"}},
      {&op::subtract_rows,
       "wider rows",
       [=] {
         call(op::subtract_rows, {tensor({4, 3}), tensor({3, 4}), ids});
       },
       {"(3, 4)"}},
      {&op::subtract_rows,
       "rows of another dtype",
       [=] {
         call(op::subtract_rows, {tensor({4, 3}), tensor({3, 3}, f64), ids});
       },
       {"float32", "float64"}},
      {&op::subtract_rows,
       "a scalar",
       [=] {
         call(op::subtract_rows, {tensor({}), tensor({3}), ids});
       },
       {"shape ()"}},
      {&op::subtract_rows,
       "bools",
       [=] {
         call(op::subtract_rows, {tensor({4, 3}, boolean), tensor({3, 3}, boolean), ids});
       },
       {"bool", "cast"}},
  };
}

const AddOpTests add_tests(tests, invalid);

std::vector<Tensor> sum_rows(const Tensor& indices, const Tensor& rows, int64_t size) {
  TensorImpl* in[] = {indices.impl(), rows.impl()};
  const int64_t attrs[] = {size};
  return record_many(op::sum_rows, in, attrs);
}

TEST(SumRows, AddsWhatHasOneIndex) {
  const auto out = sum_rows(Tensor({5, 2, 5, 5}, i32), Tensor({{1, 2}, {3, 4}, {10, 20}, {100, 200}}), 6);
  EXPECT_EQ(out[0].to_vector<int32_t>(), (std::vector<int32_t>{5, 2, -1, -1}));
  EXPECT_EQ(out[1].to_vector<float>(), (std::vector<float>{111, 222, 3, 4, 0, 0, 0, 0, 0, 0}));
}

// As what it stands for.
TEST(SumRows, RefusesAnIndexOutsideInTheNameOfScatterAdd) {
  const Tensor rows({{1, 2}, {3, 4}});
  refuses("scatter_add", {"index -1", "position 1", "(6, 2)"}, [&] {
    sum_rows(Tensor({0, -1}, i32), rows, 6)[1].array();
  });
  refuses("scatter_add", {"index 6", "position 0"}, [&] { sum_rows(Tensor({6, 1}, i32), rows, 6)[1].array(); });
}

TEST(SumRows, ManyRowsWithManyThreads) {
  const int64_t n = 20'000;
  std::vector<int64_t> indices;
  std::vector<float> rows, wanted(5000 * 24, 0);
  Rng rng(3);
  for (int64_t k = 0; k < n; ++k) indices.push_back(rng.range(0, 4999) * rng.range(0, 1));
  for (int64_t k = 0; k < n * 24; ++k) rows.push_back(static_cast<float>(rng.range(-100, 100)));
  for (int64_t k = 0; k < n * 24; ++k)
    wanted[static_cast<size_t>(indices[static_cast<size_t>(k / 24)] * 24 + k % 24)] += rows[static_cast<size_t>(k)];
  const Tensor index = Tensor::from(indices, {n}), row = Tensor::from(rows, {n, 24});
  const int before = thread_count();
  for (const int threads : {1, 2, 7}) {
    set_thread_count(threads);
    const auto out = sum_rows(index, row, 5000);
    const Tensor places = call(op::row_places, {out[0]}, {5000});
    EXPECT_EQ(call(op::spread_rows, {out[1], places}).to_vector<float>(), wanted) << threads;
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace brio::testing
