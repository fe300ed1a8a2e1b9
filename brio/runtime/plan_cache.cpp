#include "brio/runtime/plan_cache.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/profile/named.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/symbolic.h"

namespace brio {
namespace {

__extension__ using Wide = unsigned __int128;

struct Entry {
  std::vector<uint64_t> key;
  uint64_t hash;
  std::shared_ptr<const CachedPlan> plan;
  uint64_t signature;
  uint64_t last_used;  // plan_clock()
};

// What a structure, ops without shapes, was last planned for: a miss that finds its own is "only" another shape.
struct Structure {
  std::vector<Aval> inputs;
  size_t entries = 0;
};

std::atomic<uint64_t> plans_made{0};

class LivingPlans {
 public:
  LivingPlans() { hold_over_fork(mutex_, ForkRank::living_plans); }
  void add(const CachedPlan* plan) {
    std::lock_guard lock(mutex_);
    plans_.insert(plan);
    bytes_ += plan->bytes();
  }
  void remove(const CachedPlan* plan) {
    std::lock_guard lock(mutex_);
    plans_.erase(plan);
    bytes_ -= plan->bytes();
  }
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void count_arena(size_t before, size_t now) { bytes_ += now - before; }
  void visit(const std::function<void(const Plan&)>& f) {
    std::lock_guard lock(mutex_);
    for (const CachedPlan* plan : plans_) f(plan->plan());
  }

 private:
  std::mutex mutex_;
  std::unordered_set<const CachedPlan*> plans_;
  std::atomic<size_t> bytes_{0};
};
LivingPlans& living_plans() {
  static auto* plans = new LivingPlans;
  return *plans;
}

class Cache {
 public:
  Cache() { hold_over_fork(mutex_, ForkRank::plans); }
  std::shared_ptr<const CachedPlan> find(PlanKey key, uint64_t hash) {
    std::lock_guard lock(mutex_);
    auto [begin, end] = index_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (!std::ranges::equal(it->second->key, key)) continue;
      ++hits_;
      it->second->last_used = plan_clock();
      if (it->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, it->second);
      return it->second->plan;
    }
    ++misses_;
    return nullptr;
  }

  std::shared_ptr<const CachedPlan> insert(PlanKey key, uint64_t hash, std::shared_ptr<const CachedPlan> plan,
                                           uint64_t signature, std::vector<Aval> inputs, const std::string& note) {
    GonePlans gone;
    std::lock_guard lock(mutex_);
    explain(signature, inputs);
    if (!note.empty()) last_miss_ += cat(": ", note);
    entries_.push_front({{key.begin(), key.end()}, hash, plan, signature, plan_clock()});
    try {
      Structure& structure = structures_[signature];
      index_.emplace(hash, entries_.begin());
      structure.inputs = std::move(inputs);
      ++structure.entries;
    } catch (...) {
      entries_.pop_front();
      throw;
    }
    key_bytes_ += key_cost(entries_.front());
    own_bytes_ += cost(entries_.front());
    while (own_bytes_ > limit_ && entries_.size() > 1) evict(gone);
    return plan;
  }

  PlanCacheStats stats() {
    const SymbolicStats symbolic = symbolic_stats();
    std::lock_guard lock(mutex_);
    return {entries_.size(), bytes(),           limit_,        hits_,     misses_,
            evictions_,      symbolic.families, symbolic.hits, last_miss_};
  }
  std::string last_miss() {
    std::lock_guard lock(mutex_);
    return last_miss_;
  }
  void set_limit(size_t bytes) {
    GonePlans gone;
    std::lock_guard lock(mutex_);
    limit_ = bytes;
    while (own_bytes_ > limit_ && !entries_.empty()) evict(gone);
  }
  bool over_limit() {
    std::lock_guard lock(mutex_);
    return bytes() > limit_;
  }
  // Drops what was last used by `time`, as long as all plans but the gone ones are too much; true when they are not.
  bool drop_older(uint64_t time, GonePlans& gone) {
    std::lock_guard lock(mutex_);
    const auto too_much = [&] { return bytes() - gone.bytes() > limit_; };
    while (too_much() && !entries_.empty() && entries_.back().last_used <= time) evict(gone);
    return !too_much();
  }
  void clear() {
    std::list<Entry> gone;
    std::lock_guard lock(mutex_);
    gone.swap(entries_);
    index_.clear();
    structures_.clear();
    own_bytes_ = key_bytes_ = 0;
  }

 private:
  size_t bytes() const { return living_plans().bytes() + key_bytes_; }
  static size_t key_cost(const Entry& entry) { return entry.key.size() * sizeof(uint64_t) + sizeof(Entry) + 96; }
  static size_t cost(const Entry& entry) { return key_cost(entry) + entry.plan->bytes(); }

  void explain(uint64_t signature, const std::vector<Aval>& inputs) {
    last_miss_ = "new structure: these ops were not run together before";
    const auto found = structures_.find(signature);
    if (found == structures_.end() || found->second.inputs.size() != inputs.size()) return;
    last_miss_ = "new handles: other results are kept or other inputs may be overwritten than before";
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Aval& before = found->second.inputs[i];
      if (before == inputs[i]) continue;
      last_miss_ = before.dtype != inputs[i].dtype
                       ? cat("new dtype ", inputs[i].dtype, " for input ", i, ", which was ", before.dtype)
                       : cat("new shape ", inputs[i].shape, " for input ", i, ", which was ", before.shape);
      return;
    }
  }

  void evict(GonePlans& gone) {
    const auto last = std::prev(entries_.end());
    key_bytes_ -= key_cost(*last);
    own_bytes_ -= cost(*last);
    const auto [begin, end] = index_.equal_range(last->hash);
    for (auto it = begin; it != end; ++it)
      if (it->second == last) {
        index_.erase(it);
        break;
      }
    const auto structure = structures_.find(last->signature);
    if (--structure->second.entries == 0) structures_.erase(structure);
    gone.add(std::move(last->plan));
    entries_.erase(last);
    ++evictions_;
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> index_;
  std::unordered_map<uint64_t, Structure> structures_;
  size_t key_bytes_ = 0, own_bytes_ = 0, limit_ = size_t{512} << 20;
  uint64_t hits_ = 0, misses_ = 0, evictions_ = 0;
  std::string last_miss_ = "none yet";
};

Cache& cache() {
  static auto* c = new Cache;
  return *c;
}

class Keepers {
 public:
  Keepers() { hold_over_fork(mutex_, ForkRank::keepers); }
  void add(PlanKeeper* keeper) {
    std::lock_guard lock(mutex_);
    all_.insert(keeper);
  }
  void remove(PlanKeeper* keeper) {
    std::lock_guard lock(mutex_);
    all_.erase(keeper);
  }
  void drop_idle(const PlanKeeper* caller) {
    constexpr uint64_t kIdle = 64;  // plans made since it was used
    const uint64_t now = plan_clock();
    GonePlans gone;
    std::lock_guard lock(mutex_);
    if (now < looked_ + kIdle || !cache().over_limit()) return;
    looked_ = now;
    std::vector<std::pair<uint64_t, PlanKeeper*>> idle;
    for (PlanKeeper* keeper : all_)
      if (const uint64_t time = keeper->last_used(); keeper != caller && time + kIdle <= now)
        idle.emplace_back(time, keeper);
    std::ranges::sort(idle);
    for (const auto& [time, keeper] : idle) {
      if (cache().drop_older(time, gone)) return;
      keeper->give_up_plans(gone);
    }
    cache().drop_older(now - kIdle, gone);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<PlanKeeper*> all_;
  uint64_t looked_ = 0;
};
Keepers& keepers() {
  static auto* all = new Keepers;
  return *all;
}

// A small arena is a plan's own: taking a shared one costs two exchanges between cores.
constexpr size_t kOwnArena = 1024;

uint64_t signature_of(const Graph& graph) {
  std::vector<uint64_t> words;
  for (const Node& node : graph.nodes) {
    words.push_back(reinterpret_cast<uintptr_t>(node.op));
    words.insert(words.end(), node.in.begin(), node.in.end());
  }
  return hash_words(words);
}

}  // namespace

uint64_t plan_clock() { return plans_made.load(std::memory_order_relaxed); }

SharedArena::~SharedArena() {
  living_plans().count_arena(bytes_, 0);
  delete spare_.load();
}

void SharedArena::need(size_t bytes) {
  size_t before = bytes_;
  if (bytes <= before) return;
  bytes = std::max(bytes, before + before / 4);  // sizes that grow do so more than once
  while (before < bytes)
    if (bytes_.compare_exchange_weak(before, bytes)) return living_plans().count_arena(before, bytes);
}

SharedArena::Taken SharedArena::take(size_t bytes, Memory& memory) {
  Taken arena(spare_.exchange(nullptr, std::memory_order_acquire));
  if (!arena) arena = std::make_unique<BufferRef>();
  while (true) {
    need(bytes);
    const size_t largest = std::max(bytes, bytes_.load(std::memory_order_relaxed));
    if (*arena && (*arena)->bytes() >= largest && &(*arena)->memory() == &memory) return arena;
    arena->reset();
    try {
      *arena = BufferRef::allocate(largest, Owner::activations, memory);
      return arena;
    } catch (const ResourceError&) {  // the largest plan says so again when it runs
      living_plans().count_arena(bytes_.exchange(0), 0);
      if (largest == bytes) throw;
    }
  }
}

void SharedArena::give_back(Taken arena) { delete spare_.exchange(arena.release(), std::memory_order_acq_rel); }

CachedPlan::CachedPlan(std::shared_ptr<const Plan> plan, std::shared_ptr<SharedArena> arena)
    : plan_(std::move(plan)), shared_(plan_->arena_bytes() > kOwnArena ? std::move(arena) : nullptr) {
  if (shared_) shared_->need(shared_bytes());
  living_plans().add(this);
  plans_made.fetch_add(1, std::memory_order_relaxed);
}

CachedPlan::~CachedPlan() {
  living_plans().remove(this);
  delete spare_.load();
}

std::unique_ptr<RunMemory> CachedPlan::take() const {
  if (RunMemory* spare = spare_.exchange(nullptr, std::memory_order_acquire))
    return std::unique_ptr<RunMemory>(spare);
  auto memory = std::make_unique<RunMemory>();
  if (!shared_)
    memory->arena =
        BufferRef::allocate(std::max<size_t>(plan_->arena_bytes(), 1), Owner::activations, plan_->device().memory());
  memory->pointers.resize(plan_->pointer_count());
  return memory;
}

// On the stream for copies, which waits for the writers of the inputs and not for the plans before this one.
void CachedPlan::check_inputs(const void* const* inputs, std::span<const Buffer* const> buffers,
                              BufferUses& uses) const {
  Stream& beside = plan_->device().copy_stream();
  for (const Plan::InputCheck& check : plan_->input_checks()) {
    const char* const data = static_cast<const char*>(inputs[check.input]);
    const auto holder = std::ranges::find_if(buffers, [&](const Buffer* buffer) {
      const char* const begin = static_cast<const char*>(buffer->data());
      return data >= begin && data < begin + buffer->bytes();
    });
    BRIO_CHECK(holder != buffers.end(), "an input lies in no buffer of its run");
    BufferUses::read_on(beside, *holder);
    if (check.only_read) uses.add_read(*holder);
  }
  plan_->check_inputs(inputs, beside);
}

void CachedPlan::run(const void* const* inputs, void* const* fresh, std::span<const Buffer* const> buffers) const {
  const profile::PacedScope scope(profile::Part::run, pace_);
  std::unique_ptr<RunMemory> memory = take();
  SharedArena::Taken shared = shared_ ? shared_->take(shared_bytes(), plan_->device().memory()) : nullptr;
  const BufferRef& arena = shared ? *shared : memory->arena;
  void* const base = arena->data();
  if (plan_->device().is_host()) {
    plan_->run(inputs, fresh, base, memory->pointers.data(), memory->bound == base);
  } else {
    Stream& stream = plan_->device().stream();
    BufferUses uses(stream);
    if (!plan_->input_checks().empty()) check_inputs(inputs, buffers, uses);
    for (const Buffer* buffer : buffers) uses.add(buffer);
    uses.add(arena.get());
    if (const Buffer* constants = plan_->constants()) uses.add(constants);
    try {
      plan_->run(inputs, fresh, base, memory->pointers.data(), memory->bound == base, &stream, true);
    } catch (...) {  // what was handed over before still runs
      stream.keep(shared_from_this());
      uses.publish();
      throw;
    }
    stream.keep(shared_from_this());
    uses.publish();
    stream.keep_pace();
  }
  memory->bound = base;
  if (shared_) shared_->give_back(std::move(shared));
  delete spare_.exchange(memory.release(), std::memory_order_acq_rel);
}

uint64_t hash_words(PlanKey key) {
  // Two lanes of multiply-and-fold: the words are mostly small numbers and addresses, which plain sums would collide.
  uint64_t a = 0x243f6a8885a308d3ull ^ key.size(), b = 0x13198a2e03707344ull;
  size_t i = 0;
  auto fold = [](uint64_t x, uint64_t y) {
    const auto product = static_cast<Wide>(x) * y;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  };
  for (; i + 2 <= key.size(); i += 2) {
    a = fold(a ^ key[i], 0xa4093822299f31d1ull);
    b = fold(b ^ key[i + 1], 0x082efa98ec4e6c89ull);
  }
  if (i < key.size()) a = fold(a ^ key[i], 0x452821e638d01377ull);
  return fold(a ^ b, 0xbe5466cf34e90c6dull);
}

std::shared_ptr<const CachedPlan> find_or_make_plan(PlanKey key, uint64_t hash, Device& device,
                                                    const std::function<Graph()>& make) {
  if (auto plan = cache().find(key, hash)) return plan;
  const profile::Scope scope(profile::Part::plan);
  const uint64_t begin = profile::ticks();
  Graph graph = make();
  const uint64_t signature = signature_of(graph);
  std::vector<Aval> inputs;
  for (const Graph::Input& input : graph.inputs) inputs.push_back(graph.values[input.value]);
  MadePlan made = make_plan(std::move(graph), device);
  auto plan = std::make_shared<const CachedPlan>(std::move(made.plan), std::move(made.arena));
  plan = cache().insert(key, hash, std::move(plan), signature, std::move(inputs), made.note);
  if (plans_over_limit()) drop_idle_plans();
  static profile::NamedRow* const row = profile::row_of(profile::NameKind::plan, "eager code");
  profile::count(row, profile::ticks() - begin);
  if (row) profile::set_detail(*row, cache().last_miss());
  return plan;
}

PlanCacheStats plan_cache_stats() { return cache().stats(); }
bool plans_over_limit() { return cache().over_limit(); }
void drop_idle_plans(const PlanKeeper* caller) { keepers().drop_idle(caller); }
void PlanKeeper::enter() { keepers().add(this); }
void PlanKeeper::leave() { keepers().remove(this); }
void set_plan_cache_limit(size_t bytes) { cache().set_limit(bytes); }
void clear_plan_cache() {
  cache().clear();
  clear_symbolic_plans();
}
void for_each_plan(const std::function<void(const Plan&)>& visit) { living_plans().visit(visit); }

}  // namespace brio
