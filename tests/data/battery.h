// What every pipeline must hold, whatever its steps are: the same elements for any number of threads, and again after
// save() and restore() at each of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brio/data/dataset.h"

namespace brio::data {

// An element as text that differs where any bit does.
std::string fingerprint(const Item& item);
std::vector<std::string> all_of(const Dataset& dataset, uint64_t epoch = 0, size_t most = 1000);

// The first elements (all, where there are no more than `most`) are the same when computed by the reader, by 1, 2 and
// 5 threads, in a second iterator, and behind save and restore after each one.
void check_pipeline(const Dataset& dataset, size_t most = 60);

// The first part of each element, as numbers.
std::vector<int64_t> numbers(const Dataset& dataset, uint64_t epoch = 0, size_t most = 1000);

}  // namespace brio::data
