// Softmax and its cross-entropy, one row at a time: a row comes from memory once and stays in the cache until
// its results are written.
#pragma once

#include <cstdint>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// Over the last dim of x[rows, classes], dense, f32 or f64. out may be x.
void softmax_rows(DType dtype, const void* x, void* out, int64_t rows, int64_t classes);
void log_softmax_rows(DType dtype, const void* x, void* out, int64_t rows, int64_t classes);

// Cross-entropy of softmax(logits) with labels:
//   loss[r]    = -Σ labels[r, c] · log softmax(logits)[r, c]
//   grad[r, c] = (softmax(logits)[r, c] · Σ labels[r] - labels[r, c]) · g[r]
struct SoftmaxXent {
  DType dtype;  // f32 or f64: of logits, loss, grad, g and of labels that are probabilities
  int64_t rows, classes;
  const void* logits;  // [rows, classes]
  DType label_dtype;   // an integer dtype: class numbers [rows]; `dtype`: probabilities [rows, classes]
  const void* labels;
  void* loss;     // [rows], or null
  void* grad;     // [rows, classes], or null; may be logits
  const void* g;  // [rows], or one element for all rows; not read when grad is null
  bool g_is_scalar;
};
// False when a class number is negative or too large; nothing has been written then.
[[nodiscard]] bool softmax_xent(const SoftmaxXent& call);

}  // namespace brio::cpu
