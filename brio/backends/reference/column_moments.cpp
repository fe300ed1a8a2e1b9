// In double, one column at a time.
#include "brio/ops/network/column_moments.h"

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

void run_column_moments(const Call& call) {
  const Shape& shape = call.in_shape(0);
  const int64_t columns = shape[shape.rank() - 1];
  int64_t rows = 1;
  for (int i = 0; i + 1 < shape.rank(); ++i) rows *= static_cast<int64_t>(shape[i]);
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    using W = std::conditional_t<std::is_same_v<T, double>, double, float>;
    for (int64_t c = 0; c < columns; ++c) {
      double sum = 0, spread = 0;
      for (int64_t r = 0; r < rows; ++r) sum += wide(call.in<T>(0)[r * columns + c]);
      for (int64_t r = 0; r < rows; ++r) {
        const double apart = wide(call.in<T>(0)[r * columns + c]) - sum / static_cast<double>(rows);
        spread += apart * apart;
      }
      call.out<W>(0)[c] = static_cast<W>(sum);
      call.out<W>(1)[c] = static_cast<W>(spread);
    }
  });
}

}  // namespace

void add_column_moments(Registry& r) { add<run_column_moments>(r, op::column_moments); }

}  // namespace brio::reference
