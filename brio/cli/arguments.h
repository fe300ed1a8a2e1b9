// The words of a command: names, --flags, and --options with a value ("--shards 10" or "--shards=10").
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brio/base/error.h"
#include "brio/cli/command.h"

namespace brio::cli {

// What the user asked for makes no sense: exit code 2.
class Misuse : public Error {
 public:
  using Error::Error;
};

class Arguments {
 public:
  // Throws Misuse for an option that is in neither list, or lacks its value.
  Arguments(Words words, std::initializer_list<std::string_view> flags,
            std::initializer_list<std::string_view> valued);

  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view option) const { return options_.contains(std::string(option)); }
  std::string text(std::string_view option, std::string_view otherwise = "") const;
  // A whole number from `least` to `most`.
  int64_t number(std::string_view option, int64_t otherwise, int64_t least, int64_t most) const;
  // "224x224"
  std::pair<int64_t, int64_t> height_and_width(std::string_view option, std::pair<int64_t, int64_t> otherwise) const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::string, std::less<>> options_;
};

}  // namespace brio::cli
