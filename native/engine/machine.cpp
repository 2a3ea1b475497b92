#include "native/engine/machine.h"

#include "native/deopt/evaluate.h"
#include "native/interpreter/dispatch.h"
#include "native/interpreter/handlers.h"

#include <algorithm>
#include <new>

namespace sourir::native {

namespace {

constexpr std::int64_t kSlice = 1024; // between two looks at fuel and interruption
constexpr std::size_t kMostWatches = 1024;
constexpr std::uint64_t kSlack = 64 << 20; // behind the limit of the stack: room to rebuild frames

std::uint64_t saturated(std::uint64_t n) {
  return std::min<std::uint64_t>(n, std::numeric_limits<std::int64_t>::max());
}

// As much of it as there is.
ScannedStack reserve(std::uint64_t bytes) {
  for (;; bytes /= 2) try {
      return ScannedStack(bytes);
    } catch (const std::bad_alloc&) {
      if (bytes < 2 * kSlack) throw;
    }
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > ~b ? ~std::uint64_t{0} : a + b; }

Insn stub(Handler run, const void* what, SiteFeedback* site) {
  Insn insn;
  insn.run = run;
  insn.site = site;
  insn.literal = reinterpret_cast<std::uint64_t>(what);
  return insn;
}

// Whether names may be needed to show it.
bool has_names(Value v) { return v.is(Tag::Fun) || v.is(Tag::String) || v.is(Tag::Array); }

} // namespace

Machine::Machine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                 const NativeSettings& settings, const EngineHooks& hooks)
    : heap(settings.limits),
      values(reserve(plus(std::min(settings.limits.stack, std::uint64_t{1} << 44), kSlack))),
      program_(program), input_(input), schedule_(schedule), settings_(settings), hooks_(hooks),
      cells_(std::make_unique<FunctionCell[]>(program.names().size())),
      waiting_(reserve(plus(std::min(settings.limits.depth, std::uint64_t{1} << 34) * 2, 4096) *
                       sizeof(Waiting))),
      watches_(kMostWatches * sizeof(Watch)),
      fuel_(static_cast<std::int64_t>(saturated(settings.limits.fuel))),
      sampling_(*this, settings.sampling), tiering_(*this) {
  registers.frames = reinterpret_cast<Waiting*>(waiting_.begin());
  watches_.top = watches_.end();
  registers.stack_limit = reinterpret_cast<char*>(values.end()) - kSlack;
  from_native_ = {stub(nullptr, nullptr, &spare_), stub(ops::leave_interpreter, nullptr, &spare_)};
  from_start_ = {stub(nullptr, nullptr, &spare_), stub(ops::end_main, nullptr, &spare_)};
  begin_functions();
  tiering_.begin();
}

Machine::~Machine() = default;

bool Machine::limits_fuel() const {
  return notes_steps() || settings_.limits.fuel < std::numeric_limits<std::int64_t>::max();
}

bool Machine::forces_exits() const {
  return schedule_.mode != Schedule::Mode::Never && !schedule_.enters();
}

void Machine::begin_functions() {
  for (const Function& source : program_.source().functions) {
    FunctionCell& f = cell(source.name);
    f.fun = program_.function(source.name);
    f.name = source.name;
    f.arity = f.fun->arity;
    const bool one = f.fun->dispatch.size() == 1 && !schedule_.enters() && !notes_steps();
    f.frame_bytes = f.arity * static_cast<std::uint32_t>(sizeof(Value)); // at least
    f.baseline =
        &stubs_.emplace_back(stub(one ? ops::not_translated : ops::dispatch_version, &f, &spare_));
  }
}

Bytecode& Machine::bytecode(const ResolvedVersion& code) {
  std::unique_ptr<Bytecode>& made = bytecodes_[&code];
  if (!made) {
    made = translate(code, *this, translation());
    ranges_[made->insns.data()] = {made->insns.data() + made->insns.size(), made.get()};
  }
  return *made;
}

TranslationOptions Machine::translation() const {
  return {.forced_exits = forces_exits(),
          .tiers = settings_.engine != NativeSettings::Engine::Baseline};
}

// Instructions that were rewritten for what they met record no more.
void Machine::look_anew(const ResolvedVersion& code) {
  const auto at = bytecodes_.find(&code);
  if (at == bytecodes_.end()) return;
  Bytecode& seen = *at->second;
  const auto fresh = translate(code, *this, translation());
  for (std::size_t i = 0; i < seen.insns.size(); ++i) {
    SiteFeedback* site = seen.insns[i].site;
    seen.insns[i] = fresh->insns[i];
    seen.insns[i].site = site;
  }
  std::ranges::fill(seen.sites, SiteFeedback());
}

std::span<const SiteFeedback> Machine::sites(const ResolvedVersion& code) const {
  const auto at = bytecodes_.find(&code);
  return at == bytecodes_.end() ? std::span<const SiteFeedback>() : at->second->sites;
}

Bytecode& Machine::bytecode_of(const Insn* ip) const {
  return *std::prev(ranges_.upper_bound(ip))->second.code;
}

Watch* Machine::new_watch(std::uint64_t index, Value value) {
  const std::size_t n = next_watch_.fetch_add(1, std::memory_order_relaxed);
  if (n >= kMostWatches) return nullptr;
  auto* const watch = new (reinterpret_cast<Watch*>(watches_.begin()) + n) Watch;
  watch->value = value;
  watch->index = index;
  return watch;
}

void Machine::forget(const ResolvedVersion& code) {
  const auto at = bytecodes_.find(&code);
  if (at == bytecodes_.end()) return;
  ranges_.erase(at->second->insns.data());
  for (const auto& [place, insns] : at->second->waiting) ranges_.erase(insns->data());
  bytecodes_.erase(at);
}

// --- Calls ---

void Machine::enter(FunctionCell&, const ResolvedVersion& code, char* base) {
  if (notes_steps()) note_entered(code);
  Bytecode& entered = bytecode(code);
  if (base + entered.frame_bytes > registers.stack_limit) {
    const Waiting k = *--registers.frames;
    limit(Limit::Depth, k.call, k.base);
  }
  values.top = reinterpret_cast<Value*>(base + entered.frame_bytes);
  return next(entered.entry(0), base, this);
}

void Machine::enter_first(FunctionCell& f, char* base) {
  const ResolvedVersion& code = *f.fun->dispatch.front();
  Bytecode& entered = bytecode(code);
  f.baseline = entered.entry(0);
  f.frame_bytes = entered.frame_bytes;
  return enter(f, code, base);
}

void Machine::enter_version(FunctionCell& f, char* base) {
  const ResolvedVersion* code = version_for(*f.fun, reinterpret_cast<const Value*>(base));
  if (const NativeCode* native = tiering_.code_of(*code)) {
    const Position to = called_native(native->entry, base, f.arity);
    return next(to.ip, to.base, this);
  }
  return enter(f, *code, base);
}

// As entered() of the reference.
const ResolvedVersion* Machine::version_for(const LinkedProgram::Fun& f, const Value* arguments) {
  using enum Schedule::Mode;
  const std::uint64_t number = calls_++; // 0: the start
  const auto fits = [&](const ResolvedVersion* code) {
    return first_failing(arguments, code->when) == code->when.size();
  };
  if (schedule_.enters()) {
    std::vector<const ResolvedVersion*> all;
    for (const ResolvedVersion* code : f.versions)
      if (!code->source->cont && fits(code)) all.push_back(code);
    if (schedule_.mode == EnterAny) return all[schedule_.chosen(number, all.size())];
    const bool here =
        schedule_.mode == EnterAt ? schedule_.call == number : schedule_.function == f.name;
    const auto wanted = std::ranges::find(all, schedule_.version, &ResolvedVersion::version);
    if (here && wanted != all.end()) return *wanted;
  }
  return entered(f, arguments);
}

void Machine::interpret(Position at) {
  if constexpr (kTailCalls) {
    at.ip->run(at.ip, at.base, this);
  } else {
    Registers& r = registers;
    for (r.parked = at.ip, r.parked_base = at.base; r.parked != nullptr;)
      r.parked->run(r.parked, r.parked_base, this);
  }
}

// --- Fuel, interruption, hot loops ---

void Machine::look_around(Insn* ip, char* base) {
  if (hooks_.interrupt && *hooks_.interrupt) interrupted(ip, base);
  if (fuel_ <= 0) limit(Limit::Fuel, ip, base);
}

std::int64_t Machine::refill(Insn* ip, char* base) {
  look_around(ip, base);
  const std::int64_t until = std::max<std::int64_t>(settings_.iterations_until_native / 2, 1);
  // Of different length, so that in a loop with calls it is not always the same call that looks.
  jitter_ = (jitter_ * 5 + 3) % 64;
  registers.poll = std::min({kSlice - jitter_, fuel_, until});
  fuel_ -= registers.poll;
  return std::exchange(slice_, registers.poll);
}

void Machine::polled(Insn* ip, char* base) {
  refill(ip, base);
  return next(ip, base, this);
}

// --- Input and output ---

bool Machine::print(Value v) {
  line_.clear();
  const std::uint64_t left = settings_.limits.output - output_bytes_;
  std::unique_lock lock(names_mutex_, std::defer_lock);
  if (has_names(v)) lock.lock(); // nobody waits for the optimizer to see a number
  if (left == 0 || !render(line_, v, program_.names(), left - 1)) return false;
  output_bytes_ += line_.size() + 1;
  ++statistics.prints;
  if (hooks_.print) hooks_.print(line_);
  return true;
}

EvalResult Machine::read() {
  const EvalResult v = [&] {
    const std::lock_guard lock(names_mutex_);
    return input_.at(input_position_);
  }();
  if (!v) return v;
  if (v.value.is(Tag::Fun) && !program_.function(v.value.as_fun())) return StuckReason::BadInput;
  ++input_position_;
  ++statistics.reads;
  return v;
}

} // namespace sourir::native
