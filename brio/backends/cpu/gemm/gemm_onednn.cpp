#include "brio/backends/cpu/gemm/gemm_onednn.h"

#include <algorithm>
#include <array>

#include "brio/backends/cpu/onednn.h"
#include "brio/base/error.h"
#include "brio/base/lru_cache.h"

namespace brio::cpu {
namespace {

using dnnl::memory;

memory::data_type onednn_type(DType dtype) {
  return dtype == bf16 ? memory::data_type::bf16 : dtype == f16 ? memory::data_type::f16 : memory::data_type::f32;
}

// One product without batch, bias and epilogue: those are done by us, so that the bits equal the separate ops'.
struct Primitive {
  memory::desc a, b, c, scratch;
  dnnl::matmul matmul;
  std::string name;

  Primitive(DType dtype, const GemmShape& s) {
    const auto type = onednn_type(dtype);
    a = memory::desc({s.m, s.k}, type, memory::dims{s.a_row, s.a_col});
    b = memory::desc({s.k, s.n}, type, memory::dims{s.b_row, s.b_col});
    c = memory::desc({s.m, s.n}, type, memory::dims{s.c_row, 1});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    OpenMpSingleThread scope;
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c), attributes, onednn_engine());
    scratch = description.scratchpad_desc();
    name = description.impl_info_str();
    matmul = dnnl::matmul(description);
  }

  void run(const void* a_data, const void* b_data, void* c_data, void* scratch_data) const {
    const dnnl::engine& engine = onednn_engine();
    OpenMpSingleThread scope;
    matmul.execute(onednn_stream(), {{DNNL_ARG_SRC, memory(a, engine, const_cast<void*>(a_data))},
                                     {DNNL_ARG_WEIGHTS, memory(b, engine, const_cast<void*>(b_data))},
                                     {DNNL_ARG_DST, memory(c, engine, c_data)},
                                     {DNNL_ARG_SCRATCHPAD, memory(scratch, engine, scratch_data)}});
  }
};

// Making a primitive compiles code (some hundred microseconds), so they are kept.
using GemmKey = std::array<int64_t, 9>;
LruCache<GemmKey, Primitive>& primitives() {
  static auto* const cache = new LruCache<GemmKey, Primitive>;  // outlives static Gemm objects
  return *cache;
}
std::shared_ptr<const Primitive> find_primitive(DType dtype, const GemmShape& s) {
  return primitives().get({static_cast<int64_t>(dtype), s.m, s.n, s.k, s.a_row, s.a_col, s.b_row, s.b_col, s.c_row},
                          [&] { return std::make_shared<const Primitive>(dtype, s); });
}

class OneDnnGemm : public Gemm {
 public:
  OneDnnGemm(const GemmProblem& problem, GemmCut cut)
      : problem_(problem),
        cut_{std::min(cut.rows, problem.shape.m), std::min(cut.columns, problem.shape.n)},
        finish_{problem.dtype, false, problem.shape.relu, problem.activation},
        pieces_(problem, cut_, problem.dtype == f32 ? 100 : 200) {
    // Pieces differ in size only at the lower and the right edge of C.
    for (const bool last_rows : {false, true})
      for (const bool last_columns : {false, true}) {
        GemmShape shape = problem.shape;
        shape.m = last_rows ? shape.m - (shape.m - 1) / cut_.rows * cut_.rows : cut_.rows;
        shape.n = last_columns ? shape.n - (shape.n - 1) / cut_.columns * cut_.columns : cut_.columns;
        auto primitive = find_primitive(problem.dtype, shape);
        slot_bytes_ = std::max(slot_bytes_, (primitive->scratch.get_size() + 63) / 64 * 64);
        primitives_[last_rows][last_columns] = std::move(primitive);
      }
  }

  const std::string& name() const { return primitives_[0][0]->name; }
  bool any_is_reference() const {
    for (const auto& row : primitives_)
      for (const auto& primitive : row)
        if (primitive->name.find("ref") != std::string::npos) return true;
    return false;
  }

  size_t scratch_bytes() const override { return slot_bytes_ * static_cast<size_t>(pieces_.slots()); }

  void run(const void* a, const void* b, const void* bias, void* c, void* scratch) const override {
    const GemmShape& s = problem_.shape;
    const size_t size = size_of(problem_.dtype);
    pieces_.run([&](int64_t batch, int64_t row, int64_t column, int64_t slot) {
      const GemmBatchOffset offset = batch_offset(problem_, batch);
      const int64_t rows = std::min(cut_.rows, s.m - row), columns = std::min(cut_.columns, s.n - column);
      void* piece = advance(c, (batch * s.m + row) * s.n + column, size);
      primitives_[row + rows == s.m][column + columns == s.n]->run(
          advance(a, offset.a + row * s.a_row, size), advance(b, offset.b + column * s.b_col, size), piece,
          static_cast<char*>(scratch) + static_cast<size_t>(slot) * slot_bytes_);
      finish_(piece, rows, columns, s.n, problem_.bias ? advance(bias, column, size) : nullptr);
    });
  }

 private:
  GemmProblem problem_;
  GemmCut cut_;
  GemmFinish finish_;
  GemmPieces pieces_;
  std::shared_ptr<const Primitive> primitives_[2][2];  // [last rows][last columns]
  size_t slot_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Gemm> make_onednn_gemm(const GemmProblem& problem, GemmCut cut, std::string& why) {
  const GemmShape& s = problem.shape;
  why = onednn_unusable();
  if (!why.empty()) return nullptr;
  if (problem.dtype != f32 && !(problem.dtype == bf16 && onednn_has_bf16())) {
    why = cat("onednn: no fast ", problem.dtype, " on this CPU");
    return nullptr;
  }
  if ((s.a_row != 1 && s.a_col != 1) || (s.b_row != 1 && s.b_col != 1)) {
    why = "onednn: an operand is dense in neither direction";
    return nullptr;
  }
  try {
    auto gemm = std::make_unique<OneDnnGemm>(problem, cut);
    gemm->chosen = "onednn " + gemm->name();
    if (!gemm->any_is_reference()) return gemm;
    why = cat("onednn: would run ", gemm->name());
  } catch (const dnnl::error& error) {
    why = cat("onednn: ", error.what());
  }
  return nullptr;
}

GemmPrimitiveCacheStats gemm_primitive_cache_stats() {
  const LruCacheStats stats = primitives().stats();
  return {stats.entries, stats.hits, stats.misses};
}

}  // namespace brio::cpu
