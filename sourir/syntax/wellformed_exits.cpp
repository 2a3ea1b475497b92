// Exits that a root reaches: what their frames bind, where they may go, what could fail.
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/traverse.h"
#include "sourir/syntax/with_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sourir {
namespace {

// The numbers of an exit's names among those of its instruction (for_each_name).
struct ExitNames {
  struct Frame {
    std::size_t function; // then the version and the label
    std::size_t result;
    std::vector<std::size_t> names;
  };
  std::vector<Frame> frames;
  std::vector<std::size_t> deferred; // the first name of each instruction of the block

  explicit ExitNames(const Instruction& instruction) {
    std::size_t k = 0;
    for_each_name(instruction, [&](NameUse use) {
      if (use.role == NameRole::ExitFunction)
        frames.push_back({k, k, {}});
      else if (use.role == NameRole::ExitResult)
        frames.back().result = k;
      else if (use.role == NameRole::ExitName)
        frames.back().names.push_back(k);
      else if (use.role == NameRole::WithDeclare || use.role == NameRole::WithUpdate)
        deferred.push_back(k);
      ++k;
    });
  }
};

// The check of one exit: of an assume or an anchor.
class ExitCheck {
public:
  ExitCheck(ProgramIndex& index, const VersionEntry& origin, std::uint32_t position)
      : index_(index), origin_(origin), position_(position),
        instruction_(origin.version.body[position].instr), exit_(*exit_of(instruction_)) {}

  void check_block() {
    if (exit_.with.empty()) return;
    const WithBlock block(exit_.with);
    for (std::size_t i = 0; i < exit_.with.size(); ++i)
      if (const auto reason = may_fail(exit_.with[i].instr, block))
        warn(names().deferred[i], *reason);
  }

  void check_values(const ResolvedFrame& frame) {
    const auto& varmap = *frame_at(exit_, frame.number).varmap;
    for (std::size_t j = 0; j < varmap.size(); ++j)
      if (const auto reason = may_fail(varmap[j].value))
        warn(names().frames[frame.number].names[j], *reason);
  }

  // The target has no context, or one that the origin has too.
  void check_context(const ResolvedFrame& frame) {
    const Version &target = frame.target->version, &origin = origin_.version;
    const bool known =
        &frame.target->function == &origin_.function &&
        std::all_of(target.when.begin(), target.when.end(), [&](const Expr& predicate) {
          return std::find(origin.when.begin(), origin.when.end(), predicate) != origin.when.end();
        });
    if (known || target.when.empty()) return;
    Diagnostic& problem =
        index_.problems.add(Code::TargetContext, span(names().frames[frame.number].function + 1),
                            fmt::format("the context of {} need not hold for an exit from here",
                                        index_.quoted(target.name)));
    problem.notes.push_back({frame.target->places.name(), "the context stands here"});
    if (const Version* base = base_version(frame.target->function))
      problem.help =
          fmt::format("go to a version without `when`, such as {}", index_.quoted(base->name));
  }

  bool binds_its_target(const ResolvedFrame& frame) const {
    const ExitFrame parts = frame_at(exit_, frame.number);
    ScopeHash bound;
    if (parts.result) bound.add(*parts.result);
    for (const Binding& binding : *parts.varmap) bound.add(binding.name);
    return bound.same_names(frame.target->flow.hash(frame.target_position));
  }

  // `target`: the scope at the target label.
  void report_varmap(const ResolvedFrame& frame, const ScopeSet& target);

private:
  void report_missing(const ResolvedFrame& frame, const std::vector<Var>& missing,
                      const ScopeSet& target);
  Diagnostic& report(Code code, std::size_t k, const ResolvedFrame& frame, std::string message,
                     const ScopeSet& target);

  void warn(std::size_t k, std::string_view reason) {
    index_.problems
        .add(Code::PartialVarmap, span(k), fmt::format("leaving here could fail: {}", reason))
        .help = "compute it before and write the variable here";
  }
  Span span(std::size_t k) const { return origin_.places.instruction_name(position_, k); }
  const ExitNames& names() {
    if (!names_) names_.emplace(instruction_);
    return *names_;
  }

  ProgramIndex& index_;
  const VersionEntry& origin_;
  std::uint32_t position_;
  const Instruction& instruction_;
  const Metadata& exit_;
  std::optional<ExitNames> names_; // made where there is something to report
};

void ExitCheck::report_varmap(const ResolvedFrame& frame, const ScopeSet& target) {
  const ExitFrame parts = frame_at(exit_, frame.number);
  const auto wrong = [&](Var name) {
    return !target.contains(name) && !frame.target->faulty.contains(name);
  };
  std::unordered_map<Var, std::size_t> bound; // and the number of the name
  if (parts.result) {
    const std::size_t k = names().frames[frame.number].result;
    bound.emplace(*parts.result, k);
    if (wrong(*parts.result))
      report(Code::OuterResult, k, frame,
             fmt::format("{} receives the result, but is not in scope at {}",
                         index_.quoted(*parts.result), index_.place(*parts.target)),
             target);
  }
  for (std::size_t j = 0; j < parts.varmap->size(); ++j) {
    const Var name = (*parts.varmap)[j].name;
    const std::size_t k = names().frames[frame.number].names[j];
    if (const auto [first, fresh] = bound.emplace(name, k); !fresh)
      index_.problems
          .add(Code::VarmapDuplicate, span(k),
               fmt::format("{} is bound twice", index_.quoted(name)))
          .notes.push_back({span(first->second), "it is bound here already"});
    else if (wrong(name))
      report(
          Code::VarmapExtra, k, frame,
          fmt::format("{} is not in scope at {}", index_.quoted(name), index_.place(*parts.target)),
          target);
  }
  std::vector<Var> missing;
  target.for_each([&](Var name, Declaration) {
    if (!bound.contains(name) && !frame.target->faulty.contains(name)) missing.push_back(name);
  });
  if (!missing.empty()) report_missing(frame, missing, target);
}

void ExitCheck::report_missing(const ResolvedFrame& frame, const std::vector<Var>& missing,
                               const ScopeSet& target) {
  const Place& place = *frame_at(exit_, frame.number).target;
  report(Code::VarmapMissing, names().frames[frame.number].function + 2, frame,
         fmt::format("{} {} no value at {}", index_.quoted(missing),
                     missing.size() == 1 ? "gets" : "get", index_.place(place)),
         target)
      .help = fmt::format("add `var {} = ...` (`nil` will do where the target never looks at it)",
                          index_.text(missing.front()));
}

Diagnostic& ExitCheck::report(Code code, std::size_t k, const ResolvedFrame& frame,
                              std::string message, const ScopeSet& target) {
  const std::uint32_t position = frame.target_position;
  const bool only_exits =
      position != 0 && frame.target->flow.first_source(position) == ScopeFlow::kNone;
  Diagnostic& problem = index_.problems.add(code, span(k), std::move(message));
  problem.notes.push_back(
      {frame.target->places.position(position),
       fmt::format("{}: {}",
                   only_exits ? "only exits lead there; the first one brings" : "in scope there",
                   index_.braced(target))});
  return problem;
}

void check_frame(ProgramIndex& index, ExitCheck& check, const ResolvedFrame& frame) {
  check.check_context(frame);
  check.check_values(frame);
  if (check.binds_its_target(frame)) return;
  if (const ScopeSet* target = index.scope_at(*frame.target, frame.target_position))
    check.report_varmap(frame, *target);
}

} // namespace

void check_exits(ProgramIndex& index) {
  const auto& frames = index.frames;
  for (std::size_t i = 0; i < frames.size();) {
    const ResolvedFrame& first = frames[i];
    ExitCheck check(index, *first.origin, first.position);
    if (first.live) check.check_block();
    for (; i < frames.size() && frames[i].origin == first.origin &&
           frames[i].position == first.position;
         ++i)
      if (first.live) check_frame(index, check, frames[i]);
  }
}

} // namespace sourir
