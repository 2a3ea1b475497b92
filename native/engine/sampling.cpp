#include "native/engine/sampling.h"

#include "native/engine/stack_words.h"
#include "native/tiering/tiering_manager.h"

namespace sourir::native {

namespace {

constexpr int kMostCalls = 16; // frames of the runtime above native code when a signal arrives

} // namespace

Sampling::Sampling(const Registers& registers, SampledCodes& codes,
                   const profiler::Settings& settings)
    : registers_(registers), codes_(codes), settings_(settings),
      event_counter_(static_cast<std::int64_t>(settings.events)),
      budget_(settings.trigger.limit, settings.adapts), duty_cycle_(settings.duty_cycle),
      baseline_samples_(settings.record_bytes) {
  if (settings.record_bytes != 0) recorder_.emplace(settings.record_bytes);
  codes_.on_publish([this] { duty_cycle_.record_activity(); });
}

std::int64_t* Sampling::event_counter() {
  return settings_.trigger.kind == profiler::TriggerKind::Loop ? &event_counter_ : nullptr;
}

void Sampling::begin(const void* high) {
  if (!on()) return;
  high_ = reinterpret_cast<std::uint64_t>(high);
  chosen_ = profiler::start_trigger(settings_.trigger, on_signal, this);
  if (!chosen_.trigger) return;
  began_ = last_signal_ = profiler::thread_time();
  budget_.begin(began_, chosen_.signal_ns, {.usual = chosen_.factor, .shortest = chosen_.shortest});
  begun_.store(true);
}

void Sampling::end() {
  if (!chosen_.trigger) return;
  begun_.store(false);
  ran_ = profiler::thread_time() - began_;
  chosen_.trigger = nullptr;
}

void Sampling::on_signal(void* sampling, const profiler::Interrupted& at) {
  auto& self = *static_cast<Sampling*>(sampling);
  const std::uint64_t from = profiler::thread_time();
  const bool learns = self.sample(at, from);
  self.last_signal_ = from;
  if (!self.begun_.load()) return;
  const std::uint32_t periods = self.duty_cycle_.after_sample();
  if (periods != 0) self.pause_periods_ = periods;
  if (self.budget_.after_signal(from, profiler::thread_time(), learns) || periods != 0)
    self.chosen_.trigger->arm(self.settings_.trigger.period * self.budget_.factor() *
                              self.pause_periods_);
}

bool Sampling::on_stack(std::uint64_t address, std::uint64_t low) const {
  return address >= low && address < high_ && address % sizeof(std::uint64_t) == 0;
}

// Frames of the runtime link to each other as native ones do. Code without frame pointers (other
// libraries) keeps the register, or its value is no address further up the stack.
Sampling::Found Sampling::find(const profiler::Interrupted& at) const {
  std::uint64_t frame = at.frame;
  if (auto* code = codes_.find(at.instruction)) return {code, at.instruction, frame};
  std::uint64_t low = at.stack;
  for (int i = 0; i < kMostCalls && on_stack(frame, low); ++i) {
    if (!on_stack(frame + sizeof(std::uint64_t), low)) return {};
    const std::uint64_t returns_to = word_at(frame + sizeof(std::uint64_t));
    low = frame + 1;
    frame = word_at(frame);
    if (auto* code = codes_.find(returns_to - 1)) return {code, returns_to - 1, frame};
  }
  return {};
}

// In the signal handler. All that it reads is on this stack and does not change meanwhile.
bool Sampling::sample(const profiler::Interrupted& at, std::uint64_t now) {
  // Neither in native code nor in the runtime called by it.
  if (registers_.entries == nullptr || registers_.entries->interprets) {
    baseline_samples_.sample(samples(), at, registers_, high_);
    ++baseline_;
    return false;
  }
  const Found here = find(at);
  if (here.code == nullptr) {
    ++elsewhere_;
    return false;
  }
  here.code->record_hit({.now = now,
                         .period = now - last_signal_,
                         .in_instrumented = here.code->in_instrumented(here.address)});
  found(*here.code, here.frame);
  return here.code->is_open(settings_.thresholds);
}

// Native frames link to each other; the list ends at a frame of the interpreter.
std::size_t Sampling::callers_of(std::uint64_t frame) {
  std::size_t n = 0;
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  for (std::uint64_t low = frame; n < callers_.size(); low = frame + 1, frame = word_at(frame)) {
    if (!on_stack(frame, low) || !on_stack(frame + kWord, low)) break;
    const auto* const code = codes_.find(word_at(frame + kWord) - 1);
    if (code == nullptr) break;
    callers_[n++] = code->id;
  }
  return n;
}

void Sampling::found(profiler::SampledCode& code, std::uint64_t frame) {
  ++native_;
  if (code.slots.empty()) ++without_slots_;
  if (recorder_) recorder_->add(samples(), code, {}, std::span(callers_).first(callers_of(frame)));
}

void Sampling::receive(profiler::SampledCode& code, const std::uint64_t* words) {
  std::array<std::uint8_t, profiler::kMostSlots> of{};
  if (!code.receive(words, of)) return;
  const auto types = std::span(of).first(code.slots.size());
  if (recorder_) recorder_->add(samples(), code, types, {});
  code.count(types);
  counted(code);
}

void Sampling::take_sample(profiler::SampledCode& code, const void* frame) {
  const std::uint32_t periods = std::max(duty_cycle_.after_sample(), 1U);
  event_counter_ = static_cast<std::int64_t>(settings_.events * periods);
  if (settings_.replay) return take_recorded();
  const auto at = reinterpret_cast<std::uint64_t>(frame);
  const std::uint64_t called_from = word_at(at + sizeof(std::uint64_t)) - 1;
  code.record_hit({.in_instrumented = code.in_instrumented(called_from)});
  found(code, word_at(at));
}

// Replays one recorded hit with the reports that follow it. Stops before a sample of code that is
// not published yet.
void Sampling::take_recorded() {
  const std::size_t first = replayed_;
  for (; replayed_ < settings_.replay->size(); ++replayed_) {
    const profiler::RecordedSample& sample = (*settings_.replay)[replayed_];
    profiler::SampledCode* const named = codes_.published(sample.code);
    if (named == nullptr || (replayed_ > first && sample.types.empty())) return;
    profiler::SampledCode& code = *named;
    if ((code.request.load() & profiler::kBailOut) != 0) {
      ++late_;
    } else if (sample.types.empty()) {
      ++native_;
      code.hits.fetch_add(1);
    } else {
      code.count(sample.types);
      counted(code);
    }
  }
}

void Sampling::counted(profiler::SampledCode& code) {
  if (code.handled.load() || !code.judge(settings_.thresholds) || !settings_.recompile) return;
  duty_cycle_.record_activity();
  code.request.fetch_or(profiler::kPollRuntime);
}

SamplingReport Sampling::report(const TieringStatistics& tiers) const {
  SamplingReport report{.trigger = chosen_.kind,
                        .refused = chosen_.refused,
                        .period = settings_.trigger.kind == profiler::TriggerKind::Loop
                                      ? settings_.events
                                      : settings_.trigger.period,
                        .thresholds = settings_.thresholds,
                        .limit = ran_ != 0 ? settings_.trigger.limit : 0,
                        .last_period = settings_.trigger.period * budget_.factor(),
                        .adapts = settings_.adapts,
                        .signals = budget_.signals(),
                        .handler_ns = budget_.spent(),
                        .thread_ns = ran_,
                        .native = native_,
                        .baseline = baseline_,
                        .elsewhere = elsewhere_,
                        .without_slots = without_slots_,
                        .asked = tiers.stale,
                        .recompiled = tiers.recompiled,
                        .returned = tiers.reinstated,
                        .abandoned = tiers.abandoned,
                        .code = {},
                        .unfinished = {},
                        .baseline_versions = {},
                        .recorded = {},
                        .baseline_recorded = {},
                        .lost = recorder_ ? recorder_->lost() : 0,
                        .replayed = replayed_,
                        .late = late_,
                        .remaining = settings_.replay ? settings_.replay->size() - replayed_ : 0};
  SampledCodes::Records records = codes_.all();
  if (recorder_) report.recorded = recorder_->read(records.names);
  report.code = std::move(records.published);
  report.unfinished = std::move(records.unpublished);
  report.baseline_versions = baseline_samples_.versions();
  report.baseline_recorded = baseline_samples_.recorded();
  return report;
}

} // namespace sourir::native
