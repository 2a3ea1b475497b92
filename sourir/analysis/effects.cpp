#include "sourir/analysis/effects.h"

#include "sourir/analysis/version_analyses.h"
#include "sourir/semantics/primop.h"
#include "sourir/syntax/ast.h"
#include "sourir/syntax/exits.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace sourir {
namespace {

// The origins of an array, as a set: new in this call, a parameter, anything else (the heap, a
// result).
class Origins {
public:
  static Origins none() { return {}; }
  static Origins fresh() { return Origins(1); }
  static Origins any() { return Origins(2); }
  // Parameters after the first 60 count as anything else.
  static Origins parameter(std::size_t n) {
    return n < 60 ? Origins(std::uint64_t{4} << n) : any();
  }

  bool has_fresh() const { return (bits_ & 1) != 0; }
  bool has_any() const { return (bits_ & 2) != 0; }
  bool has_parameter(std::size_t n) const { return n < 60 && (bits_ >> (n + 2) & 1) != 0; }
  bool only_fresh() const { return (bits_ & ~std::uint64_t{1}) == 0; }
  bool join(Origins other) {
    const std::uint64_t before = bits_;
    bits_ |= other.bits_;
    return bits_ != before;
  }
  friend bool operator==(Origins, Origins) = default;

private:
  Origins() = default;
  explicit Origins(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

// The origins of the arrays that the variables of a function hold: a flow-insensitive analysis of
// all of its versions, exits between them included.
class ArrayOrigins {
public:
  explicit ArrayOrigins(const Function& function);
  Origins of(Var x) const;

private:
  std::unordered_map<Var, Origins> of_;
};

// `to` has all origins of `from`.
struct Flow {
  Var from, to;
};

class Collection {
public:
  Collection(const Function& function, std::unordered_map<Var, Origins>& of)
      : function_(function), of_(of) {}

  std::vector<Flow> flows;

  void visit(const Instruction& instr) {
    match(
        instr,
        [&](const Decl& i) {
          if (i.value) assign(i.name, *i.value);
        },
        [](const Drop&) {}, [&](const Assign& i) { assign(i.name, i.value); },
        [&](const ArrayDecl& i) { add(i.name, Origins::fresh()); },
        [&](const ArrayDef& i) { add(i.name, Origins::fresh()); }, [](const ArrayUpdate&) {},
        [](const Branch&) {}, [](const Goto&) {}, [](const Print&) {}, [](const Read&) {},
        [](const Assert&) {}, [&](const Call& i) { add(i.result, Origins::any()); },
        [](const Return&) {}, [](const Stop&) {}, [&](const Assume& i) { exit(i.exit); },
        [&](const Anchor& i) { exit(i.exit); }, [](const GuardHint&) {});
  }
  void add(Var x, Origins origins) {
    of_.try_emplace(x, Origins::none()).first->second.join(origins);
  }

private:
  void assign(Var x, const Expr& e) {
    if (std::holds_alternative<Index>(e)) return add(x, Origins::any());
    const auto* const simple = std::get_if<SimpleExpr>(&e);
    const Var* const y = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
    if (y != nullptr) flows.push_back({*y, x});
  }

  // Names that a block makes count as variables of the function.
  void exit(const Metadata& exit) {
    for (const Deferred& d : exit.with)
      match(
          d.instr,
          [&](const Decl& i) {
            if (i.value) assign(i.name, *i.value);
          },
          [&](const ArrayDecl& i) { add(i.name, Origins::fresh()); },
          [&](const ArrayDef& i) { add(i.name, Origins::fresh()); }, [](const ArrayUpdate&) {});
    for (std::size_t n = 0; n < frame_count(exit); ++n) {
      const ExitFrame frame = frame_at(exit, n);
      if (frame.target->function != function_.name) continue;
      for (const Binding& b : *frame.varmap) assign(b.name, b.value);
      if (frame.result != nullptr) add(*frame.result, Origins::any());
    }
  }

  const Function& function_;
  std::unordered_map<Var, Origins>& of_;
};

ArrayOrigins::ArrayOrigins(const Function& function) {
  Collection collection(function, of_);
  for (std::size_t n = 0; n < function.params.size(); ++n)
    collection.add(function.params[n], Origins::parameter(n));
  for (const Version& version : function.versions)
    for (const Stmt& stmt : version.body) collection.visit(stmt.instr);
  std::unordered_map<Var, std::vector<Var>> to;
  std::vector<Var> work;
  for (const Flow& flow : collection.flows) to[flow.from].push_back(flow.to);
  for (const auto& [x, origins] : of_) work.push_back(x);
  while (!work.empty()) {
    const Var x = work.back();
    work.pop_back();
    const auto found = to.find(x);
    if (found == to.end()) continue;
    const Origins origins = of(x);
    for (const Var y : found->second)
      if (of_.try_emplace(y, Origins::none()).first->second.join(origins)) work.push_back(y);
  }
}

Origins ArrayOrigins::of(Var x) const {
  const auto found = of_.find(x);
  return found != of_.end() ? found->second : Origins::none();
}

} // namespace

bool Effects::writes() const {
  return writes_any || std::find(writes_parameter.begin(), writes_parameter.end(), true) !=
                           writes_parameter.end();
}

bool Effects::join(const Effects& other) {
  const Effects before = *this;
  reads |= other.reads, prints |= other.prints, stops |= other.stops, fails |= other.fails;
  diverges |= other.diverges, returns |= other.returns, allocates |= other.allocates;
  stores |= other.stores, writes_any |= other.writes_any;
  writes_parameter.resize(std::max(writes_parameter.size(), other.writes_parameter.size()));
  for (std::size_t n = 0; n < other.writes_parameter.size(); ++n)
    if (other.writes_parameter[n]) writes_parameter[n] = true;
  return *this != before;
}

namespace {

// The effects of a function itself, and those of the functions that it names.
class FunctionEffects {
public:
  FunctionEffects(const Program& program, const Function& function, const ExitTargets& targets)
      : program_(program), function_(function), targets_(targets), origins_(function) {
    own_.writes_parameter.resize(function.params.size());
    for (const Version& version : function.versions) visit(version);
    own_.diverges |= exits_in_a_circle();
  }

  // `effects_of(FunName)`: the effects of callees found so far.
  template <class Of>
  Effects with_callees(Of&& effects_of) const {
    Effects all = own_;
    for (const Call* const call : calls_)
      join_call(all, *call, effects_of(*constant_callee(*call)));
    for (const FunName f : entered_) join_entered(all, effects_of(f));
    return all;
  }

private:
  void visit(const Version& version) {
    VersionAnalyses facts(program_, function_, version, targets_);
    const Cfg& cfg = facts.cfg();
    Constants& constants = facts.constants_problem();
    for (const BlockId b : cfg.reverse_postorder()) {
      if (!facts.constants()[b.id]) continue;
      for (const BlockId to : cfg[b].successors)
        own_.diverges |= cfg.order_number(to) <= cfg.order_number(b);
      if (cfg[b].begin == version.body.size()) own_.stops = true; // the end of main
      Facts known = *facts.constants()[b.id];
      replay(cfg, constants, b, known, [&](Position at, const Facts& before) {
        visit(version, version.body[at].instr, before);
      });
    }
  }

  void need_total(const Expr& e, const Facts& facts) { own_.fails |= !is_total(e, facts); }
  void need_kind(const Expr& e, Kind kind, const Facts& facts) {
    need_total(e, facts);
    own_.fails |= !evaluate(e, facts).types.within(kind);
  }

  void visit(const Version& version, const Instruction& instr, const Facts& facts) {
    match(
        instr,
        [&](const Decl& i) {
          if (i.value) need_total(*i.value, facts);
        },
        [](const Drop&) {}, [&](const Assign& i) { need_total(i.value, facts); },
        [&](const ArrayDecl& i) {
          need_total(i.length, facts);
          own_.allocates = true;
          const Fact length = evaluate(i.length, facts);
          const auto* const n =
              length.equals ? std::get_if<std::int64_t>(&*length.equals) : nullptr;
          own_.fails |= n == nullptr || *n < 0 || *n > kMaxLength;
        },
        [&](const ArrayDef& i) {
          for (const Expr& e : i.elements) need_total(e, facts);
          own_.allocates = true;
        },
        [&](const ArrayUpdate& i) { store(i, facts); },
        [&](const Branch& i) { need_kind(i.condition, Kind::Bool, facts); }, [](const Goto&) {},
        [&](const Print& i) {
          need_total(i.value, facts);
          own_.prints = true;
        },
        [&](const Read&) { own_.reads = own_.fails = true; },
        [&](const Assert& i) {
          own_.fails |=
              evaluate(i.condition, facts).equals != Literal(true) || !is_total(i.condition, facts);
        },
        [&](const Call& i) { call(i, facts); },
        [&](const Return& i) {
          need_total(i.value, facts);
          own_.returns = true;
        },
        [&](const Stop& i) {
          if (i.value) need_total(*i.value, facts);
          own_.stops = true;
        },
        [&](const Assume& i) { exit(version, i.exit, facts); },
        [&](const Anchor& i) { exit(version, i.exit, facts); }, [](const GuardHint&) {});
  }

  void store(const ArrayUpdate& i, const Facts& facts) {
    need_total(i.index, facts);
    need_total(i.value, facts);
    const Fact index = evaluate(i.index, facts);
    const auto* const n = index.equals ? std::get_if<std::int64_t>(&*index.equals) : nullptr;
    own_.fails |= n == nullptr || !is_total(Index{i.array, *n}, facts);
    own_.stores = true;
    write(own_, origins_.of(i.array));
  }

  void write(Effects& effects, Origins origins) const {
    effects.writes_any |= origins.has_any();
    for (std::size_t n = 0; n < function_.params.size(); ++n)
      if (origins.has_parameter(n)) effects.writes_parameter[n] = true;
  }

  void call(const Call& i, const Facts& facts) {
    if (constant_callee(i) == nullptr) return; // all effects: see ProgramEffects
    for (const Expr& e : i.arguments) need_total(e, facts);
    calls_.push_back(&i);
  }

  void exit(const Version& version, const Metadata& exit, const Facts& facts) {
    own_.allocates |= !exit.with.empty();
    for (std::size_t n = 0; n < frame_count(exit); ++n) {
      const ExitFrame frame = frame_at(exit, n);
      for (const Binding& b : *frame.varmap) need_total(b.value, facts);
      if (frame.target->function != function_.name)
        entered_.push_back(frame.target->function);
      else
        exits_.push_back({version.name, frame.target->version});
    }
  }

  // An exit enters another function at some position, with any values in its parameters.
  void join_entered(Effects& all, const Effects& callee) const {
    Effects entered = callee;
    entered.writes_any |= callee.stores;
    entered.writes_parameter.clear();
    all.join(entered);
  }

  void join_call(Effects& all, const Call& call, const Effects& callee) const {
    Effects done = callee;
    done.writes_parameter.clear();
    done.returns = false; // from the callee, not from this function
    all.join(done);
    for (std::size_t n = 0; n < callee.writes_parameter.size(); ++n)
      if (callee.writes_parameter[n]) write_argument(all, call.arguments[n]);
  }

  void write_argument(Effects& all, const Expr& argument) const {
    const auto* const simple = std::get_if<SimpleExpr>(&argument);
    const Var* const x = simple != nullptr ? std::get_if<Var>(simple) : nullptr;
    if (x != nullptr)
      write(all, origins_.of(*x));
    else
      all.writes_any |= std::holds_alternative<Index>(argument);
  }

  // Whether the exits between versions form a cycle: removes versions without incoming exits until
  // none remains, or only cycles and their targets do.
  bool exits_in_a_circle() const {
    std::unordered_map<VerName, std::size_t> incoming;
    std::unordered_map<VerName, std::vector<VerName>> to;
    for (const auto& [from, target] : exits_) {
      ++incoming[target];
      to[from].push_back(target);
    }
    std::vector<VerName> work;
    for (const Version& v : function_.versions)
      if (!incoming.contains(v.name)) work.push_back(v.name);
    std::size_t gone = 0;
    while (!work.empty()) {
      const VerName v = work.back();
      work.pop_back();
      ++gone;
      for (const VerName target : to[v])
        if (--incoming[target] == 0) work.push_back(target);
    }
    return gone < function_.versions.size();
  }

  const Program& program_;
  const Function& function_;
  const ExitTargets& targets_;
  ArrayOrigins origins_;
  Effects own_;
  std::vector<const Call*> calls_;
  std::vector<FunName> entered_;
  std::vector<std::pair<VerName, VerName>> exits_;
};

Effects everything(std::size_t parameters) {
  Effects all;
  all.reads = all.prints = all.stops = all.fails = all.diverges = all.returns = true;
  all.allocates = all.stores = all.writes_any = true;
  all.writes_parameter.assign(parameters, true);
  return all;
}

} // namespace

ProgramEffects::ProgramEffects(const Program& program)
    : graph_(program), effects_(graph_.size()), everything_(everything(0)) {
  const ExitTargets targets(program);
  std::vector<FunctionEffects> functions;
  functions.reserve(program.functions.size());
  for (const Function& f : program.functions) functions.emplace_back(program, f, targets);
  const auto effects_of = [&](FunName f) -> const Effects& { return effects_[graph_.index(f)]; };
  for (const auto& component : graph_.components())
    for (bool changed = true; changed;) {
      changed = false;
      for (const CallGraph::Index f : component) {
        if (graph_.calls_unknown(f)) {
          changed |= effects_[f].join(everything(program.functions[f].params.size()));
          continue;
        }
        changed |= effects_[f].join(functions[f].with_callees(effects_of));
        if (graph_.recursive(f)) effects_[f].diverges = true;
      }
    }
}

const Effects& ProgramEffects::of(const Call& call) const {
  const FunName* const name = constant_callee(call);
  return name != nullptr ? of(*name) : everything_;
}

} // namespace sourir
