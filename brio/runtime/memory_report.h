// memory_report(): the bytes that Brio holds, by owner, beside the total of the process.
//
//   memory            now     at most
//   parameters     1.2 MB      1.2 MB
//   …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brio {

struct MemoryReport {
  struct Row {
    std::string owner;
    int64_t bytes = 0, peak = 0;
  };
  std::vector<Row> rows;    // owners of the ledger that have held something
  int64_t sum = 0;          // now
  int64_t anonymous = 0;    // resident pages of the process that do not belong to a file
  std::string str() const;  // a table
};
MemoryReport memory_report();

int64_t resident_bytes();   // of the process, including pages of files
int64_t anonymous_bytes();  // without them

}  // namespace brio
