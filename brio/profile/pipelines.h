// What input pipelines measured of themselves. Those that are open are asked; of those that are gone their last word
// is kept, added up where one dataset was walked several times.
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
  int ring = 0;         // whose threads compute it
  double elements = 0;  // for one of the pipeline: rows of a batch
  double seconds = 0;   // of its own, for one of the pipeline
  double serial = 0;    // of these: in the order of elements, by one thread at a time
  double python = 0;    // of these: in Python, or waiting for its lock
  double cpu = -1;      // share of these that a processor worked; below 0: not known
  int64_t bytes = 0;    // of an element that it makes
  bool pure = false;    // the same element gives the same result each time
  bool traced = true;   // a function that was recorded; false: it is called for each element
  double kept = 1;      // of a filter: the share that passed
  double padding = 0;   // of a padded batch: the share that is filled up
  int64_t files = 0;    // of a source
  std::vector<OpTime> ops;
};

struct RingFacts {
  std::string stage;
  int64_t elements = 0, workers = 0, depth = 0;
  double waited = 0, computed = 0, wall = 0;  // seconds
  double found_ahead = 0;                     // elements that were there already, at a mean read
  int64_t found_empty = 0, found_full = 0;
  bool fixed_workers = false, fixed_depth = false;
};

struct PipelineFacts {
  uint64_t key = 0;                // of the dataset
  std::string steps;               // the dataset described, a line for each
  int64_t read = 0;                // elements
  int64_t walks = 1;               // iterators that this is of
  int64_t cardinality = -1;        // of an epoch; below 0: not known
  int64_t bytes = 0;               // of an element
  std::vector<StageFacts> stages;  // the source first
  std::vector<RingFacts> rings;    // the reader's last
};

// How long this thread has been in Python, or waited for its lock, so far: the Python package adds to it.
namespace detail {
extern constinit thread_local uint64_t python_ticks;
}
inline uint64_t python_ticks() { return detail::python_ticks; }
inline void add_python_ticks(uint64_t ticks) { detail::python_ticks += ticks; }
uint64_t ns_of(uint64_t ticks);  // by a pace that is measured once

class OpenPipeline {
 public:
  explicit OpenPipeline(std::function<PipelineFacts()> ask);
  ~OpenPipeline();  // while it can still be asked
  OpenPipeline(const OpenPipeline&) = delete;
  OpenPipeline& operator=(const OpenPipeline&) = delete;

 private:
  std::function<PipelineFacts()> ask_;
};

std::vector<PipelineFacts> pipelines();  // the one that was waited for longest first
size_t pipelines_bytes();

}  // namespace brio::profile
