// tf.train.Example and SequenceExample, walked in place.
#include "brio/formats/example_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brio::formats;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    scan_example(bytes, {}, [](std::string_view, const FeatureView& feature, const wire::Message& message) {
      feature.count(message);
    });
  } catch (const DataError&) {
  }
  return 0;
}
