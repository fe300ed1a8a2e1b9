// Names of files by patterns: * and ? within a name, [a-z], and ** for any number of directories. Names are bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brio::data {

bool is_pattern(std::string_view path);

// What there is of that pattern, in the order of the bytes. Links are followed, but not by **, which therefore ends
// where links form a loop.
std::vector<std::string> glob(const std::string& pattern);

// The files that names and patterns stand for, in the order given; a name of a file that exists is no pattern. Throws
// InvalidArgument where a pattern matches nothing. `who`: "tfrecord_dataset".
std::vector<std::string> files_of(std::string_view who, const std::vector<std::string>& names);

}  // namespace brio::data
