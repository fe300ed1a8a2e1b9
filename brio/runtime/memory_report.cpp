#include "brio/runtime/memory_report.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "brio/base/shown_bytes.h"
#include "brio/tensor/memory.h"

namespace brio {
namespace {

// Pages: all, and those of files.
std::pair<int64_t, int64_t> resident_pages() {
  std::ifstream file("/proc/self/statm");
  int64_t whole = 0, resident = 0, of_files = 0;
  if (!(file >> whole >> resident >> of_files)) return {0, 0};
  return {resident, of_files};
}

}  // namespace

int64_t resident_bytes() { return resident_pages().first * sysconf(_SC_PAGESIZE); }
int64_t anonymous_bytes() {
  const auto [resident, of_files] = resident_pages();
  return (resident - of_files) * sysconf(_SC_PAGESIZE);
}

MemoryReport memory_report() {
  MemoryReport report;
  for (const LedgerRow& row : memory_ledger()) {
    if (row.peak > 0) report.rows.push_back({std::string(name_of(row.owner)), row.bytes, row.peak});
    report.sum += row.bytes;
  }
  report.anonymous = anonymous_bytes();
  return report;
}

std::string MemoryReport::str() const {
  const auto line = [](const std::string& name, const std::string& now, const std::string& peak) {
    char text[96];
    std::snprintf(text, sizeof text, "  %-14s %10s  %10s\n", name.c_str(), now.c_str(), peak.c_str());
    return std::string(text);
  };
  const auto shown = [](int64_t bytes) { return shown_bytes(static_cast<double>(bytes)); };
  std::string text = line("memory", "now", "at most");
  for (const Row& row : rows) text += line(row.owner, shown(row.bytes), shown(row.peak));
  text += line("in all", shown(sum), "");
  text += line("process", shown(anonymous), "");
  return text;
}

}  // namespace brio
