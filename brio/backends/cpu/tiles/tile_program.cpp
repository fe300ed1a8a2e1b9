#include "brio/backends/cpu/tiles/tile_program.h"

#include <cstring>

#include "brio/backends/cpu/tiles/tile_load.h"
#include "brio/backends/cpu/tiles/tile_plan.h"
#include "brio/backends/cpu/tiles/tile_run.h"

namespace brio::cpu {
namespace {

// At most one tile, every input dense or a scalar, and no reduction or a full one: tiny tensors come here, so
// there is little besides the calls of the steps.
[[gnu::noinline]] void run_small(const TilePlan& plan, const Layout& layout, bool collect, const void* const* inputs,
                                 void* const* outputs) {
  std::byte* buffer = static_cast<std::byte*>(__builtin_alloca_with_align(layout.bytes + 64, 512));
  void** registers = static_cast<void**>(__builtin_alloca(sizeof(void*) * (static_cast<size_t>(plan.registers) + 1)));
  const size_t n = static_cast<size_t>(plan.elements);
  size_t reg = 0;
  for (const InputPlan& input : plan.inputs) {
    if (layout.slot[reg] < 0) {
      registers[reg] = const_cast<void*>(inputs[reg]);
    } else {
      registers[reg] = buffer + layout.slot[reg];
      if (input.kind == InputPlan::Kind::scalar)
        fill_slot(registers[reg], inputs[reg], input.element_size, plan.elements);
      else  // an output as well, and may be overwritten before it is copied
        std::memcpy(registers[reg], inputs[reg], n * input.element_size);
    }
    ++reg;
  }
  for (const void* constant : plan.constants) registers[reg++] = const_cast<void*>(constant);
  for (; reg < static_cast<size_t>(plan.registers); ++reg) registers[reg] = buffer + layout.slot[reg];
  registers[plan.registers] = nullptr;
  if (!collect)
    for (size_t i = 0; i < plan.outputs.size(); ++i)
      if (plan.outputs[i].direct) registers[plan.outputs[i].reg] = outputs[i];

  for (const TilePlan::Code& step : plan.code) step.run(registers, n);

  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const OutputPlan& output = plan.outputs[i];
    if (registers[output.reg] != outputs[i]) std::memcpy(outputs[i], registers[output.reg], n * output.element_size);
  }
  for (size_t i = 0; i < plan.reductions.size(); ++i) {
    const ReductionPlan& p = plan.reductions[i];
    void* out = outputs[plan.outputs.size() + i];
    if (p.widened < 0) {
      p.kernel.rows(out, registers[p.reg], 1, n);
    } else {
      p.kernel.widen(buffer + p.widened, registers[p.reg], nullptr, nullptr, n);
      p.kernel.rows(buffer + p.values, buffer + p.widened, 1, n);
      p.kernel.narrow(out, buffer + p.values, nullptr, nullptr, 1);
    }
  }
}

// Reductions over nothing.
void write_identities(const TilePlan& plan, void* const* outputs) {
  for (size_t i = 0; i < plan.reductions.size(); ++i) {
    const ReductionPlan& p = plan.reductions[i];
    uint64_t identity = p.kernel.identity;
    if (p.kernel.narrow) p.kernel.narrow(&identity, &p.kernel.identity, nullptr, nullptr, 1);
    std::byte* out = static_cast<std::byte*>(outputs[plan.outputs.size() + i]);
    for (int64_t k = 0; k < plan.results; ++k) std::memcpy(out + k * p.element_size, &identity, p.element_size);
  }
}

}  // namespace

TileKernel::TileKernel(const TileProgram& program) : plan_(make_tile_plan(program)) {}
TileKernel::~TileKernel() = default;
TileKernel::TileKernel(TileKernel&&) noexcept = default;
TileKernel& TileKernel::operator=(TileKernel&&) noexcept = default;

size_t TileKernel::scratch_bytes() const { return plan_->scratch; }
size_t TileKernel::heap_bytes() const { return brio::cpu::heap_bytes(*plan_); }

void TileKernel::run(const void* const* inputs, void* const* outputs, void* scratch) const {
  const TilePlan& plan = *plan_;
  if (plan.elements == 0) return write_identities(plan, outputs);
  bool collect = false;
  for (const TilePlan::Hazard& hazard : plan.hazards) collect |= outputs[hazard.output] == inputs[hazard.input];
  if (plan.small) return run_small(plan, collect ? plan.collected : plan.direct, collect, inputs, outputs);

  // An output that overwrites an input is in the cache already: streaming it would only push it out.
  bool stream = plan.streaming;
  if (stream)
    for (size_t o = 0; o < plan.outputs.size(); ++o)
      for (size_t i = 0; i < plan.inputs.size(); ++i) stream &= outputs[o] != inputs[i];
  collect |= stream;
  const TileArguments arguments{
      plan,    inputs, outputs, static_cast<std::byte*>(scratch), collect ? plan.collected : plan.direct,
      collect, stream};
  if (plan.reductions.empty()) run_elementwise(arguments);
  else run_reductions(arguments);
}

}  // namespace brio::cpu
