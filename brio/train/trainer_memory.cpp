// The first step of fit, planned before it runs: what it takes, and what is done where that is too much.
#include <iostream>

#include "brio/base/error.h"
#include "brio/base/memory_limit.h"
#include "brio/base/shown_bytes.h"
#include "brio/runtime/memory_report.h"
#include "brio/train/trainer.h"

namespace brio::train {
namespace {

Batch first_rows(const Batch& batch, int64_t rows) {
  Batch part;
  for (const auto& [whole, piece] :
       {std::pair{&batch.x, &part.x}, {&batch.y, &part.y}, {&batch.sample_weight, &part.sample_weight}})
    for (const Tensor& tensor : *whole) piece->push_back(row_range(tensor, 0, rows));
  return part;
}

}  // namespace

void Trainer::plan_first_step(const Batch& batch, const nn::FitOptions& options, Parts& parts) {
  parts.number = parts.resumed > 0 ? parts.resumed : options.accumulate;
  if (options.batch_size.automatic()) return;                  // which looks for a size that fits by itself
  if (options.memory == OnMemory::say && arena_limit_ != 0) {  // that of an earlier fit
    arena_limit_ = 0;
    forget_steps();
  }
  const auto shares = [&] { return (batch.rows() + parts.number - 1) / parts.number; };
  const auto plan = [&](int64_t rows, size_t arena_limit) {
    const Batch piece = rows == batch.rows() ? batch : first_rows(batch, rows);
    list_arguments(piece);
    const auto memory =
        traced(Kind::train, piece).function->memory_of(arguments_.data(), arguments_.size(), arena_limit);
    arguments_.clear();
    return std::pair(memory, StepMemory{.rows = batch.rows(),
                                        .parts = parts.number,
                                        .arena = static_cast<int64_t>(memory.arena),
                                        .results = static_cast<int64_t>(memory.results),
                                        .repeated = static_cast<int64_t>(memory.repeated),
                                        .repeated_work = memory.repeated_work,
                                        .arena_limit = arena_limit});
  };
  int64_t sums = 0;
  for (const Variable& weight : weights_) sums += static_cast<int64_t>(weight.impl()->aval.bytes());
  auto [memory, whole] = plan(shares(), arena_limit_);
  if (!memory.is_new) return;
  if (parts.number > 1) whole.sums = sums;
  parts.memory = whole;
  if (!memory.on_host) return;  // the limit is one of the host's memory
  const int64_t free = options.memory_limit > 0 ? options.memory_limit - resident_bytes() : available_memory();
  if (whole.bytes() <= free) return;
  const bool may_divide = parts.number == 1 && parts.resumed == 0 && !has_own_step();
  const StepMemoryChoice choice = choose_step(whole, free, sums, may_divide, [&](int64_t rows, size_t limit) {
    return plan(parts.number > 1 ? shares() : rows, limit).second;
  });
  const std::string where = options.memory_limit > 0
                                ? cat("the limit of ", shown_bytes(static_cast<double>(options.memory_limit)))
                                : std::string("this machine");
  if (options.memory == OnMemory::say || choice.fitting.empty()) {
    if (options.memory_limit > 0) throw ResourceError(cat("[fit] ", choice.str(where)));
    std::cerr << "brio: [fit] " << choice.str(where) << std::endl;
    return;
  }
  const StepMemory& taken = choice.fitting.front();
  parts.memory = taken;
  if (may_divide) parts.number = taken.parts;
  arena_limit_ = taken.arena_limit;
  forget_steps();  // they are planned for the limit from now on
  std::cerr << "brio: [fit] a step of " << taken.rows << " rows would take " << shown_bytes(whole.bytes()) << ", and "
            << where << " leaves " << shown_bytes(free) << ": " << taken.str() << std::endl;
}

}  // namespace brio::train
