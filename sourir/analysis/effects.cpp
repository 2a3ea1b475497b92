#include "sourir/analysis/effects.h"

#include "sourir/analysis/array_origins.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/semantics/primop.h"
#include "sourir/syntax/exit_frames.h"

#include <algorithm>

namespace sourir {

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

// What a function does by itself, and what it does through the functions that it names.
class FunctionEffects {
public:
  FunctionEffects(const Program& program, const Function& function, const ExitTargets& targets)
      : program_(program), function_(function), targets_(targets), origins_(function) {
    own_.writes_parameter.resize(function.params.size());
    for (const Version& version : function.versions) visit(version);
    own_.diverges |= exits_in_a_circle();
  }

  // `effects_of(FunName)` is what is known about callees so far.
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
    own_.fails |= !evaluate(e, facts).kinds.within(kind);
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
    if (constant_callee(i) == nullptr) return; // everything: see ProgramEffects
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

  // The function goes on in the middle of another one, with values of its own.
  void join_entered(Effects& all, const Effects& callee) const {
    Effects entered = callee;
    entered.writes_any |= callee.stores;
    entered.writes_parameter.clear();
    all.join(entered);
  }

  void join_call(Effects& all, const Call& call, const Effects& callee) const {
    Effects done = callee;
    done.writes_parameter.clear();
    done.returns = false; // of this function, that is
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

  // Following exits, a version is come to again: takes away those that nothing leads to.
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
