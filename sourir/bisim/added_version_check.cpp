#include "sourir/bisim/added_version_check.h"

#include "sourir/bisim/input_states.h"
#include "sourir/bisim/lockstep_run.h"
#include "sourir/bisim/named_values.h"
#include "sourir/bisim/operand_votes.h"
#include "sourir/bisim/state_entry.h"
#include "sourir/bisim/structure_check.h"
#include "sourir/bisim/varied_states.h"
#include "sourir/bisim/version_parts.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace sourir {
namespace {

constexpr std::uint64_t kSegmentSteps = 5'000;      // of the output in one segment
constexpr std::uint64_t kCopiedValues = 20'000'000; // into the states where segments start
constexpr std::size_t kShownMissing = 4;
constexpr std::size_t kOtherStates = 4; // at one branch or assume, with other values
// In the search: steps of a run, runs for one part, and states that half of the runs start from.
constexpr std::uint64_t kSearchedSteps = 1'000;
constexpr std::size_t kMostTries = 50;
constexpr std::uint32_t kNewest = 8;
// Behind a guard that no state passed: states from each of at most so many before it.
constexpr std::size_t kPassedStates = 16, kBeforePassed = 4;
// With other operands: entries for each parameter, steps from a branch, and runs for all parts.
constexpr std::size_t kOtherEntries = 4;
constexpr std::uint64_t kOperandSteps = 200, kOperandRuns = 4'000;

// Whether the exit of the assume or anchor there may be forced.
bool may_force(const Config& c) {
  const auto* const assume = std::get_if<resolved::Assume>(&c.instr());
  return assume == nullptr ||
         first_failing(c.heap, c.env(), assume->guards) == assume->guards.size();
}

Schedule exit_at_opportunity(std::uint64_t number) {
  Schedule schedule;
  schedule.mode = Schedule::Mode::At;
  schedule.numbers = {number};
  return schedule;
}

// What versions read while they are tried.
std::vector<Value> some_integers() {
  std::vector<Value> all;
  for (std::int64_t i = 0; i < 256; ++i) all.emplace_back(i * 7 % 11);
  return all;
}

// Other states near the one at this instruction: a branch that goes the other way, an assume whose
// guards hold, an assert that does, or the position after a call or read.
std::vector<Config> going_other_way(const Config& c, Str string) {
  if (std::holds_alternative<resolved::Branch>(c.instr())) return with_other_outcome(c, string);
  if (std::holds_alternative<resolved::Assume>(c.instr()))
    return may_force(c) ? std::vector<Config>{} : with_passing_guards(c, string);
  if (const auto* const assert = std::get_if<resolved::Assert>(&c.instr()))
    return holds(c.heap, c.env(), assert->e) ? std::vector<Config>{}
                                             : with_passing_guards(c, string);
  return with_results(c, string);
}

// The variables of the top frame whose values differ, with the types in the second state.
std::vector<std::pair<Slot, Tag>> changed_variables(const Config& c, const Config& other) {
  std::vector<std::pair<Slot, Tag>> changed;
  for (std::size_t i = c.base; i < c.stack.size(); ++i)
    if (c.stack[i] != other.stack[i])
      changed.emplace_back(static_cast<Slot>(i - c.base), other.stack[i].tag());
  return changed;
}

// The positions that would follow this one if a branch went either way, guards held, and an
// instruction that fails in this state did not.
std::vector<Pc> successors(const Config& c) {
  const resolved::Instr& instr = c.instr();
  if (const auto* const branch = std::get_if<resolved::Branch>(&instr))
    return {branch->if_true, branch->if_false};
  if (std::holds_alternative<resolved::Assume>(instr)) return {c.pc + 1};
  if (std::holds_alternative<resolved::Return>(instr) ||
      std::holds_alternative<resolved::Stop>(instr))
    return {};
  Config after = c;
  std::string printed;
  return step(after, printed).status == StepStatus::Stuck ? std::vector<Pc>{c.pc + 1}
                                                          : std::vector<Pc>{};
}

// Gives the variable that the instruction declares a value, as if it had one.
void bind_result(Config& c) {
  const auto bind = [&](Slot x) { c.stack[c.base + x] = Value(std::int64_t{1}); };
  if (const auto* const decl = std::get_if<resolved::Decl>(&c.instr())) bind(decl->x);
  if (const auto* const decl = std::get_if<resolved::ArrayDecl>(&c.instr())) bind(decl->x);
  if (const auto* const decl = std::get_if<resolved::ArrayDef>(&c.instr())) bind(decl->x);
  if (const auto* const call = std::get_if<resolved::Call>(&c.instr())) bind(call->x);
}

// Where a run of the output first came to a position, and the state at a loop head before that.
struct Visit {
  std::uint64_t step = 0;
  std::uint64_t head_step = 0;   // of the last state at a head or the entry; 0: of the start
  std::uint64_t opportunity = 0; // Of an exit that could be forced
};

// A function that calls `f` with its parameters' values in variables of its own, and prints the
// result and those that are arrays: a frame from which the effects on arrays can be seen. Calls
// start inside `f`, in a state with a frame of it.
Function caller_of(const Function& f, std::span<const Value> arguments, Names& names) {
  Version body{.name = names.intern<VerName>("base")};
  const auto push = [&](Instruction instr) { body.body.push_back({{}, std::move(instr)}); };
  std::vector<Expr> passed;
  std::vector<Var> arrays;
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    const Var x = names.intern<Var>(fmt::format("a{}", i));
    push(Decl{x, SimpleExpr(Nil{})});
    passed.emplace_back(SimpleExpr(x));
    if (arguments[i].is(Tag::Array)) arrays.push_back(x);
  }
  const Var result = names.intern<Var>("result");
  push(Call{result, SimpleExpr(f.name), std::move(passed)});
  push(Print{SimpleExpr(result)});
  for (const Var a : arrays) push(Print{SimpleExpr(a)});
  push(Return{SimpleExpr(Nil{})});
  return {.name = names.intern<FunName>("(caller)"), .params = {}, .versions = {std::move(body)}};
}

Program with_caller(const Program& program, const AddedVersion& added, Names& names) {
  const auto f = std::ranges::find(added.output.functions, added.function, &Function::name);
  Program with = program;
  with.functions.push_back(caller_of(*f, added.states.back().arguments, names));
  return with;
}

class AddedVersionCheck {
public:
  AddedVersionCheck(const AddedVersion& added, const LockstepOptions& options, Names& names,
                    const AddedVersionLimits& limits)
      : added_(added), options_(options), names_(names), limits_(limits),
        input_(with_caller(added.input, added, names)),
        output_(with_caller(added.output, added, names)),
        setting_(input_, output_, added.map, options, names),
        code_(*setting_.output.version(added.function, added.version)),
        parts_(parts_of(output_, code_)) {}

  AddedVersionVerdict run() {
    if (!try_call(options_)) return verdict_;
    if (const auto missing =
            uncovered_positions(added_.input, added_.output, added_.map, names_, true);
        !missing.empty()) {
      LockstepOptions events = options_;
      events.fuel = limits_.event_steps;
      events.all_fuel = 10 * limits_.event_steps;
      events.deopt = {"never"};
      return try_call(events)
                 ? undecided("the map has no state that can be compared at " + missing.front())
                 : verdict_;
    }
    for (const CallState& state : added_.states) entries_.push_back(entry_state(state));
    std::vector<Config> entries = entries_;
    for (const Config& entry : entries) from_state(entry, options_.fuel);
    from_heads(entries.back(), limits_.sampled_steps[0]);
    for (const Config& entry : entries)
      for (const std::uint64_t steps : limits_.sampled_steps)
        if (is_open()) from_heads(entry, steps);
    VariedStates states(options_.seed);
    for (std::uint64_t i = 0; i < limits_.varied_states && is_open(); ++i) {
      Config varied = entries[i % entries.size()];
      states.vary(varied, code_.parameters, i);
      if (first_failing(varied.heap, varied.env(), code_.when) != code_.when.size()) continue;
      leave_program_states();
      from_state(varied, options_.fuel);
      if (i % 16 == 15) from_heads(varied, limits_.sampled_steps[0]);
    }
    with_its_numbers(entries);
    from_other_ways(entries);
    search(entries);
    with_other_operands(entries.back());
    return finish();
  }

private:
  // --- Runs ---

  void leave_program_states() {
    varies_ = true;
    assumed_ |= !added_.any_arguments;
  }

  bool is_open() const {
    const auto open = [&](Pc pc) { return is_open(pc); };
    return !over_ &&
           (std::ranges::any_of(parts_.heads, open) || std::ranges::any_of(parts_.exits, open) ||
            std::ranges::any_of(parts_.positions, open));
  }
  bool is_open(Pc part) const {
    return (parts_.heads.contains(part) && !loops_.contains(part)) ||
           (parts_.exits.contains(part) && !exits_.contains(part)) ||
           (parts_.positions.contains(part) && !states_.contains(part));
  }
  static std::size_t size_of(const Config& c) {
    return c.stack.size() + c.heap.bytes / Heap::kValueBytes;
  }

  // The program with another main that makes the arguments. False: the verdict is known.
  bool try_call(const LockstepOptions& options) {
    const auto whole =
        check_call(added_.input, added_.output, added_.map, added_.function,
                   added_.states.back().arguments, added_.states.back().heap, options, names_);
    if (!whole) return true; // it cannot be called so
    if (whole->checker_failed) return undecided(whole->report), false;
    if (whole->agreement != Agreement::Different) return true;
    whole->input_at_fault ? undecided("the program's own exits are wrong") : differs(whole->report);
    return false;
  }

  Config entry_state(const CallState& state) {
    Config c;
    const ResolvedVersion& caller = *setting_.output.version(names_.intern<FunName>("(caller)"),
                                                             names_.intern<VerName>("base"));
    c.program = &setting_.output;
    c.input = &input_values_;
    c.schedule = &setting_.never;
    c.limits = &setting_.limits;
    c.heap = state.heap;
    c.stack.assign(caller.slots.size(), Value::unbound());
    const auto call = std::ranges::find_if(caller.instrs, [](const resolved::Instr& i) {
      return std::holds_alternative<resolved::Call>(i);
    });
    const auto after = static_cast<Pc>(call - caller.instrs.begin() + 1);
    c.frames.push_back({&caller, after, std::get<resolved::Call>(*call).x, 0});
    for (std::size_t i = 0; i < state.arguments.size(); ++i) c.stack[i] = state.arguments[i];
    c.base = c.stack.size();
    c.code = &code_;
    c.stack.insert(c.stack.end(), state.arguments.begin(), state.arguments.end());
    c.stack.resize(c.base + code_.slots.size(), Value::unbound());
    return c;
  }

  // From that state on, and once more for each exit that was not taken yet.
  void from_state(const Config& entry, std::uint64_t steps) {
    const bool compared = run({.from = &entry, .steps = steps}, setting_.never);
    survey(entry, steps);
    for (const Pc head : parts_.heads)
      if (compared && visits_.contains(head)) loops_.add(head, basis_);
    for (const auto& [visit, schedule] : open_exits())
      run({.from = &entry, .steps = visit.step + kSegmentSteps}, schedule);
  }

  // The position of a branch, read or call; and the variables that are changed there, with the
  // types of their new values, so that execution continues elsewhere.
  using OtherWay = std::pair<Pc, std::vector<std::pair<Slot, Tag>>>;

  // From states at the heads of loops that a long run comes to.
  void from_heads(const Config& entry, std::uint64_t steps) {
    survey(entry, steps);
    std::map<std::uint64_t, std::vector<Schedule>> exits; // by the step at which a segment starts
    std::set<std::uint64_t> starts = sampled_heads();
    for (const auto& [visit, schedule] : open_exits())
      if (visit.step - visit.head_step <= kSegmentSteps) {
        exits[visit.head_step].push_back(schedule);
        starts.insert(visit.head_step);
      }
    for (const Pc pc : parts_.positions)
      if (const auto at = visits_.find(pc); !states_.contains(pc) && at != visits_.end())
        starts.insert(at->second.head_step);
    if (starts.empty()) return;
    survey(entry, *starts.rbegin() + 1, [&](const Config& c) {
      if (!starts.contains(c.steps) || over_ || copied_ > kCopiedValues) return;
      const bool head = c.code == &code_ && parts_.heads.contains(c.pc);
      if (run({.from = &c,
               .steps = length(c, head),
               .until = head ? std::optional(c.pc) : std::nullopt},
              setting_.never) &&
          head) {
        ++verdict_.tried.head_states;
        loops_.add(c.pc, basis_);
      }
      if (const auto found = exits.find(c.steps); found != exits.end())
        for (const Schedule& schedule : found->second)
          run({.from = &c, .steps = 2 * kSegmentSteps}, schedule);
    });
  }

  // From states at branches, and at assumes with a failing guard, whose other way may lead to what
  // was not tried: these go that way once variables of the condition or the guards have other
  // values; and behind calls that never returned. Whether the program can come to such a state is
  // not known, so only agreement counts.
  void from_other_ways(const std::vector<Config>& entries) {
    assumed_ = varies_ = true;
    std::vector<Config> from = entries;
    std::map<Pc, std::size_t> used; // states, by position
    for (std::size_t n = 0; n < from.size() && is_open() && copied_ <= 2 * kCopiedValues; ++n) {
      std::vector<Config> found;
      survey(from[n], limits_.sampled_steps[0], [&](const Config& c) {
        if (c.code != &code_ || used[c.pc] == kOtherStates) return;
        auto others = going_other_way(c, names_.intern<Str>("string"));
        if (others.empty()) return;
        ++used[c.pc];
        for (Config& other : others) other.limits = &setting_.limits; // those of `c` end with it
        std::ranges::move(others, std::back_inserter(found));
      });
      for (const Config& c : found) {
        if (!is_open()) return;
        from_state(c, kSegmentSteps);
        from.push_back(c);
      }
    }
  }

  // One state in which a part agrees says little if no run comes there: a variable may have just
  // the value with which a wrong instruction does what the right one does. Such states are made
  // once more, from entries in which one parameter has another value, by the same other way at the
  // same branch: they tell for which of the values that an instruction reads it agrees. Where the
  // entry as it is leads to a difference, the state made there contradicts what the version relies
  // on, and others of its kind tell nothing.
  void with_other_operands(const Config& entry) {
    assumed_ = varies_ = counts_only_ = true;
    VariedStates states(options_.seed + 3);
    std::uint64_t runs = 0;
    std::map<OtherWay, std::set<Pc>> agreeing; // from the entry as it is
    for (std::size_t i = 0; i <= kOtherEntries * code_.parameters; ++i) {
      if (runs >= kOperandRuns || copied_ > 6 * kCopiedValues || !wants_operands()) break;
      Config varied = entry;
      if (i > 0 && !states.vary_slot(varied, static_cast<Slot>(i % code_.parameters))) continue;
      for (const auto& [way, start] : other_ways_along(varied)) {
        if (i == 0)
          agreeing[way] = vote(start, nullptr, runs);
        else
          vote(start, &agreeing[way], runs);
      }
    }
    counts_only_ = false;
  }

  bool wants_operands() const {
    for (Pc pc = 0; pc < parts_.is_part.size(); ++pc)
      if (parts_.is_part[pc] && wants_operands(pc)) return true;
    return false;
  }
  bool wants_operands(Pc part) const { return is_assumed(part) && operands_.wants_more(part); }
  // Compared only in states that the program may never come to. Not by its exit: votes take none.
  bool is_assumed(Pc part) const {
    return states_.is(part, Basis::Assumed) ||
           (loops_.is(part, Basis::Assumed) && !states_.contains(part));
  }

  // The states at branches, reads and calls along a run, the first at each, that go the other way.
  // Not at guards: what they test may follow from values that would stay the same.
  std::vector<std::pair<OtherWay, Config>> other_ways_along(const Config& entry) {
    std::vector<std::pair<OtherWay, Config>> found;
    std::set<Pc> seen;
    survey(entry, kSearchedSteps, [&](const Config& c) {
      if (c.code != &code_ || std::holds_alternative<resolved::Assume>(c.instr()) ||
          std::holds_alternative<resolved::Assert>(c.instr()) || !seen.insert(c.pc).second)
        return;
      for (Config& other : going_other_way(c, names_.intern<Str>("string"))) {
        other.limits = &setting_.limits; // those of `c` end with it
        copied_ += size_of(other);
        OtherWay way{c.pc, changed_variables(c, other)};
        found.emplace_back(std::move(way), std::move(other));
      }
    });
    return found;
  }

  // The parts that the run from the state comes to, all or those given, that agree; up to the first
  // that does not.
  std::set<Pc> vote(const Config& start, const std::set<Pc>* of, std::uint64_t& runs) {
    std::map<std::uint64_t, std::pair<Pc, std::vector<Value>>> to_try; // by step
    std::set<Pc> seen, agreed;
    survey(start, kOperandSteps, [&](const Config& c) {
      if (c.code != &code_ || !parts_.is_part[c.pc] || !seen.insert(c.pc).second) return;
      if (!wants_operands(c.pc) || (of != nullptr && !of->contains(c.pc))) return;
      if (auto operands = operand_values(c); !operands.empty())
        to_try.emplace(c.steps - start.steps, std::pair(c.pc, std::move(operands)));
    });
    for (const auto& [steps, part] : to_try) {
      runs += 2;
      if (steps > 0) run({.from = &start, .steps = steps}, setting_.never);
      if (steps > 0 && differed_) break;
      const bool agrees = run({.from = &start, .steps = steps + 1}, setting_.never);
      if (agrees) agreed.insert(part.first);
      if (agrees || (differed_ && of != nullptr)) operands_.add(part.first, part.second, agrees);
      if (differed_) break;
    }
    return agreed;
  }

  // Changes states that came to new positions of the version again and again, as fuzzers do that
  // are guided by coverage, and starts from those that come to what was not tried.
  void search(const std::vector<Config>& entries) {
    VariedStates states(options_.seed + 1);
    ChoiceSequence choices(options_.seed + 2);
    const std::vector<Value> numbers = numbers_in(code_);
    std::vector<bool> covered(code_.instrs.size());
    std::map<Pc, std::size_t> tries; // by what was not tried
    std::vector<Config> found;
    for (const Config& entry : entries) cover(entry, covered, found);
    for (std::uint64_t i = 0;
         i < limits_.searched_states && is_open() && copied_ <= 4 * kCopiedValues; ++i) {
      const auto n = static_cast<std::uint32_t>(found.size());
      const std::uint32_t newest = std::min(n, kNewest);
      Config c = found[i % 2 == 0 ? choices.below(n) : n - 1 - choices.below(newest)];
      states.change(c, numbers, names_.intern<Str>("string"));
      if (c.pc == 0 && first_failing(c.heap, c.env(), code_.when) != code_.when.size()) continue;
      const std::set<Pc> reached = cover(c, covered, found);
      const bool tries_again = std::ranges::any_of(
          reached, [&](Pc pc) { return is_open(pc) && tries[pc]++ < kMostTries; });
      if (tries_again) from_state(c, kSegmentSteps);
    }
    as_if_passed(std::move(found), states);
  }

  // From positions behind branches and guards that no state passed, and behind instructions that
  // fail in all, as if one had: what stands there has to agree in other states, too.
  void as_if_passed(std::vector<Config> found, VariedStates& states) {
    const std::vector<Value> numbers = numbers_in(code_);
    std::vector<bool> covered(code_.instrs.size());
    std::map<Pc, std::size_t> from, tries; // states before a position, and there
    std::uint64_t passed = 0;
    const auto few_steps_along = [&](const Config& start) {
      survey(start, kSearchedSteps, [&](const Config& c) {
        if (c.code == &code_ && c.frames.size() == start.frames.size() && is_open(c.pc) &&
            tries[c.pc]++ < kMostTries)
          few_steps(c);
      });
    };
    for (std::size_t n = 0; n < found.size(); ++n) {
      few_steps_along(found[n]);
      if (!is_open()) return;
      for (const Config& other : going_other_way(found[n], names_.intern<Str>("string"))) {
        cover(other, covered, found);
        few_steps_along(other);
      }
      for (const Pc next : successors(found[n])) {
        if (from[next]++ >= kBeforePassed) continue;
        for (std::size_t i = 0; i < kPassedStates; ++i) {
          if (!is_open() || ++passed > limits_.searched_states || copied_ > 5 * kCopiedValues)
            return;
          Config c = found[n];
          bind_result(c);
          if (i > 0) states.change(c, numbers, names_.intern<Str>("string"));
          c.pc = next;
          cover(c, covered, found);
          from_state(c, kSegmentSteps);
          few_steps_along(c);
        }
      }
    }
  }

  // A state that no run comes to may be one in which what the version relies on later does not
  // hold: then what agrees for a few steps says that the instruction there is right, no more.
  void few_steps(const Config& c) {
    if (parts_.is_head[c.pc] && !loops_.contains(c.pc) &&
        run({.from = &c, .steps = length(c, true), .until = c.pc}, setting_.never))
      loops_.add(c.pc, basis_);
    only_start_ = true;
    for (const std::uint64_t steps : {64, 16, 4, 1})
      if (is_open(c.pc)) run({.from = &c, .steps = steps}, setting_.never);
    only_start_ = false;
  }

  // The parts that a run from the state comes to. Adds its states at positions that none came to
  // before.
  std::set<Pc> cover(const Config& from, std::vector<bool>& covered, std::vector<Config>& found) {
    std::set<Pc> reached;
    copied_ += size_of(from);
    survey(from, kSearchedSteps, [&](const Config& c) {
      if (c.code != &code_) return;
      if (parts_.is_part[c.pc]) reached.insert(c.pc);
      if (covered[c.pc] || c.frames.size() != from.frames.size()) return;
      covered[c.pc] = true;
      copied_ += size_of(c);
      found.push_back(c);
      found.back().limits = &setting_.limits; // those of `c` end with it
    });
    return reached;
  }

  // From entries with numbers that the version names, or their negations. Adds those that reach
  // what was not tried before.
  void with_its_numbers(std::vector<Config>& entries) {
    leave_program_states();
    const std::vector<Value> numbers = numbers_in(code_);
    const std::vector<Config> given = entries;
    for (const Config& entry : given)
      for (std::size_t slot = 0; slot < code_.parameters; ++slot)
        for (const Value number : numbers) {
          if (!is_open()) return;
          const std::size_t before = missing().size();
          Config varied = entry;
          Value& v = varied.stack[varied.base + slot];
          if (v.tag() != number.tag() || v == number) continue;
          v = number;
          if (first_failing(varied.heap, varied.env(), code_.when) == code_.when.size())
            from_state(varied, kSegmentSteps);
          if (missing().size() < before) entries.push_back(std::move(varied));
        }
  }

  // False: the run was not decided, or differs.
  bool run(Segment segment, const Schedule& schedule) {
    differed_ = false;
    if (over_) return false;
    copied_ += 4 * size_of(*segment.from);
    const InputState beside = inputs_.beside(*segment.from);
    if (beside.kind == InputState::Kind::Exact) return run_from(*beside.state, segment, schedule);
    if (beside.kind == InputState::Kind::NotMapped) return false;
    inexact_ = true;
    bool agrees = beside.state && run_from(*beside.state, segment, schedule);
    chosen_ = true; // only where no run of the input tells what it holds
    const std::size_t choices = beside.state ? 0 : InputStateMaker::kChoices;
    for (std::size_t i = 0; i < choices && !agrees; ++i)
      agrees = run_from(inputs_.chosen(*segment.from, i), segment, schedule);
    chosen_ = inexact_ = false;
    return agrees;
  }

  bool run_from(const Config& input, Segment segment, const Schedule& schedule) {
    segment.input = &input;
    segment.input_steps = 16 * (segment.steps + 1'000);
    ComparedPositions compared{&code_, {}, {}, {}};
    segment.compared = &compared;
    RunResult result = run_once(segment, schedule);
    if (result.agreement == Agreement::Inconclusive && !result.checker_failed && !asked_again_) {
      asked_again_ = true; // once: it takes long
      segment.input_steps = limits_.input_steps;
      result = run_once(segment, schedule);
    }
    // The state that an exit makes may be one that the input passed through before the segment.
    if (result.agreement == Agreement::Different && segment.from->steps > 0 && result.forced > 0 &&
        (result.oracle == Oracle::States || result.oracle == Oracle::OwnExits))
      result.agreement = Agreement::Inconclusive;
    differed_ = result.agreement == Agreement::Different;
    if ((assumed_ || inexact_) && differed_) result.agreement = Agreement::Inconclusive;
    if (result.agreement == Agreement::Different) return found_difference(segment, result), false;
    if (result.agreement != Agreement::Equivalent || result.checker_failed) {
      if (undecided_.empty() && !varies_ && !assumed_ && !inexact_)
        undecided_ = fmt::format("from the state at {} after {} steps: {}",
                                 print(segment.from->code->place(segment.from->pc), names_),
                                 segment.from->steps, result.what);
      return false;
    }
    // The state where it starts is the map's; more must have been compared.
    if (compared.states.size() < 2 && compared.exits.empty() && result.events == 0) return false;
    if (counts_only_) return true;
    if (only_start_) {
      const auto elsewhere = [&](Pc pc) { return pc != segment.from->pc; };
      std::erase_if(compared.states, elsewhere);
      std::erase_if(compared.partial, elsewhere);
    }
    basis_ = chosen_ ? Basis::Chosen : assumed_ ? Basis::Assumed : Basis::Reached;
    states_.add(compared.states, basis_);
    partial_.add(compared.partial, basis_);
    exits_.add(compared.exits, basis_);
    if (assumed_ && !chosen_) inputs_.look_at(input, kSearchedSteps);
    return true;
  }

  RunResult run_once(const Segment& segment, const Schedule& schedule) {
    Config input = *segment.input;
    Limits limits = setting_.limits;
    limits.fuel = 4 * segment.steps + 1'000;
    input.limits = &limits;
    const std::vector<TracedEvent> expected = trace_of(std::move(input), setting_);
    return LockstepRun(
               setting_,
               {.reads = reads_, .expected = expected, .schedule = schedule, .segment = &segment})
        .run();
  }

  void found_difference(const Segment& segment, const RunResult& result) {
    if (result.input_at_fault) { // in a state of the program: others may be none of its exits
      if (!varies_) undecided_ = "the program's own exits are wrong";
      return;
    }
    over_ = true;
    differs(fmt::format("from the state at {} after {} steps: {}\n",
                        print(segment.from->code->place(segment.from->pc), names_),
                        segment.from->steps, result.what));
  }

  // --- Runs of the output alone, which find states ---

  // A run without forced exits, which fills visits_ and heads_; `see` sees each configuration.
  void survey(Config c, std::uint64_t steps, const std::function<void(const Config&)>& see = {}) {
    visits_.clear();
    heads_.clear();
    Limits limits = setting_.limits;
    limits.fuel = steps;
    c.limits = &limits;
    std::string printed;
    std::uint64_t last_head = 0;
    do {
      if (see) see(c);
      if (c.code == &code_) {
        const bool head = parts_.is_head[c.pc];
        if (head) heads_[c.pc].push_back(c.steps);
        if (head || c.pc == 0) last_head = c.steps;
        if (parts_.is_part[c.pc]) visit(c, last_head);
      }
      printed.clear();
    } while (step(c, printed).status == StepStatus::Stepped && !c.stopped());
  }

  void visit(const Config& c, std::uint64_t last_head) {
    Visit& visit = visits_.try_emplace(c.pc, Visit{c.steps, last_head, 0}).first->second;
    if (visit.opportunity != 0 || !parts_.exits.contains(c.pc) || !may_force(c)) return;
    visit = {c.steps, last_head, c.opportunities + 1};
  }

  // The exits that were not taken yet, where the last survey could have forced them.
  std::vector<std::pair<Visit, Schedule>> open_exits() const {
    std::vector<std::pair<Visit, Schedule>> all;
    for (const Pc pc : parts_.exits)
      if (const auto at = visits_.find(pc);
          at != visits_.end() && at->second.opportunity != 0 && !exits_.contains(pc))
        all.emplace_back(at->second, exit_at_opportunity(at->second.opportunity));
    return all;
  }

  // Steps at which the run stands at a head: the first one, the last one, and some between.
  std::set<std::uint64_t> sampled_heads() const {
    std::set<std::uint64_t> all;
    for (const auto& [head, steps] : heads_)
      for (std::uint64_t i = 0; i < kHeadStates; ++i)
        all.insert(steps[i * (steps.size() - 1) / (kHeadStates - 1)]);
    return all;
  }

  // The steps of the output to the same head, or to the end, at most kSegmentSteps.
  std::uint64_t length(Config c, bool to_head) {
    Limits limits = setting_.limits;
    limits.fuel = c.steps + kSegmentSteps;
    c.limits = &limits;
    const std::uint64_t begin = c.steps;
    const Pc head = c.pc;
    const std::size_t depth = c.frames.size();
    std::string printed;
    while (step(c, printed).status == StepStatus::Stepped && !c.stopped()) {
      printed.clear();
      if (to_head && c.code == &code_ && c.pc == head && c.frames.size() == depth) break;
    }
    return c.steps - begin + 1;
  }

  // --- The verdict ---

  std::vector<std::string> missing() const {
    std::vector<std::string> all;
    const auto add = [&](const char* what, const std::set<Pc>& parts, const DoneParts& done) {
      for (const Pc pc : parts)
        if (!done.contains(pc)) all.push_back(fmt::format("{} at +{}", what, pc));
    };
    add("the loop", parts_.heads, loops_);
    add("the exit", parts_.exits, exits_);
    add("the state", parts_.positions, states_);
    return all;
  }

  std::vector<std::string> disputed_parts() const {
    std::vector<std::string> all;
    for (Pc pc = 0; pc < parts_.is_part.size(); ++pc)
      if (parts_.is_part[pc] && is_assumed(pc) && operands_.disputed(pc))
        all.push_back(fmt::format("+{}", pc));
    return all;
  }

  AddedVersionVerdict finish() {
    if (over_) return verdict_;
    TriedParts& tried = verdict_.tried;
    tried.loops = parts_.heads.size();
    tried.loops_compared = loops_.count(parts_.heads);
    tried.exits = parts_.exits.size();
    tried.exits_taken = exits_.count(parts_.exits);
    tried.positions = parts_.positions.size();
    tried.positions_compared = states_.count(parts_.positions);
    tried.positions_partial = partial_.count(parts_.positions);
    const auto with = [&](Basis basis) {
      return loops_.count(parts_.heads, basis) + exits_.count(parts_.exits, basis) +
             states_.count(parts_.positions, basis);
    };
    tried.parts_assumed = with(Basis::Assumed);
    tried.parts_chosen = with(Basis::Chosen);
    if (const auto disputed = disputed_parts(); !disputed.empty())
      return undecided(
          fmt::format("the instruction at {}, where no run comes, differs with most of "
                      "the values that it may read",
                      fmt::join(disputed, ", ")));
    auto open = missing();
    if (open.empty()) return undecided_.empty() ? verdict_ : undecided(undecided_);
    const std::size_t all = open.size();
    open.resize(std::min(all, kShownMissing));
    std::string why = fmt::format("not tried: {}", fmt::join(open, ", "));
    if (all > open.size()) why += fmt::format(" and {} more", all - open.size());
    if (!undecided_.empty()) why += "; " + undecided_;
    return undecided(std::move(why));
  }

  AddedVersionVerdict undecided(std::string why) {
    verdict_.agreement = Agreement::Inconclusive;
    verdict_.report = std::move(why);
    return verdict_;
  }
  AddedVersionVerdict differs(std::string report) {
    verdict_.agreement = Agreement::Different;
    verdict_.report = std::move(report);
    return verdict_;
  }

  const AddedVersion& added_;
  const LockstepOptions& options_;
  Names& names_;
  const AddedVersionLimits& limits_;
  const Program input_, output_; // with a caller
  LockstepSetting setting_;
  const ResolvedVersion& code_;
  const VersionParts parts_;
  const std::vector<Value> reads_ = some_integers();
  Input input_values_{reads_, names_};
  std::vector<Config> entries_; // of the states from which it is tried
  InputStateMaker inputs_{setting_, code_, input_values_, entries_};
  DoneParts loops_, exits_, states_; // loops by head
  DoneParts partial_;                // of the states
  // Of the last survey: first visits of parts, and the steps at which it stood at a head.
  std::map<Pc, Visit> visits_;
  std::map<Pc, std::vector<std::uint64_t>> heads_;
  std::uint64_t copied_ = 0;     // values
  bool over_ = false;            // a difference was found
  bool varies_ = false;          // the states are not those of the program any more
  bool assumed_ = false;         // nor states that it is known to come to
  bool inexact_ = false;         // the map does not know all of the state where the run starts
  bool chosen_ = false;          // and what it does not know was chosen
  Basis basis_ = Basis::Reached; // of the last run that agreed
  bool differed_ = false;        // the last run, from whatever state
  bool counts_only_ = false;     // runs that agree do not count for parts
  OperandVotes operands_;        // of parts that no run comes to
  bool only_start_ = false;      // runs count for the position where they start, and for exits
  bool asked_again_ = false;
  std::string undecided_; // why the first run from a state of the program was not decided
  AddedVersionVerdict verdict_;
};

} // namespace

void TriedParts::add(const TriedParts& other) {
  loops += other.loops;
  loops_compared += other.loops_compared;
  head_states += other.head_states;
  exits += other.exits;
  exits_taken += other.exits_taken;
  positions += other.positions;
  positions_compared += other.positions_compared;
  positions_partial += other.positions_partial;
  parts_assumed += other.parts_assumed;
  parts_chosen += other.parts_chosen;
}

AddedVersionVerdict check_added_version(const AddedVersion& added, const LockstepOptions& options,
                                        Names& names, const AddedVersionLimits& limits) {
  return AddedVersionCheck(added, options, names, limits).run();
}

} // namespace sourir
