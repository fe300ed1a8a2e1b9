// The kernel that makes batches of decoded pictures compiles for every type that it writes.
#ifdef BRIO_WITH_CUDA
#include <gtest/gtest.h>

#include <cstdlib>

#include "brio/backends/cuda/pictures.h"
#include "brio/base/error.h"

namespace brio {
namespace {

TEST(CudaTexts, PicturesCompile) {
  if (std::getenv("BRIO_ISA") || std::getenv("BRIO_DEVICE")) GTEST_SKIP() << "texts are the same under every setting";
  try {
    cuda::nvrtc();
  } catch (const ResourceError& error) {
    GTEST_SKIP() << error.what();
  }
  cuda::CudaDevice device(cuda::CudaDevice::Imagined{90});
  for (const DType dtype : {f32, DType::f16, DType::bf16, u8}) cuda::CudaPictures::kernel(device.compiler(), dtype);
  const std::vector<std::string> programs = device.compiler().waiting_programs();
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_FALSE(cuda::Compiler::compile(programs[0], 90).empty());
}

}  // namespace
}  // namespace brio
#endif
