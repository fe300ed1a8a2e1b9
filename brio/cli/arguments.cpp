#include "brio/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace brio::cli {

Arguments::Arguments(Words words, std::initializer_list<std::string_view> flags,
                     std::initializer_list<std::string_view> valued) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      names_.emplace_back(words[i]);
      continue;
    }
    const size_t equals = words[i].find('=');
    const std::string name(words[i].substr(0, equals));
    if (std::ranges::find(flags, name) != flags.end() && equals == std::string_view::npos) {
      options_[name] = "";
    } else if (std::ranges::find(valued, name) != valued.end()) {
      if (equals != std::string_view::npos) options_[name] = words[i].substr(equals + 1);
      else if (i + 1 < words.size()) options_[name] = words[++i];
      else throw Misuse(cat(name, " needs a value"));
    } else {
      throw Misuse(cat("there is no option ", words[i]));
    }
  }
}

std::string Arguments::text(std::string_view option, std::string_view otherwise) const {
  const auto at = options_.find(option);
  return at == options_.end() ? std::string(otherwise) : at->second;
}

int64_t Arguments::number(std::string_view option, int64_t otherwise, int64_t least, int64_t most) const {
  const auto at = options_.find(option);
  if (at == options_.end()) return otherwise;
  const std::string& text = at->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw Misuse(
        cat(option, " is ", text.empty() ? "empty" : text, "; it is a whole number from ", least, " to ", most));
  return value;
}

std::pair<int64_t, int64_t> Arguments::height_and_width(std::string_view option,
                                                        std::pair<int64_t, int64_t> otherwise) const {
  if (!has(option)) return otherwise;
  const std::string size = text(option);
  char rest = 0;
  long long height = 0, width = 0;
  if (std::sscanf(size.c_str(), "%lldx%lld%c", &height, &width, &rest) != 2 || height < 1 || width < 1 ||
      height > 65535 || width > 65535)
    throw Misuse(cat(option, " is ", size, "; it is HEIGHTxWIDTH, such as 224x224"));
  return {height, width};
}

}  // namespace brio::cli
