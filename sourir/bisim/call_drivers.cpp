#include "sourir/bisim/call_drivers.h"

#include "sourir/bisim/check_limits.h"
#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace sourir {

namespace {

constexpr std::size_t kWatchedCalls = 4, kWatchedElements = 8;
constexpr std::uint64_t kWatchedSteps = 20'000;

} // namespace

CallDrivers::CallDrivers(const Program& program, const std::vector<Value>& reads,
                         std::uint64_t seed, Names& names)
    : names_(names), main_(names.intern<FunName>("main")), choices_(seed),
      literals_(mentioned_literals(program)), interesting_(literals_) {
  for (const double d : {-0.0, 0.5}) interesting_.emplace_back(Float{d});
  interesting_.emplace_back(names.intern<Str>("a"));
  for (const Function& f : program.functions) {
    if (f.name == main_) continue;
    functions_.push_back(f.name);
    taking_[f.params.size()].push_back(f.name);
  }
  if (!functions_.empty()) interesting_.emplace_back(functions_.front());
  watch(program, reads);
}

void CallDrivers::watch(const Program& program, const std::vector<Value>& reads) {
  const LinkedProgram linked(program, names_);
  const Schedule never;
  const Limits limits = check_limits(kWatchedSteps);
  Input input(reads, names_);
  Config c = start(linked, input, never, limits);
  std::string printed;
  for (std::uint64_t calls = 0; step(c, printed).status == StepStatus::Stepped; printed.clear()) {
    if (c.calls == calls) continue;
    calls = c.calls;
    auto& known = calls_[c.code->function];
    if (known.size() >= kWatchedCalls) continue;
    auto& call = known.emplace_back();
    for (Slot x = 0; x < c.code->parameters; ++x) {
      Seen& seen = call.emplace_back(Seen{seen_literal(c.env()[x]), std::nullopt});
      if (!c.env()[x].is(Tag::Array)) continue;
      seen.elements.emplace();
      for (const Value v : c.heap.blocks[c.env()[x].as_array().index])
        if (seen.elements->size() < kWatchedElements) seen.elements->push_back(seen_literal(v));
    }
  }
}

SimpleExpr CallDrivers::seen_literal(Value v) const {
  const auto literal = to_literal(v);
  if (!literal) return Nil{};
  return std::visit([](const auto& l) { return SimpleExpr(l); }, *literal);
}

SimpleExpr CallDrivers::literal() {
  using Edges = std::numeric_limits<std::int64_t>;
  constexpr std::array<std::int64_t, 4> kEdges{Edges::min(), Edges::max(), -1, 1'000};
  constexpr std::array<double, 6> kFloats{-0.0, 0.0, 1.0, 0.5, -1.5, 1e308};
  if (choices_.chance(1, 2))
    return literals_[choices_.below(static_cast<std::uint32_t>(literals_.size()))];
  switch (choices_.below(9)) {
  case 0: return Nil{};
  case 1: return choices_.chance(1, 2);
  case 2: return Float{kFloats[choices_.below(kFloats.size())]};
  case 3: return names_.intern<Str>("a");
  case 4: return kEdges[choices_.below(kEdges.size())];
  case 5:
    if (!functions_.empty())
      return functions_[choices_.below(static_cast<std::uint32_t>(functions_.size()))];
    [[fallthrough]];
  default: return std::int64_t{choices_.below(7)} - 2;
  }
}

SimpleExpr CallDrivers::array(Version& main, std::vector<Var>& arrays, const Seen* like) {
  const auto count = static_cast<std::uint32_t>(arrays.size());
  if (count > 0 && choices_.chance(1, 2)) return arrays[choices_.below(count)];
  ArrayDef def{names_.intern<Var>(fmt::format("a{}", count)), {}};
  if (like != nullptr && like->elements)
    for (const SimpleExpr& e : *like->elements) def.elements.push_back(e);
  else
    for (std::uint32_t k = choices_.below(5); k > 0; --k)
      def.elements.push_back(count > 0 && choices_.chance(1, 4)
                                 ? SimpleExpr(arrays[choices_.below(count)])
                                 : literal());
  arrays.push_back(def.name);
  main.body.push_back({{}, std::move(def)});
  return arrays.back();
}

SimpleExpr CallDrivers::argument(Version& main, std::vector<Var>& arrays, const Seen* like) {
  if (like != nullptr && choices_.chance(3, 4))
    return like->elements ? array(main, arrays, like) : like->literal;
  return choices_.chance(1, 3) ? array(main, arrays, nullptr) : literal();
}

std::optional<FunName> CallDrivers::callee(const Function& f, Var parameter,
                                           std::uint64_t turn) const {
  for (const Version& v : f.versions)
    for (const Stmt& s : v.body) {
      const auto* const call = std::get_if<Call>(&s.instr);
      const auto* const operand = call ? std::get_if<SimpleExpr>(&call->callee) : nullptr;
      const auto* const called = operand ? std::get_if<Var>(operand) : nullptr;
      if (called == nullptr || *called != parameter) continue;
      const auto known = taking_.find(call->arguments.size());
      if (known != taking_.end()) return known->second[turn % known->second.size()];
    }
  return {};
}

std::vector<Stmt> CallDrivers::body(const Function& f, std::uint64_t number) {
  const std::size_t count = f.params.size();
  const std::uint64_t turn = number / 3;
  const auto& calls = calls_[f.name];
  const auto* const call =
      number % 3 == 2 && !calls.empty() ? &calls[turn % calls.size()] : nullptr;
  Version main;
  std::vector<Var> arrays;
  std::vector<Expr> arguments;
  for (std::size_t i = 0; i < count; ++i) {
    const bool next = number % 3 == 0 && i == turn % count && turn / count < interesting_.size();
    const auto function = number % 3 == 2 ? callee(f, f.params[i], turn) : std::nullopt;
    arguments.push_back(next       ? interesting_[turn / count]
                        : function ? SimpleExpr(*function)
                                   : argument(main, arrays, call ? &(*call)[i] : nullptr));
  }
  const Var result = names_.intern<Var>("result");
  const auto push = [&](Instruction instr) { main.body.push_back({{}, std::move(instr)}); };
  push(Call{result, SimpleExpr(f.name), std::move(arguments)});
  push(Print{SimpleExpr(result)});
  for (const Var a : arrays) push(Print{SimpleExpr(a)});
  push(Stop{});
  return std::move(main.body);
}

std::optional<Program> with_main(const Program& program, const std::vector<Stmt>& body,
                                 Names& names) {
  const FunName name = names.intern<FunName>("main");
  Program driver;
  for (const Function& f : program.functions) {
    driver.functions.push_back(f);
    if (f.name != name) continue;
    Function& main = driver.functions.back();
    main = Function{.name = name, .params = {}, .versions = {Version{}}};
    main.versions[0].name = names.intern<VerName>("base");
    main.versions[0].body = body;
  }
  Diagnostics problems;
  check_wellformed(driver, {}, names, problems);
  if (problems.has_errors()) return std::nullopt;
  return driver;
}

StateMap without_main(StateMap map, Names& names) {
  const FunName main = names.intern<FunName>("main");
  std::erase_if(map.versions, [&](const VersionMap& v) { return v.function == main; });
  return map;
}

void show_main(LockstepVerdict& verdict, const Program& driver, Names& names) {
  if (!verdict.counterexample) return;
  const FunName main = names.intern<FunName>("main");
  const auto at = std::ranges::find(driver.functions, main, &Function::name);
  verdict.counterexample->main = print(Program{{*at}}, names);
  verdict.report = text(*verdict.counterexample);
}

} // namespace sourir
