// Where cache() keeps elements by their numbers: memory, or a file. All iterators of a dataset share one; any thread
// may use it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "brio/data/engine/parts.h"

namespace brio::data {

class CacheStore {
 public:
  virtual ~CacheStore() = default;
  virtual int64_t complete() = 0;                      // the number of elements, when all are there; else -1
  virtual bool load(int64_t index, Element& out) = 0;  // false: it is not there yet
  virtual void keep(int64_t index, const Element& element) = 0;
  virtual void end(int64_t elements) = 0;  // there are that many
  virtual int64_t bytes() const = 0;       // of memory
};

// Throws ResourceError where the elements take more than `budget` bytes.
std::unique_ptr<CacheStore> make_memory_cache(int64_t budget);

// A file that exists holds all elements, of a pipeline with this fingerprint; it is written aside and renamed when
// the last one is there. Closed before, it leaves nothing. Throws InvalidArgument when a file is of another pipeline,
// DataError when it is damaged, ResourceError when the disk is full.
std::unique_ptr<CacheStore> make_file_cache(std::string path, uint64_t fingerprint);
// Reads all elements of such a file, of whichever pipeline; returns how many there are. Throws DataError.
int64_t check_file_cache(const std::string& path);

}  // namespace brio::data
