#include "sourir/cli/course/exercise_check.h"

#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/bisim/reference_run.h"
#include "sourir/bisim/version_check.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace sourir {

namespace {

constexpr std::uint64_t kFuel = 1'000'000, kSeed = 1;
constexpr std::string_view kMark = "# requires: ";

class Judge {
public:
  Judge(const Program& given, const Program& mine, Names& names, const std::atomic<bool>* interrupt)
      : given_(given), mine_(mine), names_(names), inputs_(generated_inputs(given, kSeed, names)) {
    options_.fuel = kFuel;
    options_.all_fuel = 100 * kFuel;
    options_.seed = kSeed;
    options_.interrupt = interrupt;
  }

  Requirement judge(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    words.resize(std::max<std::size_t>(words.size(), 4));
    Requirement out{.text = text};
    const std::string& what = words[0];
    if (what == "keeps")
      keeps(out, words[1]);
    else if (what == "versions" && words[1] == "agree")
      agree(out, true);
    else if (what == "versions" && words[1] == "differ")
      agree(out, false);
    else if (what == "versions")
      versions(out, words[1], std::stoul(words[2]));
    else if (what == "guard")
      guard(out, words[1]);
    else if (what == "instructions")
      instructions(out, words[1], std::stoul(words[3]));
    else if (what == "steps")
      steps(out, std::stoul(words[2]));
    else if (what == "frames")
      frames(out, words[1], std::stoul(words[2]));
    else if (what == "context")
      context(out, words[1]);
    else if (what == "continuation")
      continuation(out, words[1]);
    else if (what == "target")
      target(out, words[1], words[2]);
    else if (what == "output")
      output(out);
    else if (what == "transparent")
      transparent(out, true);
    else if (what == "not")
      transparent(out, false);
    else
      std::abort(); // the exercises are part of the program, and tested
    return out;
  }

private:
  static void decide(Requirement& out, bool met, std::string why) {
    out.met = met ? Met::Yes : Met::No;
    out.why = std::move(why);
  }

  const Function* function(const Program& program, const std::string& name) {
    const auto found =
        std::ranges::find(program.functions, names_.intern<FunName>(name), &Function::name);
    return found == program.functions.end() ? nullptr : &*found;
  }

  const Version* version(const Program& program, const std::string& place) {
    const std::size_t dot = place.find('.');
    const Function* const f = function(program, place.substr(0, dot));
    if (f == nullptr) return nullptr;
    const auto found = std::ranges::find(f->versions, names_.intern<VerName>(place.substr(dot + 1)),
                                         &Version::name);
    return found == f->versions.end() ? nullptr : &*found;
  }

  // The version that calls enter; null, and the requirement is not met, where there is none.
  const Version* active(Requirement& out, const std::string& name) {
    const Function* const f = function(mine_, name);
    const Version* const v = f == nullptr ? nullptr : active_version(*f);
    if (v == nullptr) decide(out, false, fmt::format("there is no function '{}'", name));
    return v;
  }

  std::string name_of(const Version& v) const { return std::string(names_.text(v.name)); }

  // The version with its instructions, without labels and comments.
  std::string instructions_of(const Version& v) const {
    std::string out;
    for (const Stmt& s : v.body) out += print(s.instr, names_) + "\n";
    return out;
  }

  void keeps(Requirement& out, const std::string& place) {
    if (place.find('.') == place.npos) {
      const Function* const old = function(given_, place);
      const Function* const now = function(mine_, place);
      const auto same = [&](const Version& a, const Version& b) {
        return instructions_of(a) == instructions_of(b);
      };
      const bool kept = now != nullptr && old->params == now->params &&
                        std::ranges::equal(old->versions, now->versions, same);
      return decide(out, kept, kept ? "" : fmt::format("'{}' is not as it was given", place));
    }
    const Version* const old = version(given_, place);
    const Version* const now = version(mine_, place);
    const bool kept = now != nullptr && instructions_of(*old) == instructions_of(*now);
    decide(out, kept,
           kept ? ""
           : now == nullptr
               ? fmt::format("there is no version {} any more", place)
               : fmt::format("{} is not as it was given (labels may be added)", place));
  }

  void versions(Requirement& out, const std::string& name, std::size_t least) {
    const Function* const f = function(mine_, name);
    const std::size_t count = f == nullptr ? 0 : f->versions.size();
    decide(out, count >= least, fmt::format("{} has {}", name, count));
  }

  void guard(Requirement& out, const std::string& name) {
    const Version* const v = active(out, name);
    if (v == nullptr) return;
    const bool found = std::ranges::any_of(v->body, [](const Stmt& s) {
      const auto* const assume = std::get_if<Assume>(&s.instr);
      return assume != nullptr && !assume->guards.empty();
    });
    decide(out, found,
           found ? ""
                 : fmt::format("{}.{}, the version that calls enter, has no assume with a guard",
                               name, name_of(*v)));
  }

  void instructions(Requirement& out, const std::string& name, std::size_t below) {
    if (const Version* const v = active(out, name))
      decide(out, v->body.size() < below,
             fmt::format("{}.{} has {}", name, name_of(*v), v->body.size()));
  }

  void frames(Requirement& out, const std::string& name, std::size_t wanted) {
    const Version* const v = active(out, name);
    if (v == nullptr) return;
    std::size_t most = 0;
    for (const Stmt& s : v->body)
      if (const Metadata* const exit = exit_of(s.instr)) most = std::max(most, frame_count(*exit));
    decide(out, most >= wanted, fmt::format("an exit of {}.{} builds {}", name, name_of(*v), most));
  }

  void context(Requirement& out, const std::string& name) {
    const Function* const f = function(mine_, name);
    const bool found = f != nullptr && std::ranges::any_of(f->versions, [](const Version& v) {
                         return !v.cont && !v.when.empty();
                       });
    decide(out, found,
           found ? "" : fmt::format("no version of {} has a context (when [...])", name));
  }

  void continuation(Requirement& out, const std::string& name) {
    const Function* const f = function(mine_, name);
    const bool found = f != nullptr && std::ranges::any_of(f->versions, [](const Version& v) {
                         return v.cont.has_value();
                       });
    decide(out, found, found ? "" : fmt::format("{} has no continuation (cont ...)", name));
  }

  void target(Requirement& out, const std::string& from, const std::string& to) {
    const Version* const v = version(mine_, from);
    const Version* const w = version(mine_, to);
    const bool found =
        v != nullptr && w != nullptr && std::ranges::any_of(v->body, [&](const Stmt& s) {
          const Metadata* const exit = exit_of(s.instr);
          if (exit == nullptr) return false;
          const Place& place = *frame_at(*exit, 0).target;
          return place.function == names_.intern<FunName>(to.substr(0, to.find('.'))) &&
                 place.version == w->name;
        });
    decide(out, found, found ? "" : fmt::format("no exit of {} leads to {}", from, to));
  }

  std::uint64_t steps_of(const Program& program, bool& ends) {
    const LinkedProgram linked(program, names_);
    std::uint64_t steps = 0;
    for (const auto& reads : inputs_) {
      const ReferenceRun run = reference_run(linked, reads, Schedule{}, {.fuel = kFuel}, names_);
      ends = ends && !run.at_limit();
      steps += run.steps;
    }
    return steps;
  }

  void steps(Requirement& out, std::uint64_t percent) {
    bool ends = true;
    const std::uint64_t before = steps_of(given_, ends), now = steps_of(mine_, ends);
    decide(out, now * 100 < before * percent, fmt::format("{} steps, {} as given", now, before));
    if (!ends) out.met = Met::Undecided;
  }

  // The verdict of a comparison: `same` is what the exercise wants.
  void settle(Requirement& out, const LockstepVerdict& v, bool same) {
    if (v.agreement == Agreement::Different) {
      std::string first = v.report.substr(0, v.report.find("\nwhere both agree"));
      return decide(out, !same, std::move(first));
    }
    out.why =
        fmt::format("equivalent on what was tried: {}, {} compared, {} forced",
                    counted(v.runs, "run"), counted(v.events, "event"), counted(v.forced, "exit"));
    out.met = same ? Met::Yes : Met::No;
    if (v.agreement != Agreement::Inconclusive && !v.vacuous() && !v.checker_failed) return;
    out.met = Met::Undecided;
    out.why = v.agreement == Agreement::Inconclusive ? "a run came to its limit of steps"
                                                     : "there was nothing to compare";
    for (const std::string& unmet : v.unmet) out.why += "\n" + unmet;
  }

  void output(Requirement& out) {
    out.flags = "--deopt=never";
    out.with_given = true;
    LockstepOptions check = options_;
    check.events_only = true;
    check.input_name = "the given program";
    check.output_name = "yours";
    check.deopt = {"never"};
    LockstepVerdict verdict = check_lockstep(given_, mine_, {}, inputs_, check, names_);
    verdict.unmet.clear(); // a program without exits has none to force
    settle(out, verdict, true);
  }

  void agree(Requirement& out, bool same) {
    out.flags = "--versions";
    settle(out, check_versions(mine_, std::nullopt, inputs_, options_, names_).verdict, same);
  }

  void transparent(Requirement& out, bool same) {
    out.flags = "--transparency";
    LockstepOptions check = options_;
    check.events_only = true;
    check.as = Oracle::Transparency;
    check.input_name = "staying";
    check.output_name = "deoptimizing";
    check.deopt = {"each"};
    check.watches = true;
    settle(out, check_lockstep(mine_, mine_, {}, inputs_, check, names_), same);
  }

  const Program& given_;
  const Program& mine_;
  Names& names_;
  std::vector<std::vector<Value>> inputs_;
  LockstepOptions options_;
};

} // namespace

std::vector<std::string> requirements_of(std::string_view given) {
  std::vector<std::string> out;
  for (std::size_t at = given.find(kMark); at != given.npos; at = given.find(kMark, at)) {
    at += kMark.size();
    out.emplace_back(given.substr(at, given.find('\n', at) - at));
  }
  return out;
}

std::vector<std::string> kept_functions(std::string_view given) {
  std::vector<std::string> out;
  constexpr std::string_view kKeeps = "keeps ";
  for (const std::string& text : requirements_of(given)) {
    if (!text.starts_with(kKeeps)) continue;
    std::string name = text.substr(kKeeps.size(), text.find('.') - kKeeps.size());
    if (name != "main" && std::ranges::count(out, name) == 0) out.push_back(std::move(name));
  }
  return out;
}

std::vector<Requirement> judge(std::string_view given_text, const Program& given,
                               const Program& mine, Names& names,
                               const std::atomic<bool>* interrupt) {
  Judge judge(given, mine, names, interrupt);
  std::vector<Requirement> out;
  for (const std::string& text : requirements_of(given_text)) out.push_back(judge.judge(text));
  return out;
}

} // namespace sourir
