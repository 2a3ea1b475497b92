#include "native/tiering/osr_jobs.h"

#include "native/tiering/feedback_repair.h"

#include <algorithm>

namespace sourir::native {

std::shared_ptr<CompileJob> OsrJobs::at_place(CompileJob::Kind kind, const OsrEntry& entry,
                                              const CodeHistory& history,
                                              const Value* slots) const {
  auto job = std::make_shared<CompileJob>();
  const ResolvedVersion& version = *entry.version;
  job->kind = kind;
  job->counted = kind == CompileJob::Kind::Loop ? history.iterations : history.arrivals;
  job->invalidations = history.invalidations;
  job->version = &version;
  job->pc = entry.pc;
  job->versions = {&version};
  job->speculates = settings_.engine == NativeSettings::Engine::Auto && policy_.speculates(history);
  job->optimizes = optimizes_;
  if (!job->speculates) return job;
  feedback_.add(job->feedback, version, job->optimizes ? JobFeedback::kCalleeLevels : 0);
  const SitePlace entered{&version, entry.pc};
  if (kind == CompileJob::Kind::Loop) feedback_.add_samples(job->feedback, {&entered, 1});
  if (job->optimizes) job->predicates = feedback_.predicates(version, job->feedback, entry.pc);
  if (feedback_.uses_entry_types()) job->entry_types = live_types(version, entry.pc, slots);
  if (verifies()) job->states = {state_at(version, entry.pc, slots, version.slots.size())};
  return job;
}

namespace {

// The variables of the target whose values the failed guard has read.
std::vector<bool> offending_variables(const DeoptEvent& event, const ExitDispatch& exit) {
  const auto& varmap = exit.parameters.frame.varmap;
  std::vector<bool> offending(varmap.size());
  const auto* const assume = std::get_if<resolved::Assume>(&event.version->instrs[event.pc]);
  if (event.forced || assume == nullptr || exit.guard >= assume->guards.size()) return offending;
  const resolved::Expr& guard = assume->guards[exit.guard];
  const auto reads = [](const resolved::Expr& e, const resolved::Operand& x) {
    return x.slot != resolved::kLiteral && (e.a.slot == x.slot || e.b.slot == x.slot);
  };
  for (std::size_t i = 0; i < varmap.size(); ++i)
    offending[i] = reads(varmap[i].value, guard.a) || reads(varmap[i].value, guard.b);
  return offending;
}

// Of one frame of the target. result: the types of what the frame within returns, where they are
// not those that were recorded.
EntryFacts facts_of(const DeoptContext& context, std::uint32_t frame,
                    const std::vector<bool>& offending, bool adds, std::optional<TypeSet> result) {
  const DeoptTarget::Frame& to = context.target->frames[frame];
  const std::size_t slots = to.code->slots.size();
  EntryFacts facts{std::vector<TypeSet>(slots, kAnyType), std::vector<StorageSet>(slots),
                   std::vector<bool>(slots), context.cause.guard != FailedGuard::None, adds};
  for (std::size_t i = 0; i < context.size(); ++i) {
    const DeoptTarget::Variable& v = context.target->variables[i];
    if (v.frame != frame) continue;
    facts.types[v.slot] = context.types[i];
    if (context.types[i] == TypeSet(Kind::Array)) facts.storages[v.slot] = context.storages[i];
    facts.offending[v.slot] = offending[i];
  }
  if (result) {
    facts.offending[to.result] = true;
    facts.types[to.result] = *result;
  }
  // The value that failed is no variable there: the first instruction makes it again.
  const auto x = bound_by(to.code->instrs[to.pc]);
  if (frame == 0 && x && context.cause.guard == FailedGuard::Type &&
      std::ranges::find(offending, true) == offending.end()) {
    facts.offending[*x] = true;
    facts.types[*x] = context.cause.offending;
  }
  return facts;
}

} // namespace

// The feedback of a version that is in several frames is repaired for the innermost. Returns what
// facts_of() gets for the next frame.
std::optional<TypeSet> OsrJobs::add_frame(CompileJob& job, const DeoptContext& context,
                                          std::uint32_t frame, const std::vector<bool>& offending,
                                          bool adds, std::optional<TypeSet> result) const {
  const DeoptTarget::Frame& to = context.target->frames[frame];
  const auto before = std::span(context.target->frames).first(frame);
  std::optional<TypeSet> returned;
  if (std::ranges::find(before, to.code, &DeoptTarget::Frame::code) == before.end()) {
    feedback_.add(job.feedback, *to.code, JobFeedback::kCalleeLevels);
    returned = repair_feedback(job.feedback.sites[to.code], *to.code, to.pc,
                               facts_of(context, frame, offending, adds, result));
  }
  std::vector<Tag>& types = frame == 0 ? job.entry_types : job.outer_entry_types.emplace_back();
  types.resize(to.code->slots.size(), Tag::Unbound);
  for (std::size_t i = 0; i < context.size() && feedback_.uses_entry_types(); ++i)
    if (const DeoptTarget::Variable& v = context.target->variables[i]; v.frame == frame && v.live)
      types[v.slot] = only_tag(context.types[i]);
  return returned;
}

std::shared_ptr<CompileJob> OsrJobs::at_exit(const DeoptContinuation& continuation,
                                             const DeoptEvent& event, const ExitDispatch& exit,
                                             const Value* values, bool adds) const {
  const DeoptContext& context = continuation.context;
  const DeoptTarget& target = *context.target;
  auto job = std::make_shared<CompileJob>();
  job->kind = CompileJob::Kind::Continuation;
  job->version = target.frames.front().code;
  job->pc = target.frames.front().pc;
  job->number = continuation.entry->number;
  job->context = &context;
  job->versions = {job->version};
  job->optimizes = true;
  const std::vector<bool> offending = offending_variables(event, exit);
  std::optional<TypeSet> result;
  for (std::uint32_t f = 0; f < target.frames.size(); ++f)
    result = add_frame(*job, context, f, offending, adds, result);
  feedback_.restrict_to_options(job->feedback);
  std::vector<SitePlace> entered;
  for (const DeoptTarget::Frame& frame : target.frames) entered.push_back({frame.code, frame.pc});
  job->predicates = feedback_.predicates(entered, job->feedback);
  if (!verifies()) return job;
  std::vector<std::vector<Value>> slots = values_by_slot(target, values);
  std::vector<FrameState> frames;
  for (std::size_t f = 0; f < slots.size(); ++f)
    frames.push_back(
        {target.frames[f].code, target.frames[f].pc, slots[f].data(), target.frames[f].result});
  job->states = {state_of_(frames)};
  return job;
}

Config OsrJobs::state_at(const ResolvedVersion& version, Pc pc, const Value* slots,
                         std::size_t count) const {
  std::vector<Value> env(slots, slots + count);
  env.resize(version.slots.size(), Value::unbound());
  const FrameState frame{&version, pc, env.data()};
  return state_of_({&frame, 1});
}

} // namespace sourir::native
