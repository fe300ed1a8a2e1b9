// Elements that are stored one after another in files: a stage above uses this to choose the order of reads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brio::data {

class StoredElements {
 public:
  virtual ~StoredElements() = default;
  virtual int64_t stored() const = 0;         // how many
  virtual uint64_t stored_bytes() const = 0;  // of all of them, in the files
  // Reads up to `bytes` bytes from the beginning of element i, and discards them.
  virtual void read_stored(int64_t i, size_t bytes) const = 0;
  // Elements [first, end) will be needed soon: the system may read them in advance.
  virtual void announce(int64_t first, int64_t end) const = 0;
};

}  // namespace brio::data
