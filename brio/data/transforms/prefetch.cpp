// prefetch(n): n elements are made ahead of whoever reads them.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"

namespace brio::data {
namespace {

class PrefetchNode final : public Transform {
 public:
  PrefetchNode(NodePtr input, int64_t size) : Transform(std::move(input)), size_(size) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto stage = input().open(pipeline);
    // Left to us, the reader's own threads do it.
    if (size_ == kAutotune) return stage;
    return std::make_unique<ParallelStage>(pipeline, std::move(stage), ParallelOptions{.workers = 1, .depth = size_});
  }
  std::string describe() const override { return size_ == kAutotune ? "prefetch" : cat("prefetch(", size_, ")"); }
  Keeps keeps() const override { return Keeps::elements; }

 private:
  int64_t size_;
};

}  // namespace

Dataset Dataset::prefetch(int64_t buffer_size) const {
  if (buffer_size == 0) return *this;
  if (buffer_size < 0 && buffer_size != kAutotune)
    throw InvalidArgument(cat("[prefetch] buffer_size is ", buffer_size, "; it must be 0 or more, or kAutotune"));
  return Dataset(std::make_shared<PrefetchNode>(node_, buffer_size));
}

}  // namespace brio::data
