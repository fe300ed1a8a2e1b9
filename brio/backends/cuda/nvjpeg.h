// The few functions of nvJPEG that Brio calls, in our words: not every toolkit that CUDA's other headers come from
// has nvjpeg.h, and the library is opened at run time anyway. Names, numbers and layouts are those of its binary
// interface, which have been the same since CUDA 11.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace brio::cuda {

struct NvjpegHandle;  // of the library, one for each way to decode
struct NvjpegState;   // of one batch that is being decoded
struct NvjpegStream;  // what a file's header says

enum class NvjpegStatus : int { success = 0, not_supported = 9 };
enum class NvjpegBackend : int { any = 0, host_huffman = 1, device_huffman = 2, hardware = 3 };
enum class NvjpegOutput : int { planes = 1, pixels = 5 };  // YCbCr as it is stored; RGB of three bytes
enum class NvjpegProperty : int { major = 0, minor = 1, patch = 2 };

struct NvjpegImage {
  unsigned char* channel[4] = {};
  size_t pitch[4] = {};
};

struct Nvjpeg {
  NvjpegStatus (*get_property)(NvjpegProperty which, int* value) = nullptr;
  NvjpegStatus (*create)(NvjpegBackend backend, void* device_allocator, void* pinned_allocator, unsigned flags,
                         NvjpegHandle** made) = nullptr;
  NvjpegStatus (*destroy)(NvjpegHandle* handle) = nullptr;
  NvjpegStatus (*hardware_info)(NvjpegHandle* handle, unsigned* engines, unsigned* cores) = nullptr;
  NvjpegStatus (*create_state)(NvjpegHandle* handle, NvjpegState** made) = nullptr;
  NvjpegStatus (*create_stream)(NvjpegHandle* handle, NvjpegStream** made) = nullptr;
  NvjpegStatus (*parse_header)(NvjpegHandle* handle, const unsigned char* file, size_t bytes,
                               NvjpegStream* into) = nullptr;
  NvjpegStatus (*batch_supports)(NvjpegHandle* handle, NvjpegStream* header, int* not_zero_if_not) = nullptr;
  NvjpegStatus (*begin_batch)(NvjpegHandle* handle, NvjpegState* state, int pictures, int host_threads,
                              NvjpegOutput output) = nullptr;
  NvjpegStatus (*decode_batch)(NvjpegHandle* handle, NvjpegState* state, const unsigned char* const* files,
                               const size_t* bytes, NvjpegImage* pictures, CUstream stream) = nullptr;
};

}  // namespace brio::cuda
