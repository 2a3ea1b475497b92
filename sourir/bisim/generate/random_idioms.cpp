#include "sourir/bisim/generate/random_idioms.h"

#include "sourir/analysis/exit_targets.h"
#include "sourir/bisim/generate/elements_texts.h"
#include "sourir/bisim/generate/engine_idiom_texts.h"
#include "sourir/bisim/generate/idiom_texts.h"
#include "sourir/bisim/generate/watchpoint_texts.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/text/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace sourir {
namespace {

using Texts = std::vector<std::string_view>;

const Texts kComparisons = {"==", "<", ">", "!=", "<=", ">="};
const Texts kOrders = {"<", ">", "<=", ">=", "<", ">"};
const Texts kArithmeticSigns = {"+", "-", "*", "/", "%"};
const Texts kOperations = {"+", "==", "<", "/", "%", "&&", "||", "-", "*", ">="};
const Texts kNumberTexts = {"0", "1", "2", "5", "-1", "3"};
const Texts kLiterals = {"0",
                         "1",
                         "nil",
                         "true",
                         "false",
                         "-7",
                         "2.5",
                         "0.0",
                         "\"a\"",
                         "-0.0",
                         "3",
                         "-9223372036854775808",
                         "9223372036854775807"};
const Texts kNeutral = {"+ 0",     "* 1",      "- 0",      "* 0",     "/ 1",   "% 1",
                        "&& true", "&& false", "|| false", "|| true", "+ 0.0", "* 0.0"};
const Texts kKindNames = {"nil", "int", "bool", "float", "string", "array"};

// Fills the holes of one text.
class Filling {
public:
  Filling(ChoiceSequence& choices, Scope scope, const Names& names, std::uint32_t number)
      : choices_(choices), scope_(scope), names_(names), number_(number) {}

  std::string fill(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at)
      if (text[at] == '#') {
        out += fmt::format("_{}", number_);
      } else if (text[at] == '{') {
        const std::size_t end = text.find('}', at);
        out += hole(text.substr(at + 1, end - at - 1));
        at = end;
      } else {
        out += text[at];
      }
    return out;
  }

private:
  std::string one_of(const Texts& all) {
    return std::string(all[choices_.below(static_cast<std::uint32_t>(all.size()))]);
  }
  std::string variable() {
    if (scope_.empty() || choices_.chance(1, 4)) return one_of(kNumberTexts);
    return std::string(
        names_.text(scope_[choices_.below(static_cast<std::uint32_t>(scope_.size()))]));
  }
  // The same in the whole text.
  template <class Draw>
  std::string fixed(std::string_view hole, Draw&& draw) {
    const auto found = fixed_.find(hole);
    if (found != fixed_.end()) return found->second;
    return fixed_.emplace(hole, draw()).first->second;
  }
  std::string test() {
    return fill(fmt::format("(n# {} {{j}})", choices_.chance(1, 2) ? "==" : one_of(kComparisons)));
  }
  std::string changed() { return choices_.chance(1, 2) ? fill("(n# + 1)") : one_of(kNumberTexts); }

  std::string hole(std::string_view name) {
    if (name.ends_with('1'))
      return fixed(name, [&] { return hole(name.substr(0, name.size() - 1)); });
    if (name == "v") return variable();
    if (name == "x" || name == "y") return fixed(name, [&] { return variable(); });
    if (name == "i") return one_of(kNumberTexts);
    if (name == "j") return fixed(name, [&] { return one_of(kNumberTexts); });
    if (name == "k") return std::to_string(choices_.below(3));
    if (name == "t" || name == "z") return std::to_string(choices_.chance(1, 4) ? 1 : 0);
    if (name == "c") return one_of(kComparisons);
    if (name == "o") return one_of(kOrders);
    if (name == "a") return one_of(kArithmeticSigns);
    if (name == "d") return fixed(name, [&] { return one_of(kArithmeticSigns); });
    if (name == "any") return one_of(kOperations);
    if (name == "same") return one_of(kNeutral);
    if (name == "b") return choices_.chance(1, 2) ? "true" : "false";
    if (name == "l") return one_of(kLiterals);
    if (name == "zero") return one_of({"0.0", "-0.0", "0"});
    if (name == "kind") return one_of(kKindNames);
    if (name == "w") return changed();
    if (name == "p") return fixed(name, [&] { return test(); });
    if (name == "q") return choices_.chance(1, 2) ? one_of({"true", "false"}) : test();
    std::abort(); // the texts are constants: no such hole is in them
  }

  ChoiceSequence& choices_;
  Scope scope_;
  const Names& names_;
  std::uint32_t number_;
  std::map<std::string, std::string, std::less<>> fixed_;
};

struct Gap {
  std::size_t function, at;
};

class Idioms {
public:
  Idioms(Program& program, std::vector<Value>& inputs, ChoiceSequence& choices, Names& names,
         IdiomsFor whom)
      : program_(program), inputs_(inputs), choices_(choices), names_(names), whom_(whom) {}

  void run() {
    do put_one();
    while (++number_ < kMost && choices_.chance(1, 2));
  }

private:
  static constexpr std::uint32_t kMost = 4;

  // Positions of instructions without a label, so that nothing jumps there. Functions with several
  // versions, or into which exits of others lead, belong to another idiom: what they do must stay
  // equivalent to other code.
  std::vector<Gap> gaps() const {
    std::vector<Gap> all;
    const auto tied = entered_by_exits_of_others(program_);
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
      const Function& function = program_.functions[f];
      if (function.versions.size() > 1 || tied.contains(function.name)) continue;
      const auto& body = program_.functions[f].versions.front().body;
      // Exits may go back over it, and versions of callers may have the function inlined.
      const bool main = function.name == names_.intern<FunName>("main");
      if (whom_ == IdiomsFor::Watches && (!main || has_exits(body))) continue;
      for (std::size_t at = 0; at < body.size(); ++at)
        if (body[at].leading.labels.empty()) all.push_back({f, at});
    }
    return all;
  }

  static bool has_exits(const std::vector<Stmt>& body) {
    return std::ranges::any_of(body, [](const Stmt& s) { return exit_of(s.instr) != nullptr; });
  }

  void put_one() {
    const std::vector<Gap> all = gaps();
    if (all.empty()) return;
    const Gap gap = all[choices_.below(static_cast<std::uint32_t>(all.size()))];
    const Function& function = program_.functions[gap.function];
    const auto scopes = scopes_of(program_, function, function.versions.front());
    if (!scopes[gap.at]) return;
    insert(gap, parsed(*scopes[gap.at]));
  }

  std::string_view one_of(std::span<const std::string_view> texts) {
    return texts[choices_.below(static_cast<std::uint32_t>(texts.size()))];
  }

  std::string_view drawn() {
    if (whom_ == IdiomsFor::Engines && choices_.chance(2, 3))
      return one_of(random::engine_idioms());
    return one_of(random::pass_idioms());
  }

  Program parsed(Scope scope) {
    Filling filling(choices_, scope, names_, number_);
    if (whom_ == IdiomsFor::Watches) {
      const std::string use = filling.fill(one_of(random::watchpoint_uses()));
      return parse_idiom(use + filling.fill(one_of(random::watchpoint_functions())));
    }
    if (choices_.chance(1, whom_ == IdiomsFor::Engines ? 3 : 6)) {
      const std::string use = filling.fill(one_of(random::elements_uses()));
      return parse_idiom(use + filling.fill(random::elements_function(choices_)));
    }
    const std::string_view idiom = drawn();
    std::string text;
    if (const bool opaque = idiom.find("n#") != idiom.npos || idiom.find("{p}") != idiom.npos;
        opaque || idiom.find("{w}") != idiom.npos || idiom.find("{q}") != idiom.npos) {
      const std::string_view from = one_of(random::unknown_integers());
      if (from.find("read") != from.npos) input();
      text = filling.fill(from) + filling.fill(idiom) + filling.fill("drop n#\n");
    } else {
      text = filling.fill(idiom);
    }
    if (text.find('\'') != text.npos) {
      text += filling.fill(random::idiom_functions());
      if (whom_ == IdiomsFor::Engines) text += filling.fill(random::engine_functions());
    }
    if (idiom.find("read") != idiom.npos) input();
    return parse_idiom(std::move(text));
  }

  Program parse_idiom(std::string text) {
    Diagnostics problems;
    Parsed made = parse(Source("idiom", std::move(text)), names_, problems);
    if (problems.has_errors()) std::abort(); // the texts are constants, and tested
    return std::move(made.program);
  }

  void input() {
    inputs_.insert(inputs_.begin() + choices_.below(static_cast<std::uint32_t>(inputs_.size()) + 1),
                   Value(static_cast<std::int64_t>(choices_.below(6)) - 1));
  }

  void insert(const Gap& gap, Program made) {
    auto& body = program_.functions[gap.function].versions.front().body;
    auto& piece = made.functions.front().versions.front().body;
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(gap.at),
                std::make_move_iterator(piece.begin()), std::make_move_iterator(piece.end()));
    std::move(made.functions.begin() + 1, made.functions.end(),
              std::back_inserter(program_.functions));
  }

  Program& program_;
  std::vector<Value>& inputs_;
  ChoiceSequence& choices_;
  Names& names_;
  IdiomsFor whom_;
  std::uint32_t number_ = 0;
};

} // namespace

void put_idioms(Program& program, std::vector<Value>& inputs, ChoiceSequence& choices, Names& names,
                IdiomsFor whom) {
  Idioms(program, inputs, choices, names, whom).run();
}

} // namespace sourir
