// The functions of LAPACK and BLAS that Brio calls. They come from OpenBLAS, which is loaded at the first need: if it
// were linked, it would cost every program over a millisecond of start-up (docs/decisions/linear-algebra.md).
//
// Matrices are column-major there: row-major memory is the transposed matrix. Integers have 32 bits. The last
// arguments are the lengths of the strings, as Fortran passes them.
#pragma once

#include <cstddef>
#include <string>

namespace brio::cpu {

template <typename T>
struct Lapack {
  // a = uᵀ · u
  void (*potrf)(const char* uplo, const int* n, T* a, const int* lda, int* info, size_t);
  // a = p · l · u; x of a · x = b for that; a⁻¹ of that
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*getrs)(const char* trans, const int* n, const int* nrhs, const T* a, const int* lda, const int* pivots, T* b,
                const int* ldb, int* info, size_t);
  void (*getri)(const int* n, T* a, const int* lda, const int* pivots, T* work, const int* lwork, int* info);
  // x of a · x = b or x · a = b for a triangle: many vectors, or one
  void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
               const T* alpha, const T* a, const int* lda, T* b, const int* ldb, size_t, size_t, size_t, size_t);
  void (*trsv)(const char* uplo, const char* trans, const char* diag, const int* n, const T* a, const int* lda, T* x,
               const int* incx, size_t, size_t, size_t);
  // a = q · r; q of that
  void (*geqrf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);
  void (*orgqr)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,
                const int* lwork, int* info);
  // a = q · r, with the triangle of every block of nb reflections; a block applied to c
  void (*geqrt)(const int* m, const int* n, const int* nb, T* a, const int* lda, T* t, const int* ldt, T* work,
                int* info);
  void (*larfb)(const char* side, const char* trans, const char* direct, const char* storev, const int* m,
                const int* n, const int* k, const T* v, const int* ldv, const T* t, const int* ldt, T* c,
                const int* ldc, T* work, const int* ldwork, size_t, size_t, size_t, size_t);
  // a = u · diag(s) · vt
  void (*gesdd)(const char* jobz, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu, T* vt,
                const int* ldvt, T* work, const int* lwork, int* iwork, int* info, size_t);
  // a = v · diag(w) · vᵀ
  void (*syevd)(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, T* w, T* work,
                const int* lwork, int* iwork, const int* liwork, int* info, size_t, size_t);
};

// The reason if they are not available; empty if they are.
const std::string& lapack_unusable();
template <typename T>
const Lapack<T>& lapack();  // of float or double; only where they are there

}  // namespace brio::cpu
