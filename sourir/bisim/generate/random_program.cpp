#include "sourir/bisim/generate/random_program.h"

#include "sourir/bisim/generate/body_builder.h"
#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/generate/version_output.h"
#include "sourir/bisim/generate/version_writer.h"
#include "sourir/syntax/ast.h"
#include "sourir/syntax/exits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sourir::random {
namespace {

// --- the trees of all functions

constexpr std::uint32_t kMostFamilies = 2, kMostMembers = 3, kMostParams = 4;
constexpr std::uint32_t kSmallest = 3; // nodes of a function

class LibraryMaker {
public:
  LibraryMaker(Generation& generation, std::deque<WrittenFunction>& functions, std::uint32_t nodes)
      : generation_(generation), functions_(functions), left_(nodes) {}

  std::uint64_t run() {
    const Policy& policy = generation_.policy;
    const std::uint32_t for_main = std::max<std::uint32_t>(left_ / 3, kSmallest);
    const auto root = static_cast<std::uint32_t>(2 * std::sqrt(left_));
    body_ = std::max<std::uint32_t>(8, std::min(root, left_ / 4));
    left_ -= std::min(left_, for_main);
    if (policy.has(Feature::Indirect)) families();
    if (policy.has(Feature::Calls))
      while (left_ > kSmallest && choices().chance(15 + left_, 16 + left_)) plain_or_recursive();
    return main(std::max(for_main, left_ / 2));
  }

private:
  ChoiceSequence& choices() { return generation_.choices; }
  std::uint32_t size() { return std::min(left_, kSmallest + choices().below(2 * body_)); }

  Type value_type() {
    const Policy& policy = generation_.policy;
    const bool arrays = policy.has(Feature::Arrays);
    switch (choices().below(8)) {
    case 0:
    case 1: return type_of(Kind::Int);
    case 2: return type_of(Kind::Bool);
    case 3:
    case 4: return anything(0);
    case 5:
      return arrays ? array_of(Holds::Values, 1, static_cast<std::uint8_t>(choices().below(3)))
                    : anything(0);
    case 6: return arrays ? array_of(Holds::Integers, 1, 1) : type_of(Kind::Int);
    default: return anything(static_cast<std::uint8_t>(choices().below(kRank)));
    }
  }

  Signature signature(bool fuel) {
    Signature s;
    if (fuel) {
      s.params.push_back(type_of(Kind::Int));
      s.params.back().fuel = true;
    }
    while (s.params.size() < kMostParams && choices().chance(3, 5)) s.params.push_back(parameter());
    s.result = value_type();
    return s;
  }

  // Functions of a family are given to functions that call them.
  Type parameter() {
    const auto& families = generation_.library.families;
    if (generation_.policy.has(Feature::Indirect) && open_ && !families.empty() &&
        choices().chance(1, 4))
      return {.kinds = Kind::Fun,
              .family = static_cast<std::uint8_t>(
                  choices().below(static_cast<std::uint32_t>(families.size())))};
    return value_type();
  }

  // Announces a function; its tree follows.
  std::uint32_t announce(const Signature& s) {
    Library& library = generation_.library;
    const auto number = static_cast<std::uint32_t>(library.callees.size());
    library.callees.push_back({generation_.names.function(number), s, 0, 0});
    functions_.emplace_back().tree.name = library.callees.back().name;
    return number;
  }

  struct Effort {
    std::uint64_t steps = 0, reads = 0;
    std::uint32_t calls_back = 0;
  };

  Effort make_tree(std::uint32_t number) {
    Tree& tree = functions_[number].tree;
    BodyBuilder builder(generation_, tree, size(), generation_.policy.steps / 8);
    builder.function(Signature(generation_.library.callees[number].signature));
    left_ -= std::min(left_, static_cast<std::uint32_t>(tree.nodes.size()));
    return {builder.steps(), builder.reads(), builder.calls_back()};
  }

  // Functions that may call one another back.
  void make(std::uint32_t first, std::uint32_t count) {
    Effort all;
    for (std::uint32_t number = first; number < first + count; ++number) {
      const Effort one = make_tree(number);
      all = {all.steps + one.steps, all.reads + one.reads,
             std::max(all.calls_back, one.calls_back)};
    }
    // All the calls of a recursion: a tree as deep as the fuel.
    std::uint64_t calls = 1, level = 1;
    for (std::int64_t depth = 0; depth < kMostFuel; ++depth) calls += level *= all.calls_back;
    Library& library = generation_.library;
    for (std::uint32_t number = first; number < first + count; ++number) {
      library.callees[number].steps = all.steps * calls;
      library.callees[number].reads = all.reads * calls;
    }
    library.finished = static_cast<std::uint32_t>(library.callees.size());
  }

  // Functions that values may hold: they call only functions made before them, so that calls
  // through variables end.
  void families() {
    open_ = false;
    const std::uint32_t count = 1 + choices().below(kMostFamilies);
    for (std::uint32_t f = 0; f < count && left_ > kSmallest; ++f) {
      Family family;
      family.signature = signature(false);
      const std::uint32_t members = 1 + choices().below(kMostMembers);
      for (std::uint32_t m = 0; m < members; ++m) {
        const std::uint32_t number = announce(family.signature);
        make(number, 1);
        const Callee& callee = generation_.library.callees[number];
        family.members.push_back(number);
        family.steps = std::max(family.steps, callee.steps);
        family.reads = std::max(family.reads, callee.reads);
      }
      generation_.library.families.push_back(std::move(family));
    }
    open_ = true;
  }

  void plain_or_recursive() {
    const bool fuel = generation_.policy.has(Feature::Recursion) && choices().chance(1, 4);
    const std::uint32_t first = announce(signature(fuel));
    const bool two = fuel && choices().chance(1, 3);
    if (two) announce(signature(true));
    make(first, two ? 2 : 1);
  }

  std::uint64_t main(std::uint32_t nodes) {
    Tree& tree = functions_.emplace_back().tree;
    tree.name = generation_.names.main();
    BodyBuilder builder(generation_, tree, nodes, generation_.policy.steps);
    builder.main();
    return builder.reads();
  }

  Generation& generation_;
  std::deque<WrittenFunction>& functions_;
  std::uint32_t left_, body_ = 0;
  bool open_ = true;
};

// Functions before those that call them, main last. `nodes`: their number, about. Returns the most
// inputs that a run reads.
std::uint64_t make_trees(Generation& generation, std::deque<WrittenFunction>& functions,
                         std::uint32_t nodes) {
  return LibraryMaker(generation, functions, nodes).run();
}

// --- comments and blank lines, where a parser can find them again

constexpr std::array<std::string_view, 6> kCommentTexts = {
    " a comment", " # again", "x <- 1", " \xE2\x89\xA0", " }", "\ttab \"quote"};

class Commenter {
public:
  explicit Commenter(ChoiceSequence& choices) : choices_(choices) {}

  void program(Program& program) {
    for (Function& f : program.functions) {
      if (!f.implicit) header(f.comments);
      for (Version& v : f.versions) {
        if (f.versions.size() > 1) header(v.comments);
        bool first = true;
        for (Stmt& s : v.body) stmt(s, std::exchange(first, false));
      }
    }
  }

private:
  bool sometimes() { return choices_.chance(1, 16); }
  std::string text() {
    return std::string(
        kCommentTexts[choices_.below(static_cast<std::uint32_t>(kCommentTexts.size()))]);
  }

  void header(std::vector<Comment>& out) {
    if (sometimes()) out.push_back({0, true, text()});
    if (sometimes()) out.push_back({0, false, text()});
  }

  void stmt(Stmt& s, bool first) {
    const auto slots = static_cast<std::uint32_t>(s.leading.labels.size());
    for (std::uint32_t slot = 0; slot <= slots; ++slot) {
      if (!sometimes()) continue;
      if (choices_.chance(1, 3) && (!first || slot > 0))
        s.leading.comments.push_back({slot, true, {}});
      s.leading.comments.push_back({slot, true, text()});
      if (choices_.chance(1, 2)) s.leading.comments.push_back({slot, false, text()});
    }
    if (Metadata* const exit = exit_of(s.instr)) block(*exit);
  }

  void block(Metadata& exit) {
    for (Deferred& d : exit.with)
      if (sometimes()) d.comments.push_back({0, choices_.chance(1, 2), text()});
    if (!exit.with.empty() && sometimes()) exit.with_end.push_back({0, true, text()});
  }

  ChoiceSequence& choices_;
};

void add_comments(ChoiceSequence& choices, Program& program) {
  Commenter(choices).program(program);
}

} // namespace
} // namespace sourir::random

namespace sourir {

using namespace random;

namespace {

class CaseMaker {
public:
  CaseMaker(ChoiceSequence& choices, const Policy& policy, Names& names)
      : policy_(policy), names_(names, policy.has(Feature::OddNames)),
        generation_{choices, policy, names_} {}

  RandomCase run() {
    const bool versions = policy_.versions > 0 && has_exits();
    const std::uint32_t share = versions ? 8 + 5U * policy_.versions : 6;
    RandomCase made;
    const std::uint64_t reads =
        make_trees(generation_, functions_, std::max(policy_.size * 5 / share, 2U));
    generation_.left = policy_.size;
    write_all();
    assemble(made.program);
    inputs(made.inputs, reads);
    made.deopt = schedule();
    return made;
  }

private:
  ChoiceSequence& choices() { return generation_.choices; }
  bool has(Feature f) const { return policy_.has(f); }
  bool has_exits() const {
    return has(Feature::Assumes) || has(Feature::Anchors) || has(Feature::Contexts);
  }

  // Writes the continuations that exits have begun.
  void write_begun(WrittenFunction& function) {
    for (std::size_t v = 1; v < function.versions.size(); ++v)
      if (!function.versions[v].finished) write(function, v);
  }

  void write(WrittenFunction& function, std::size_t version) {
    VersionWriter(generation_, functions_, function, version).write();
  }

  void begin(WrittenFunction& function, bool when) {
    function.versions.emplace_back();
    plan_version(generation_, functions_, function, when);
  }

  void write_all() {
    for (WrittenFunction& f : functions_) {
      begin(f, false);
      write(f, 0);
    }
    for (WrittenFunction& f : functions_) write_begun(f);
    if (!has_exits()) return;
    for (WrittenFunction& f : functions_) {
      const std::uint32_t draw = choices().below(2U * policy_.versions + 1U);
      std::uint32_t wanted = std::min<std::uint32_t>(draw, policy_.versions);
      for (; wanted > 0 && generation_.left > 0; --wanted) {
        const bool when = has(Feature::Contexts) && f.tree.params() > 0 && choices().chance(1, 4);
        begin(f, when);
        write(f, f.versions.size() - 1);
        write_begun(f);
      }
    }
  }

  // The base after all versions that calls may enter; continuations anywhere.
  void order(const WrittenFunction& function, std::vector<std::size_t>& out) {
    std::vector<std::size_t> conts;
    for (std::size_t v = function.versions.size(); v-- > 1;)
      if (function.versions[v].entry != kNone)
        conts.push_back(v);
      else if (!function.versions[v].out.when.empty() && choices().chance(7, 8))
        out.insert(out.begin(), v);
      else
        out.push_back(v);
    if (out.size() > 1 && choices().chance(1, 4))
      std::swap(out[0], out[choices().below(static_cast<std::uint32_t>(out.size()))]);
    out.push_back(0);
    for (const std::size_t v : conts) {
      const std::uint32_t at = choices().below(static_cast<std::uint32_t>(out.size()) + 1);
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
      if (out.versions.size() == 1 && !f.versions[0].targeted && choices().chance(1, 2))
        out.versions[0].name = names_.anonymous();
    }
    Function& main = program.functions.back();
    if (main.versions.size() == 1 && main.versions[0].name == names_.anonymous())
      main.implicit = true;
    const std::uint32_t n = static_cast<std::uint32_t>(program.functions.size());
    const std::uint32_t at = main.implicit || choices().chance(3, 4) ? 0 : choices().below(n);
    std::rotate(program.functions.begin() + at, program.functions.end() - 1,
                program.functions.end());
    if (has(Feature::Comments)) add_comments(choices(), program);
  }

  void inputs(std::vector<Value>& out, std::uint64_t reads) {
    if (policy_.errors > 0 && reads > 0 && choices().chance(1, 4))
      reads = choices().below(static_cast<std::uint32_t>(reads));
    for (std::uint64_t i = 0; i < reads; ++i) out.push_back(input());
  }

  Value input() {
    switch (choices().below(8)) {
    case 0: return {};
    case 1: return Value(choices().chance(1, 2));
    case 2: return Value(0.5 * choices().below(8));
    case 3: return Value(names_.string(choices().below(NamePool::kStrings)));
    case 4:
      if (const auto n = static_cast<std::uint32_t>(functions_.size()); choices().chance(1, 2))
        return Value(functions_[choices().below(n)].tree.name);
      if (policy_.errors > 0 && choices().chance(1, 4))
        return Value(names_.names().intern<FunName>("nowhere"));
      return Value(std::numeric_limits<std::int64_t>::min());
    default: return Value(static_cast<std::int64_t>(choices().below(8)));
    }
  }

  std::string schedule() {
    switch (choices().below(6)) {
    case 0: return "never";
    case 1: return "always";
    case 2: return fmt::format("every:{}", 1 + choices().below(5));
    case 3: return fmt::format("p:0.{}:{}", 1 + choices().below(9), choices().below(1000));
    case 4: return "calls";
    default: return fmt::format("at:{},{}", 1 + choices().below(4), 5 + choices().below(10));
    }
  }

  const Policy& policy_;
  NamePool names_;
  Generation generation_;
  std::deque<WrittenFunction> functions_;
};

} // namespace

RandomCase random_case(ChoiceSequence& choices, const Policy& policy, Names& names) {
  return CaseMaker(choices, policy, names).run();
}

} // namespace sourir
