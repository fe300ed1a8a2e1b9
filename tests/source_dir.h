// Where the sources lie, for tests that read golden files or docs. Defined in main.cpp alone, so that the other units
// compile to the same objects in every checkout, and a compiler cache serves them all.
#pragma once

#include <string>

namespace brio::test {
std::string source_dir();
}  // namespace brio::test
