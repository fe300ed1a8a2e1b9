#include "brio/autodiff/tape.h"

#include <algorithm>
#include <memory_resource>

#include "brio/autodiff/exact_gradient.h"
#include "brio/autodiff/gradient.h"
#include "brio/autodiff/gradient_memo.h"
#include "brio/base/error.h"
#include "brio/ir/op.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/profile/recorder.h"
#include "brio/tensor/complex.h"

namespace brio {
namespace {

// Stops some tapes from following ops for a scope.
class NotFollowed {
 public:
  NotFollowed(Recording& recording, uint8_t tapes) : recording_(recording), active_(recording.tapes_active) {
    recording.tapes_active &= static_cast<uint8_t>(~tapes);
  }
  ~NotFollowed() { recording_.tapes_active = active_; }

 private:
  Recording& recording_;
  uint8_t active_;
};

GradientMemo& memo(Recording& recording) {
  if (!recording.gradients) recording.gradients = std::make_shared<GradientMemo>();
  return *recording.gradients;
}

}  // namespace

GradientTape::GradientTape(Options options) : options_(options) {
  Recording& recording = current_recording();
  if (recording.kind == Recording::Kind::eager && recording.tapes.empty()) profile::tape_opened();
  std::unique_lock lock(recording.mutex);
  // A step ends here, as at an assignment. So runs end at equal places, and find their plans, also if the program
  // reads no value for a long time.
  if (recording.tapes.empty() &&
      recording.nodes.size() - recording.first_pending >= recording_limits().nodes_at_assign) {
    lock.unlock();
    flush();
    lock.lock();
  }
  uint8_t used = 0;
  for (const Recording::Tape* tape : recording.tapes) used |= tape->bit;
  if (used == 0xff) throw InvalidArgument("[tape] more than 8 tapes are nested; release some of them");
  const auto bit = static_cast<uint8_t>(~used & (used + 1));
  recording.tapes.push_back(&tape_);
  recording.tapes_active |= bit;
  first_ = static_cast<ValueId>(recording.values.size());
  tape_ = {bit, options_.watch_accessed_variables, {}, &recording};
}

GradientTape::~GradientTape() { release(); }

void GradientTape::release() noexcept {
  Recording* recording = std::exchange(tape_.recording, nullptr);
  if (!recording) return;
  std::lock_guard lock(recording->mutex);
  recording->tapes_active &= static_cast<uint8_t>(~tape_.bit);
  std::erase(recording->tapes, &tape_);
  forget(*recording);
  if (recording->kind == Recording::Kind::eager && recording->tapes.empty() && !recording->pending())
    recording->clear();
}

void GradientTape::forget(Recording& recording) noexcept {
  const auto others = static_cast<uint8_t>(~tape_.bit);
  for (size_t value = first_; value < recording.tracked.size(); ++value) recording.tracked[value] &= others;
  tape_.reads.clear();
}

void GradientTape::require_open(const char* what) const {
  if (used_ && !options_.persistent)
    throw InvalidArgument(cat("[tape] ", what,
                              " on a tape that has given its gradient; make it persistent "
                              "(GradientTape tape({.persistent = true})) to ask more than once"));
  if (!tape_.recording) throw InvalidArgument(cat("[tape] ", what, " on a tape whose function or thread has ended"));
  if (tape_.recording != &current_recording())
    throw InvalidArgument(cat("[tape] ", what, " in another thread or function than the one that made the tape"));
}

void GradientTape::watch(const Tensor& tensor) {
  require_open("watch");
  if (!has_gradients(tensor.dtype()))
    throw InvalidArgument(cat("[tape] a ", tensor.dtype(),
                              " tensor cannot be watched: only floating-point and complex tensors have "
                              "gradients; cast it"));
  Recording& recording = *tape_.recording;
  std::lock_guard lock(recording.mutex);
  TensorImpl* impl = tensor.impl();
  Recording* home = impl->recording.load(std::memory_order_acquire);
  const ValueId value = home == &recording ? impl->value : recording.leaf(impl);
  recording.tracked[value] |= tape_.bit;
  first_ = std::min(first_, value);
}

void GradientTape::watch(const Variable& variable) {
  require_open("watch");
  tape_.watch_variables = true;
  variable.value();
  tape_.watch_variables = options_.watch_accessed_variables;
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, std::initializer_list<Source> sources) {
  return gradient(std::span(&target, 1), std::span(sources.begin(), sources.size()));
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target, std::span<const Variable> sources) {
  const std::vector<Source> list(sources.begin(), sources.end());
  return gradient(std::span(&target, 1), list);
}

std::vector<Tensor> GradientTape::gradient(std::span<const Tensor> targets, std::span<const Source> sources,
                                           std::span<const Tensor> output_gradients) {
  require_open("gradient");
  Recording& recording = *tape_.recording;
  if (recording.kind == Recording::Kind::eager) profile::gradient_taken();
  if (!output_gradients.empty() && output_gradients.size() != targets.size())
    throw InvalidArgument(
        cat("[tape] ", output_gradients.size(), " output gradients are given for ", targets.size(), " targets"));
  const uint8_t bit = tape_.bit;
  struct ReleaseAtEnd {
    GradientTape& tape;
    ~ReleaseAtEnd() {
      if (!tape.options_.persistent) tape.release();
    }
  } release_at_end{*this};
  // Outer tapes follow the gradient, which gives higher orders; so does this one, where it may be asked again.
  NotFollowed scope(recording, options_.persistent ? uint8_t{0} : bit);

  // Short lists use the stack.
  std::byte room[1024];
  std::pmr::monotonic_buffer_resource memory(room, sizeof room);
  // Targets that depend on a watched value, and their positions among all targets.
  std::pmr::vector<ValueId> ends(&memory);
  std::pmr::vector<size_t> places(&memory);
  auto number = [&](TensorImpl* impl) {
    const bool here = impl->recording.load(std::memory_order_acquire) == &recording;
    const ValueId value = here ? impl->value : recording.find_leaf(impl);
    return value == kNone || !(recording.tracked[value] & bit) ? kNone : value;
  };
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& target = targets[i];
    if (!target.defined()) throw InvalidArgument("[tape] the target is none; give gradient() a tensor");
    if (!has_gradients(target.dtype()))
      throw InvalidArgument(
          cat("[tape] the target is ", target.dtype(), "; only floating-point and complex tensors have gradients"));
    if (!output_gradients.empty() && output_gradients[i].defined() && output_gradients[i].aval() != target.aval())
      throw InvalidArgument(
          cat("[tape] the output gradient has shape ", output_gradients[i].shape(), ", the target ", target.shape()));
    if (const ValueId value = number(target.impl()); value != kNone) {
      ends.push_back(value);
      places.push_back(i);
    }
  }

  // A variable may have been read more than once (with an assignment in between): its gradient is the sum over the
  // reads.
  std::pmr::vector<ValueId> ids(&memory);
  std::pmr::vector<size_t> owner(&memory);
  for (size_t i = 0; i < sources.size(); ++i) {
    auto add_source = [&](ValueId value) {
      if (value == kNone) return;
      ids.push_back(value);
      owner.push_back(i);
    };
    if (sources[i].variable_.impl()) {
      for (const auto& [variable, value] : tape_.reads)
        if (variable == sources[i].variable_.impl().get()) add_source(recording.tracked[value] & bit ? value : kNone);
    } else if (TensorImpl* impl = sources[i].tensor_.impl()) {
      add_source(number(impl));
    } else {
      throw InvalidArgument(cat("[tape] source ", i, " is none; give gradient() tensors or variables"));
    }
  }
  auto work_out = [&] {
    std::vector<std::pair<ValueId, Tensor>> seeds;
    for (size_t k = 0; k < ends.size(); ++k) {
      const bool given = !output_gradients.empty() && output_gradients[places[k]].defined();
      seeds.emplace_back(ends[k], given ? output_gradients[places[k]] : ones_like(targets[places[k]]));
    }
    return differentiate(recording, seeds, ids, bit);
  };
  std::vector<Tensor> gradients;
  const GradientQuestion question{ends, ids, bit};
  if (!output_gradients.empty()) {
    gradients = work_out();
  } else if (!memo(recording).recall(recording, question, gradients)) {
    const GradientMemo::Mark mark(recording);
    gradients = work_out();
    memo(recording).remember(recording, mark, question, gradients);
  }
  std::vector<Tensor> result(sources.size());
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined()) continue;
    Tensor& into = result[owner[k]];
    into = into.defined() ? add(into, gradients[k]) : gradients[k];
  }
  // A target that was never watched still depends on itself, as in TensorFlow.
  for (size_t i = 0; i < targets.size(); ++i)
    for (size_t k = 0; k < sources.size(); ++k) {
      if (!sources[k].tensor_.defined() || sources[k].tensor_.impl() != targets[i].impl() ||
          number(targets[i].impl()) != kNone)
        continue;
      const bool given = !output_gradients.empty() && output_gradients[i].defined();
      const Tensor one = given ? output_gradients[i] : ones_like(targets[i]);
      result[k] = result[k].defined() ? add(result[k], one) : one;
    }
  used_ = true;
  return result;
}

GradientTape::Pause::Pause(GradientTape& tape) : tape_(tape) {
  tape.require_open("stop_recording");
  tape.tape_.recording->tapes_active &= static_cast<uint8_t>(~tape.tape_.bit);
}
GradientTape::Pause::~Pause() {
  if (tape_.tape_.recording) tape_.tape_.recording->tapes_active |= tape_.tape_.bit;
}

void GradientTape::reset() {
  require_open("reset");
  forget(*tape_.recording);
}

std::function<std::pair<Tensor, std::vector<Tensor>>(const std::vector<Tensor>&)> value_and_grad(TensorFn f) {
  return [f = std::move(f)](const std::vector<Tensor>& arguments) {
    GradientTape tape({.persistent = false, .watch_accessed_variables = false});
    // Fresh values, so that two arguments that are the same tensor have separate gradients.
    std::vector<Tensor> inputs;
    std::vector<GradientTape::Source> sources;
    for (const Tensor& argument : arguments) {
      inputs.push_back(identity(argument));
      tape.watch(inputs.back());
      sources.emplace_back(inputs.back());
    }
    Tensor value = f(inputs);
    std::vector<Tensor> gradients = tape.gradient(std::span(&value, 1), sources);
    return std::pair(std::move(value), std::move(gradients));
  };
}

std::function<std::vector<Tensor>(const std::vector<Tensor>&)> grad(TensorFn f) {
  return
      [both = value_and_grad(std::move(f))](const std::vector<Tensor>& arguments) { return both(arguments).second; };
}

namespace {

std::function<Tensor(const std::vector<Tensor>&)> with_gradient(
    std::function<CustomResult(const std::vector<Tensor>&)> f, bool exact) {
  return [f = std::move(f), exact](const std::vector<Tensor>& arguments) {
    Recording& recording = current_recording();
    CustomResult result;
    {
      NotFollowed scope(recording, 0xff);
      result = f(arguments);
    }
    std::vector<TensorImpl*> in;
    for (const Tensor& argument : arguments) in.push_back(argument.impl());
    in.push_back(result.value.impl());
    const int64_t attrs[] = {exact};
    Tensor value = record(op::custom_gradient, in, attrs);
    if (recording.tapes.empty()) return value;  // no tape will ask for a gradient
    const auto node = recording.producers[value.impl()->value];
    recording.custom_gradients.emplace_back(
        node, std::make_shared<const CustomGradient>([gradient = std::move(result.gradient),
                                                      n = arguments.size()](const std::vector<Tensor>& cotangents) {
          std::vector<Tensor> gradients = gradient(cotangents[0]);
          if (gradients.size() != n)
            throw InvalidArgument(cat("[custom_gradient] the gradient function returned ", gradients.size(),
                                      " gradients for ", n, " arguments"));
          return gradients;
        }));
    return value;
  };
}

}  // namespace

std::function<Tensor(const std::vector<Tensor>&)> custom_gradient(
    std::function<CustomResult(const std::vector<Tensor>&)> f) {
  return with_gradient(std::move(f), false);
}
std::function<Tensor(const std::vector<Tensor>&)> exact_gradient(
    std::function<CustomResult(const std::vector<Tensor>&)> f) {
  return with_gradient(std::move(f), true);
}

}  // namespace brio
