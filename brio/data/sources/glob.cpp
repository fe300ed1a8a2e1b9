#include "brio/data/sources/glob.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>

#include "brio/base/error.h"

namespace brio::data {
namespace {

bool exists(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}
bool is_directory(const std::string& path, bool follow) {
  struct stat info;
  return (follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) == 0 && S_ISDIR(info.st_mode);
}

// None where there is no such directory, or it may not be read.
std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* const stream = ::opendir(directory.empty() ? "." : directory.c_str());
  if (!stream) return names;
  while (const dirent* entry = ::readdir(stream))
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

// `base` ends with a slash, or is empty.
void walk(const std::string& base, std::string_view rest, std::vector<std::string>& found) {
  const size_t slash = rest.find('/');
  const std::string part(rest.substr(0, slash));
  const bool last = slash == std::string_view::npos;
  const std::string_view behind = last ? std::string_view() : rest.substr(slash + 1);
  auto go_on = [&](const std::string& path) {
    if (last) found.push_back(path);
    else if (is_directory(path, true)) walk(path + "/", behind, found);
  };
  if (part == "**") {
    if (last) return walk(base, "**/*", found);
    walk(base, behind, found);
    for (const std::string& name : names_in(base))
      if (is_directory(base + name, false)) walk(base + name + "/", rest, found);
  } else if (is_pattern(part)) {
    for (const std::string& name : names_in(base))
      if (::fnmatch(part.c_str(), name.c_str(), 0) == 0) go_on(base + name);
  } else if (part.empty()) {
    if (!last) walk(base + "/", behind, found);
    else if (!base.empty()) found.push_back(base);
  } else if (exists(base + part)) {
    go_on(base + part);
  }
}

}  // namespace

bool is_pattern(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

std::vector<std::string> glob(const std::string& pattern) {
  std::vector<std::string> found;
  walk("", pattern, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::string> files_of(std::string_view who, const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!is_pattern(name) || exists(name)) {
      files.push_back(name);
      continue;
    }
    const std::vector<std::string> matches = glob(name);
    if (matches.empty()) throw InvalidArgument(cat("[", who, "] no files match the pattern ", name));
    files.insert(files.end(), matches.begin(), matches.end());
  }
  if (files.empty()) throw InvalidArgument(cat("[", who, "] there are no files"));
  return files;
}

}  // namespace brio::data
