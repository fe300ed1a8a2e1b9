#include "brio/backends/cuda/cudnn_graph.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/base/tensor_float.h"

namespace brio::cuda {
namespace {

constexpr int64_t kMostWorkspace = int64_t{1} << 30;

// What an engine does to numbers.
bool allowed(const std::vector<cudnnBackendNumericalNote_t>& notes, DType dtype) {
  const bool full = dtype == f32 || dtype == f64;
  return std::ranges::none_of(notes, [&](cudnnBackendNumericalNote_t note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC: return true;
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:  // of f32: TF32
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS: return full && !(dtype == f32 && tensor_float_32());
      case CUDNN_NUMERICAL_NOTE_FFT:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13: return full;
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION: return true;
      default: return false;
    }
  });
}

std::vector<cudnnBackendNumericalNote_t> notes_of(const Descriptor& configuration, int64_t& index) {
  Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t handle = engine.get();
  int64_t count = 0;
  check(cudnn().cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &handle),
        "asking for an engine");
  cudnn().cudnnBackendGetAttribute(handle, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &index);
  std::vector<cudnnBackendNumericalNote_t> notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  count = 0;
  check(cudnn().cudnnBackendGetAttribute(handle, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                         static_cast<int64_t>(notes.size()), &count, notes.data()),
        "asking for an engine");
  notes.resize(static_cast<size_t>(count));
  return notes;
}

// What cuDNN would take for this graph, best first.
std::vector<Descriptor> configurations_of(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (!heuristics.finalize()) return {};
  const auto results = [&](int64_t room, int64_t& count, cudnnBackendDescriptor_t* into) {
    return cudnn().cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                            CUDNN_TYPE_BACKEND_DESCRIPTOR, room, &count,
                                            into) == CUDNN_STATUS_SUCCESS;
  };
  int64_t count = 0;
  if (!results(0, count, nullptr)) return {};
  std::vector<Descriptor> found;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int64_t i = 0; i < count; ++i) handles.push_back(found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  if (!results(count, count, handles.data())) return {};
  found.resize(static_cast<size_t>(count));
  return found;
}

}  // namespace

cudnnDataType_t cudnn_type(DType dtype) {
  switch (dtype) {
    case DType::f64: return CUDNN_DATA_DOUBLE;
    case DType::f16: return CUDNN_DATA_HALF;
    case DType::bf16: return CUDNN_DATA_BFLOAT16;
    default: return CUDNN_DATA_FLOAT;
  }
}

Descriptor cudnn_tensor(int64_t id, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                        cudnnDataType_t type, TensorKind kind) {
  Descriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
  d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  d.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes);
  d.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides);
  d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, int64_t{16});
  if (kind == TensorKind::inside) d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
  if (kind == TensorKind::number) d.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, true);
  d.finish();
  return d;
}

CudnnPlan::~CudnnPlan() {
  if (plan_) cudnn().cudnnBackendDestroyDescriptor(plan_);
}

std::shared_ptr<const CudnnPlan> CudnnPlan::of(CudaDevice& device, std::span<const Descriptor> operations,
                                               DType dtype) {
  const cudnnHandle_t handle = device.cudnn_handle(nullptr);
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const Descriptor& operation : operations) handles.push_back(operation.get());
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, handles);
  if (!graph.finalize()) return nullptr;
  for (cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (const Descriptor& configuration : configurations_of(graph, mode)) {
      int64_t index = 0;
      if (!allowed(notes_of(configuration, index), dtype)) continue;
      Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
      if (!plan.finalize()) continue;
      std::shared_ptr<CudnnPlan> found(new CudnnPlan);
      int64_t one = 0;
      check(cudnn().cudnnBackendGetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                                             1, &one, &found->workspace_),
            "asking a plan for its workspace");
      if (found->workspace_ > kMostWorkspace) continue;
      found->plan_ = plan.release();
      found->engine_ = cat("engine ", index);
      return found;
    }
  }
  return nullptr;
}

void CudnnPlan::enqueue(CudaDevice& device, CudaStream& stream, std::span<const Argument> arguments,
                        void* workspace) const {
  std::vector<int64_t> ids;
  std::vector<void*> data;
  for (const Argument& argument : arguments) {
    ids.push_back(argument.id);
    data.push_back(argument.data);
  }
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids);
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  pack.finish();
  check(cudnn().cudnnBackendExecute(device.cudnn_handle(stream.handle()), plan_, pack.get()), engine_);
}

}  // namespace brio::cuda
