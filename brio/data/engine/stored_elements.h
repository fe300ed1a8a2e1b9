// Elements that lie one after another in files: what a stage above needs to choose an order in which they are read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace brio::data {

class StoredElements {
 public:
  virtual ~StoredElements() = default;
  virtual int64_t stored() const = 0;         // how many
  virtual uint64_t stored_bytes() const = 0;  // of all of them, in the files
  // Reads up to `bytes` bytes from where element i begins, and forgets them.
  virtual void read_stored(int64_t i, size_t bytes) const = 0;
  // Elements [first, end) will be wanted soon: the system may read them meanwhile.
  virtual void announce(int64_t first, int64_t end) const = 0;
};

}  // namespace brio::data
