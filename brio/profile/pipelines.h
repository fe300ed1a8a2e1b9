// The measurements of input pipelines. Open pipelines are asked; for closed ones the last measurements are kept,
// added up if one dataset was walked several times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "brio/profile/clock.h"
#include "brio/profile/op_times.h"

namespace brio::profile {

enum class StageKind : uint8_t {
  other,
  source,
  generator,
  read,
  decode,
  map,
  cache,
  filter,
  batch,
  padded_batch,
  shuffle,
  prefetch
};

struct StageFacts {
  std::string name;
  StageKind kind = StageKind::other;
  int depth = 0;
  int ring = 0;         // the number of the ring whose threads compute it
  double elements = 0;  // per element of the pipeline: rows of a batch
  double seconds = 0;   // its own, per element of the pipeline
  double serial = 0;    // part of these: in the order of elements, by one thread at a time
  double python = 0;    // part of these: in Python, or waiting for its lock
  double cpu = -1;      // share of these on a processor; below 0: unknown
  int64_t bytes = 0;    // per element that it makes
  bool pure = false;    // the same element gives the same result each time
  bool traced = true;   // the function was recorded; false: it is called for each element
  double kept = 1;      // for a filter: the share that passed
  double padding = 0;   // for a padded batch: the share of padding
  int64_t files = 0;    // for a source
  std::vector<OpTime> ops;
};

struct RingFacts {
  std::string stage;
  int64_t elements = 0, workers = 0, depth = 0;
  double waited = 0, computed = 0, wall = 0;  // seconds
  double found_ahead = 0;                     // elements that were ready, on average per read
  int64_t found_empty = 0, found_full = 0;
  bool fixed_workers = false, fixed_depth = false;
};

struct PipelineFacts {
  uint64_t key = 0;                // identifies the dataset
  std::string steps;               // a description of the dataset, a line per step
  int64_t read = 0;                // elements
  int64_t walks = 1;               // number of iterators in this sum
  int64_t cardinality = -1;        // per epoch; below 0: unknown
  int64_t bytes = 0;               // per element
  std::vector<StageFacts> stages;  // the source first
  std::vector<RingFacts> rings;    // the reader's last
};

// The time that this thread has spent in Python, or waiting for its lock: the Python package adds to it.
namespace detail {
extern constinit thread_local uint64_t python_ticks;
}
inline uint64_t python_ticks() { return detail::python_ticks; }
inline void add_python_ticks(uint64_t ticks) { detail::python_ticks += ticks; }
uint64_t ns_of(uint64_t ticks);  // with a conversion that is measured once

class OpenPipeline {
 public:
  explicit OpenPipeline(std::function<PipelineFacts()> ask);
  ~OpenPipeline();  // while the pipeline can still be asked
  OpenPipeline(const OpenPipeline&) = delete;
  OpenPipeline& operator=(const OpenPipeline&) = delete;

 private:
  std::function<PipelineFacts()> ask_;
};

std::vector<PipelineFacts> pipelines();  // the one with the longest waiting time first
size_t pipelines_bytes();

}  // namespace brio::profile
