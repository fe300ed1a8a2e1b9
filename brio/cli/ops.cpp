#include <algorithm>
#include <cstdio>
#include <string>

#include "brio/brio.h"
#include "brio/cli/command.h"

namespace brio::cli {

int run_ops(Words words) {
  if (words.size() > 1 || (words.size() == 1 && words[0] != "--markdown"))
    return misuse("ops", "takes nothing but --markdown");
  if (words.size() == 1) {
    std::fputs(op_table_markdown().c_str(), stdout);
    return 0;
  }
  size_t width = 0;
  for (const OpDef* op : op_table()) width = std::max(width, op->name.size());
  for (const OpDef* op : op_table())
    std::printf("%-*s  %-11s  %s  %s\n", static_cast<int>(width), std::string(op->name).c_str(),
                std::string(name_of(op->kind)).c_str(), op->grad ? "grad" : "    ", std::string(op->summary).c_str());
  return 0;
}

}  // namespace brio::cli
