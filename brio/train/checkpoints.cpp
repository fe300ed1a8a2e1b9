#include "brio/train/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "brio/base/error.h"
#include "brio/train/callbacks.h"

namespace brio::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr int kDigits = 10;

}  // namespace

std::string Checkpoints::name_of(int64_t number) const {
  std::string digits = std::to_string(number);
  digits.insert(0, static_cast<size_t>(std::max(0, kDigits - static_cast<int>(digits.size()))), '0');
  return (fs::path(options_.directory) / cat(kPrefix, digits)).string();
}

std::vector<int64_t> Checkpoints::numbers() const {
  std::vector<int64_t> found;
  std::error_code error;
  for (fs::directory_iterator at(options_.directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(".json")) continue;
    int64_t number = 0;
    const char *begin = name.data() + kPrefix.size(), *stop = name.data() + name.size() - 5;
    if (const auto [last, bad] = std::from_chars(begin, stop, number); bad == std::errc() && last == stop)
      found.push_back(number);
  }
  std::ranges::sort(found);
  return found;
}

Checkpoints::Checkpoints(CheckpointOptions options, bool resume) : options_(std::move(options)) {
  if (options_.keep < 1) throw InvalidArgument(cat("[fit] checkpoint.keep is ", options_.keep, "; keep 1 at least"));
  std::error_code error;
  fs::create_directories(options_.directory, error);
  if (!fs::is_directory(options_.directory))
    throw ResourceError(cat("[fit] checkpoints cannot be kept in ", options_.directory, ": ", error.message()));
  const std::vector<int64_t> there = numbers();
  if (!there.empty() && !resume)
    throw InvalidArgument(cat("[fit] ", options_.directory,
                              " holds the checkpoints of a run; set resume = true to go on "
                              "with it, or take another directory"));
  if (!there.empty()) next_ = there.back() + 1;
  writer_ = std::thread([this] { write_all(); });
}

Checkpoints::~Checkpoints() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

std::optional<RunState> Checkpoints::last() {
  const std::vector<int64_t> there = numbers();
  std::optional<RunState> found;
  for (size_t i = there.size(); i-- > 0;) {
    try {
      RunState state = read_run_state(name_of(there[i]));
      if (state.monitored) values_.emplace_back(there[i], *state.monitored);
      if (!found) {
        if (i + 1 < there.size())
          std::cerr << "brio: [fit] goes on from the checkpoint before, " << name_of(there[i]) << "\n";
        newest_ = name_of(there[i]);
        found = std::move(state);
      }
    } catch (const Error& error) {
      std::cerr << "brio: [fit] a checkpoint is damaged and is not used: " << error.what() << "\n";
    }
    if (found && options_.monitor.empty()) break;
  }
  return found;
}

void Checkpoints::save(RunState state) {
  wait();
  // Steps write in place: what is written to the disk is a copy.
  staging_.resize(std::max(staging_.size(), state.tensors.size()));
  for (size_t i = 0; i < state.tensors.size(); ++i) {
    Array& array = state.tensors[i].second;
    if (!staging_[i].buffer || staging_[i].aval != array.aval)
      staging_[i] = Array::allocate(array.aval, Owner::cache);
    if (const size_t bytes = array.aval.bytes()) std::memcpy(staging_[i].data(), array.data(), bytes);
    array = staging_[i];
  }
  {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(state);
    busy_ = true;
  }
  changed_.notify_all();
}

void Checkpoints::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !busy_; });
}

std::string Checkpoints::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void Checkpoints::write_all() {
  for (;;) {
    std::optional<RunState> state;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return pending_ || ends_; });
      if (!pending_) return;
      state = std::exchange(pending_, std::nullopt);
    }
    write_one(*state);
    state.reset();
    {
      const std::lock_guard lock(mutex_);
      busy_ = false;
    }
    changed_.notify_all();
  }
}

void Checkpoints::write_one(const RunState& state) {
  const int64_t number = next_++;
  try {
    write_run_state(name_of(number), state);
    {
      const std::lock_guard lock(mutex_);
      newest_ = name_of(number);
    }
    if (state.monitored) values_.emplace_back(number, *state.monitored);
    prune();
  } catch (const std::exception& error) {
    std::cerr << "brio: [fit] a checkpoint could not be written, and training goes on: " << error.what()
              << (newest_.empty() ? std::string() : cat("; the last one is ", newest_)) << "\n";
    std::error_code ignored;
    for (const char* ending : {".json", ".safetensors"}) fs::remove(name_of(number) + ending, ignored);
  }
}

void Checkpoints::prune() {
  const std::vector<int64_t> there = numbers();
  int64_t best = -1;
  if (!values_.empty()) {
    const bool up = goes_up(options_.monitor).value_or(false);
    best = std::ranges::min_element(values_, [&](const auto& a, const auto& b) {
             return up ? a.second > b.second : a.second < b.second;
           })->first;
  }
  const auto kept = static_cast<size_t>(options_.keep);
  for (size_t i = 0; i + kept < there.size(); ++i) {
    if (there[i] == best) continue;
    std::error_code ignored;
    for (const char* ending : {".json", ".safetensors"}) fs::remove(name_of(there[i]) + ending, ignored);
    std::erase_if(values_, [&](const auto& row) { return row.first == there[i]; });
  }
  // Tensors whose manifest was never written.
  std::error_code error;
  for (fs::directory_iterator at(options_.directory, error), end; !error && at != end; at.increment(error)) {
    fs::path path = at->path();
    if (path.extension() != ".safetensors" || !path.filename().string().starts_with(kPrefix)) continue;
    if (std::error_code ignored; !fs::exists(fs::path(path).replace_extension(".json"), ignored))
      fs::remove(path, ignored);
  }
}

void Checkpoints::remove_all() {
  wait();
  std::error_code ignored;
  for (const int64_t number : numbers())
    for (const char* ending : {".json", ".safetensors"}) fs::remove(name_of(number) + ending, ignored);
  fs::remove(options_.directory, ignored);  // where nothing else is in it
}

}  // namespace brio::train
