// Written apart from the plain definition, in double.
#include "brio/ops/network/row_norm.h"
#include "brio/ops/network/residuals.h"

#include <cmath>
#include <vector>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

// Mean (0 when it stays) and 1 / deviation of a row.
struct Statistics {
  double mean = 0, inverse;
  template <typename T>
  Statistics(const RowNormForm& form, const T* row) {
    const auto n = static_cast<double>(form.columns);
    if (form.centered)
      for (int64_t c = 0; c < form.columns; ++c) mean += wide(row[c]) / n;
    double squares = 0;
    for (int64_t c = 0; c < form.columns; ++c) squares += (wide(row[c]) - mean) * (wide(row[c]) - mean);
    inverse = 1 / std::sqrt(squares / n + form.epsilon);
  }
};

void run_row_norm(const Call& call) {
  const RowNormForm form(call.in_shape(0), call.attrs);
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    visit_floats(call.in_avals[1].dtype, [&](auto p) {
      using T = decltype(t);
      using P = decltype(p);
      for (int64_t r = 0; r < form.rows; ++r) {
        const T* x = call.in<T>(0) + r * form.columns;
        const Statistics row(form, x);
        for (int64_t c = 0; c < form.columns; ++c)
          call.out<T>()[r * form.columns + c] =
              rounded<T>((wide(x[c]) - row.mean) * row.inverse * wide(call.in<P>(1)[c]) + wide(call.in<P>(2)[c]));
      }
    });
  });
}

template <bool sums>  // with what is added
void run_row_norm_grad(const Call& call) {
  const RowNormForm form(call.in_shape(0), call.attrs);
  const auto n = static_cast<double>(form.columns);
  visit_floats(call.in_avals[0].dtype, [&](auto t) {
    visit_floats(call.in_avals[1].dtype, [&](auto p) {
      using T = decltype(t);
      using P = decltype(p);
      const P* scale = call.in<P>(1);
      auto* const dx = static_cast<T*>(call.args.out[0]);
      std::vector<Statistics> statistics;
      for (int64_t r = 0; r < form.rows; ++r) {
        const int64_t start = r * form.columns;
        const T *x = call.in<T>(0) + start, *g = call.in<T>(2) + start;
        const Statistics& row = statistics.emplace_back(form, x);
        double sum = 0, dot = 0;
        for (int64_t c = 0; c < form.columns; ++c) {
          const double scaled = wide(g[c]) * wide(scale[c]);
          sum += form.centered ? scaled : 0;
          dot += scaled * (wide(x[c]) - row.mean) * row.inverse;
        }
        for (int64_t c = 0; c < form.columns; ++c) {
          const double normalised = (wide(x[c]) - row.mean) * row.inverse;
          dx[start + c] = rounded<T>(row.inverse * (wide(g[c]) * wide(scale[c]) - sum / n - normalised * dot / n));
          if (sums) dx[start + c] = rounded<T>(wide(dx[start + c]) + wide(call.in<T>(3)[start + c]));
        }
      }
      for (int64_t c = 0; c < form.columns; ++c) {
        double scales = 0, offsets = 0, columns = 0;
        for (int64_t r = 0; r < form.rows; ++r) {
          const Statistics& row = statistics[static_cast<size_t>(r)];
          const double g = wide(call.in<T>(2)[r * form.columns + c]);
          scales += g * (wide(call.in<T>(0)[r * form.columns + c]) - row.mean) * row.inverse;
          offsets += g;
          columns += wide(dx[r * form.columns + c]);
        }
        if (sums) static_cast<T*>(call.args.out[3])[c] = rounded<T>(columns);
        static_cast<P*>(call.args.out[1])[c] = rounded<P>(scales);
        static_cast<P*>(call.args.out[2])[c] = rounded<P>(offsets);
      }
    });
  });
}

}  // namespace

void add_row_norm(Registry& r) {
  add<run_row_norm>(r, op::row_norm);
  add<run_row_norm_grad<false>>(r, op::row_norm_grad);
  add<run_row_norm_grad<true>>(r, op::row_norm_grad_sum);
}

}  // namespace brio::reference
