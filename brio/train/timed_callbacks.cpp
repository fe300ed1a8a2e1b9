#include "brio/train/timed_callbacks.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

namespace brio::train {

std::string Callback::shown_name() const {
  const char* name = typeid(*this).name();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                        std::free);
  return status == 0 && readable ? readable.get() : name;
}

TimedCallbacks::TimedCallbacks(const nn::Callbacks& callbacks) {
  for (const auto& callback : callbacks) {
    const std::string name = callback->shown_name();
    rows_.push_back({callback.get(), name.empty() ? nullptr : profile::row_of(profile::NameKind::callback, name)});
  }
}

}  // namespace brio::train
