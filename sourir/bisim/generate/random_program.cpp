#include "sourir/bisim/generate/random_program.h"

#include "sourir/bisim/generate/random_comments.h"
#include "sourir/bisim/generate/random_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {

using namespace random;

namespace {

class CaseMaker {
public:
  CaseMaker(Tape& tape, const Policy& policy, Names& names)
      : policy_(policy), names_(names, policy.has(Feature::OddNames)),
        context_{tape, policy, names_} {}

  RandomCase run() {
    const bool versions = policy_.versions > 0 && has_exits();
    const std::uint32_t share = versions ? 8 + 5U * policy_.versions : 6;
    RandomCase made;
    const std::uint64_t reads =
        make_trees(context_, functions_, std::max(policy_.size * 5 / share, 2U));
    context_.left = policy_.size;
    write_all();
    assemble(made.program);
    inputs(made.inputs, reads);
    made.leave = schedule();
    return made;
  }

private:
  Tape& tape() { return context_.tape; }
  bool has(Feature f) const { return policy_.has(f); }
  bool has_exits() const {
    return has(Feature::Assumes) || has(Feature::Anchors) || has(Feature::Contexts);
  }

  // Continuations begin when an exit to them is made.
  void write_begun(WrittenFunction& function) {
    for (std::size_t v = 1; v < function.versions.size(); ++v)
      if (!function.versions[v].finished) write(function, v);
  }

  void write(WrittenFunction& function, std::size_t version) {
    VersionWriter(context_, functions_, function, version).write();
  }

  void begin(WrittenFunction& function, bool when) {
    function.versions.emplace_back();
    VersionWriter(context_, functions_, function, function.versions.size() - 1).plan(when);
  }

  void write_all() {
    for (WrittenFunction& f : functions_) {
      begin(f, false);
      write(f, 0);
    }
    for (WrittenFunction& f : functions_) write_begun(f);
    if (!has_exits()) return;
    for (WrittenFunction& f : functions_) {
      const std::uint32_t draw = tape().below(2U * policy_.versions + 1U);
      std::uint32_t wanted = std::min<std::uint32_t>(draw, policy_.versions);
      for (; wanted > 0 && context_.left > 0; --wanted) {
        const bool when = has(Feature::Contexts) && f.tree.params() > 0 && tape().chance(1, 4);
        begin(f, when);
        write(f, f.versions.size() - 1);
        write_begun(f);
      }
    }
  }

  // The base behind all versions that calls may enter; continuations anywhere.
  void order(const WrittenFunction& function, std::vector<std::size_t>& out) {
    std::vector<std::size_t> conts;
    for (std::size_t v = function.versions.size(); v-- > 1;)
      if (function.versions[v].entry != kNone)
        conts.push_back(v);
      else if (!function.versions[v].out.when.empty() && tape().chance(7, 8))
        out.insert(out.begin(), v);
      else
        out.push_back(v);
    if (out.size() > 1 && tape().chance(1, 4))
      std::swap(out[0], out[tape().below(static_cast<std::uint32_t>(out.size()))]);
    out.push_back(0);
    for (const std::size_t v : conts) {
      const std::uint32_t at = tape().below(static_cast<std::uint32_t>(out.size()) + 1);
      out.insert(out.end() - static_cast<std::ptrdiff_t>(at), v);
    }
  }

  void assemble(Program& program) {
    program.functions.reserve(functions_.size());
    for (WrittenFunction& f : functions_) {
      Function& out = program.functions.emplace_back();
      out.name = f.tree.name;
      for (VarIndex k = 0; k < f.tree.params(); ++k)
        out.params.push_back(names_.var(f.tree.vars[k].name));
      std::vector<std::size_t> versions;
      order(f, versions);
      for (const std::size_t v : versions) out.versions.push_back(std::move(f.versions[v].out));
      if (out.versions.size() == 1 && !f.versions[0].targeted && tape().chance(1, 2))
        out.versions[0].name = names_.anonymous();
    }
    Function& main = program.functions.back();
    if (main.versions.size() == 1 && main.versions[0].name == names_.anonymous())
      main.implicit = true;
    const std::uint32_t n = static_cast<std::uint32_t>(program.functions.size());
    const std::uint32_t at = main.implicit || tape().chance(3, 4) ? 0 : tape().below(n);
    std::rotate(program.functions.begin() + at, program.functions.end() - 1,
                program.functions.end());
    if (has(Feature::Comments)) add_comments(tape(), program);
  }

  void inputs(std::vector<Value>& out, std::uint64_t reads) {
    if (policy_.errors > 0 && reads > 0 && tape().chance(1, 4))
      reads = tape().below(static_cast<std::uint32_t>(reads));
    for (std::uint64_t i = 0; i < reads; ++i) out.push_back(input());
  }

  Value input() {
    switch (tape().below(8)) {
    case 0: return {};
    case 1: return Value(tape().chance(1, 2));
    case 2: return Value(0.5 * tape().below(8));
    case 3: return Value(names_.string(tape().below(NamePool::kStrings)));
    case 4:
      if (const auto n = static_cast<std::uint32_t>(functions_.size()); tape().chance(1, 2))
        return Value(functions_[tape().below(n)].tree.name);
      if (policy_.errors > 0 && tape().chance(1, 4))
        return Value(names_.names().intern<FunName>("nowhere"));
      return Value(std::numeric_limits<std::int64_t>::min());
    default: return Value(static_cast<std::int64_t>(tape().below(8)));
    }
  }

  std::string schedule() {
    switch (tape().below(6)) {
    case 0: return "never";
    case 1: return "always";
    case 2: return fmt::format("every:{}", 1 + tape().below(5));
    case 3: return fmt::format("p:0.{}:{}", 1 + tape().below(9), tape().below(1000));
    case 4: return "calls";
    default: return fmt::format("at:{},{}", 1 + tape().below(4), 5 + tape().below(10));
    }
  }

  const Policy& policy_;
  NamePool names_;
  Context context_;
  std::deque<WrittenFunction> functions_;
};

} // namespace

RandomCase random_case(Tape& tape, const Policy& policy, Names& names) {
  return CaseMaker(tape, policy, names).run();
}

} // namespace sourir
