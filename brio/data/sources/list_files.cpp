// list_files: the names of files, as strings.
#include "brio/base/error.h"
#include "brio/data/sources/glob.h"
#include "brio/data/sources/sources.h"
#include "brio/tensor/strings.h"

namespace brio::data {

Dataset list_files(const std::vector<std::string>& patterns, ListFilesOptions options) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> matches = glob(pattern);
    names.insert(names.end(), matches.begin(), matches.end());
  }
  if (names.empty()) {
    std::string all;
    for (const std::string& pattern : patterns) all += cat(all.empty() ? "" : ", ", pattern);
    throw InvalidArgument(cat("[list_files] no files match: ", all.empty() ? "there are no patterns" : all));
  }
  const std::vector<std::string_view> texts(names.begin(), names.end());
  const auto count = static_cast<int64_t>(texts.size());
  const Dataset files = from_tensor_slices({Tensor(string_array(texts, {count}))});
  return options.shuffle ? files.shuffle(kAutotune, {.seed = options.seed}) : files;
}

}  // namespace brio::data
