#include "brio/data/sources/class_folders.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "brio/base/error.h"
#include "brio/formats/file.h"
#include "brio/ops/random/random.h"

namespace brio::data {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool ends_with_one_of(const std::string& name, const std::vector<std::string>& extensions) {
  const std::string small = lower(name);
  return std::any_of(extensions.begin(), extensions.end(), [&](const std::string& e) { return small.ends_with(e); });
}

std::vector<fs::directory_entry> entries_of(const fs::path& directory) {
  formats::check_name(directory.native());
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    entries.push_back(*at);
  if (error) throw ResourceError(cat(directory.string(), ": it cannot be listed: ", error.message()));
  return entries;
}

// All files below a directory: directories in the order of their paths, files by name within each. A link that leads
// back to a directory on the way is not followed again.
class Walk {
 public:
  Walk(const std::vector<std::string>& extensions, bool follow_links)
      : extensions_(extensions), follow_(follow_links) {}

  std::vector<std::string> operator()(const fs::path& top) {
    std::error_code unreadable;
    const fs::path real = fs::canonical(top, unreadable);
    directory(top, unreadable ? top : real);
    std::sort(found_.begin(), found_.end());
    std::vector<std::string> paths;
    for (auto& [root, files] : found_) {
      std::sort(files.begin(), files.end());
      for (const std::string& name : files) paths.push_back((fs::path(root) / name).string());
    }
    return paths;
  }

 private:
  // `real`: the same place without links; from a path that leads through many, each look would follow them all again.
  void directory(const fs::path& path, const fs::path& real) {
    if (!above_.insert(real.string()).second) return;
    if (links_ > 1 && ++linked_ > kMostLinked)
      throw ResourceError(cat(path.string(), ": links behind links lead to more than ", kMostLinked,
                              " directories; set follow_links to false, or remove those that lead to each other"));
    std::vector<std::string> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : entries_of(real)) {
      const fs::path name = entry.path().filename();
      const bool link = entry.is_symlink(ignored);
      if (entry.is_directory(ignored)) {
        if (link && !follow_) continue;
        links_ += link;
        directory(path / name, link ? fs::canonical(entry.path(), ignored) : entry.path());
        links_ -= link;
      } else if (ends_with_one_of(name.string(), extensions_)) {
        files.push_back(name.string());
      }
    }
    above_.erase(real.string());
    found_.emplace_back(path.string(), std::move(files));
  }

  static constexpr int64_t kMostLinked = 5'000;
  const std::vector<std::string>& extensions_;
  bool follow_;
  int64_t links_ = 0, linked_ = 0;  // on the way here; directories found behind several
  std::set<std::string> above_;
  std::vector<std::pair<std::string, std::vector<std::string>>> found_;
};

std::vector<std::string> classes_in(const char* who, const std::string& directory, const FolderOptions& options) {
  std::vector<std::string> subdirectories;
  std::error_code ignored;
  for (const fs::directory_entry& entry : entries_of(directory))
    if (const std::string name = entry.path().filename().string(); entry.is_directory(ignored) && name[0] != '.')
      subdirectories.push_back(name);
  std::sort(subdirectories.begin(), subdirectories.end());
  if (options.class_names.empty()) return subdirectories;
  for (const std::string& name : options.class_names)
    if (!std::binary_search(subdirectories.begin(), subdirectories.end(), name)) {
      std::string known;
      for (const std::string& each : subdirectories) known += cat(known.empty() ? "" : ", ", each);
      throw InvalidArgument(cat("[", who, "] class_names has '", name, "', but ", directory,
                                " has no subdirectory of that name; it has: ", known));
    }
  return options.class_names;
}

void check_split(const char* who, const FolderOptions& options) {
  const double split = options.validation_split;
  if (!(split >= 0 && split < 1))
    throw InvalidArgument(cat("[", who, "] validation_split is ", split, "; it lies between 0 and 1"));
  if ((split > 0) != (options.subset != Subset::all))
    throw InvalidArgument(cat("[", who, "] validation_split and subset are given together or not at all"));
  if (split > 0 && options.shuffle && !options.seed)
    throw InvalidArgument(cat("[", who,
                              "] a split of shuffled files needs a seed, or training and validation would "
                              "share files; give the same seed to both"));
}

}  // namespace

std::vector<size_t> numpy_shuffled(size_t n, uint32_t seed) {
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = i;
  std::mt19937 numbers(seed);
  for (size_t i = n; i-- > 1;) {
    uint32_t mask = static_cast<uint32_t>(i);
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    uint32_t j = 0;
    do j = numbers() & mask;
    while (j > i);
    std::swap(order[i], order[j]);
  }
  return order;
}

LabelledFiles find_files(const char* who, const std::string& directory, const std::vector<std::string>& extensions,
                         const FolderOptions& options) {
  check_split(who, options);
  if (!options.inferred && !options.class_names.empty())
    throw InvalidArgument(cat("[", who, "] class_names go with inferred labels only"));
  LabelledFiles files;
  if (options.inferred) {
    files.class_names = classes_in(who, directory, options);
    for (size_t i = 0; i < files.class_names.size(); ++i)
      for (std::string& path : Walk(extensions, options.follow_links)(fs::path(directory) / files.class_names[i])) {
        files.paths.push_back(std::move(path));
        files.labels.push_back(static_cast<int32_t>(i));
      }
  } else {
    files.paths = Walk(extensions, options.follow_links)(directory);
    files.labels = options.labels;
    if (!files.labels.empty() && files.labels.size() != files.paths.size())
      throw InvalidArgument(cat("[", who, "] ", files.labels.size(), " labels were given for the ",
                                files.paths.size(), " files in ", directory));
    for (const int32_t label : std::set<int32_t>(files.labels.begin(), files.labels.end()))
      files.class_names.push_back(cat(label));
  }
  if (files.paths.size() > UINT32_MAX)
    throw InvalidArgument(cat("[", who, "] ", directory, " has more than 2^32 files"));
  const size_t n = files.paths.size();
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = i;
  if (options.shuffle) {
    const Generator::State drawn = random::generator().advance(1);
    order = numpy_shuffled(n, options.seed ? *options.seed : RandomStream{drawn.seed, drawn.counter}.u32(0));
  }
  const auto held = static_cast<size_t>(options.validation_split * static_cast<double>(n));
  const size_t begin = options.subset == Subset::validation ? n - held : 0;
  const size_t end = options.subset == Subset::training ? n - held : n;
  LabelledFiles chosen{{}, {}, files.class_names};
  for (size_t i = begin; i < end; ++i) {
    chosen.paths.push_back(std::move(files.paths[order[i]]));
    if (!files.labels.empty()) chosen.labels.push_back(files.labels[order[i]]);
  }
  if (chosen.paths.empty()) {
    std::string kinds;
    for (const std::string& each : extensions) kinds += cat(kinds.empty() ? "" : ", ", each);
    throw InvalidArgument(cat("[", who, "] ", directory, " holds no files of the kinds ", kinds));
  }
  return chosen;
}

}  // namespace brio::data
