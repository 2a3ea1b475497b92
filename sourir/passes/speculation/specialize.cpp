#include "sourir/passes/speculation/specialize.h"

#include "sourir/analysis/call_graph.h"
#include "sourir/analysis/dispatch_table.h"
#include "sourir/analysis/facts_at.h"
#include "sourir/analysis/static_context.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_copy.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

namespace sourir {
namespace {

// What is worth a version: a type, that of elements too, and values that decide branches and calls.
Context worth_a_version(const Context& all, const Function& function) {
  Context some;
  const std::size_t n = std::min(function.params.size(), Context::kParameters);
  for (std::size_t i = 0; i < n; ++i) {
    const Literal* const value = all.constant(i);
    if (value != nullptr &&
        (std::holds_alternative<bool>(*value) || std::holds_alternative<FunName>(*value)))
      some.add_equal(i, *value);
    for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
      if (all.elements(i).has(type)) some.add_elements(i, type);
    if (all.types(i).only()) some.add_types(i, all.types(i));
  }
  return some;
}

class Specializer {
public:
  explicit Specializer(const PassInput& input) : input_(input), targets_(input.program) {
    const auto& functions = input.program.functions;
    for (std::size_t f = 0; f < functions.size(); ++f) {
      tables_.push_back({f, dispatch_table(functions[f])});
      indices_.emplace(functions[f].name, f);
    }
  }

  std::optional<PassResult> run() {
    if (input_.options.has("context")) {
      for (Table& table : tables_) ask_options(table);
    } else {
      for (Table& table : tables_) ask_feedback(table);
      for (const Function& f : input_.program.functions)
        for (const Version& v : f.versions) ask_calls(input_.program, targets_, f, v);
      ask_added();
    }
    if (added_.empty()) {
      if (input_.remarks != nullptr) *input_.remarks = std::move(remarks_);
      return std::nullopt;
    }
    return result();
  }

private:
  // A function, and what its calls may enter.
  struct Table {
    std::size_t function; // its index
    std::vector<DispatchRow> rows;
    std::vector<Context> added = {};
    std::vector<VerName> names = {}; // of the added versions
    bool full = false;               // reported
  };
  struct Added {
    const Table* table;
    const Version* source;
    Context context;
    Version version;
  };
  struct Source {
    Source(const PassInput& input, const Function& function, const Version& version,
           const ExitTargets& targets)
        : analyses(input.program, function, version, targets), labels(version, input.names) {}
    VersionAnalyses analyses;
    TargetLabels labels;
  };

  const Function& function(const Table& table) const {
    return input_.program.functions[table.function];
  }

  // --- contexts

  void ask_options(Table& table) {
    const Function& f = function(table);
    if (!selected(input_, f.name)) return;
    const std::vector<Expr> guards = context_guards(input_);
    if (const auto x = no_parameter(guards, f))
      return remark(f, fmt::format("it has no parameter {}", input_.names.text(*x)));
    const Context context = Context::of(f.params, guards);
    if (context.is_never()) return remark(f, "the context never holds");
    if (const DispatchRow* const row = same(table, context))
      return remark(f, fmt::format("version {} has this context already",
                                   input_.names.text(row->version->name)));
    add(table, context);
  }

  // What always held where the active version begins.
  void ask_feedback(Table& table) {
    const Function& f = function(table);
    const Version* const active = active_version(f);
    if (active == nullptr) return;
    std::vector<Expr> guards;
    for (const Feedback::Predicate& held : input_.feedback.predicates) {
      if (held.at.function != f.name || held.at.version != active->name || held.at.offset != 0)
        continue;
      const bool entry =
          !held.at.label ||
          (!active->body.empty() && contains(active->body[0].leading.labels, *held.at.label));
      if (entry && !no_parameter({&held.predicate, 1}, f)) guards.push_back(held.predicate);
    }
    ask(table, Context::of(f.params, guards));
  }

  // Calls in the new versions, where more may be known; then those in the versions that they were
  // copied from, where less is known from now on: exits target them. So nothing is left to add.
  void ask_added() {
    std::size_t asked = 0;
    const auto ask_copies = [&] {
      for (; asked < added_.size(); ++asked)
        ask_calls(input_.program, targets_, function(*added_[asked].table), added_[asked].version);
    };
    for (std::size_t before = 0; before < added_.size();) {
      before = added_.size();
      ask_copies();
      if (std::ranges::none_of(added_, [](const Added& one) { return has_exits(one.version); }))
        return;
      const Program now = program();
      const ExitTargets targets(now);
      for (const auto& [key, source] : sources_) {
        const Function& f = now.functions[key.first];
        ask_calls(now, targets, f, *find_version(f, source.analyses.version().name));
      }
    }
  }

  void ask_calls(const Program& program, const ExitTargets& targets, const Function& caller,
                 const Version& version) {
    VersionAnalyses analyses(program, caller, version, targets);
    FactsAt facts(analyses);
    for (Position at = 0; at < version.body.size(); ++at) {
      const auto* const call = std::get_if<Call>(&version.body[at].instr);
      const FunName* const name = call != nullptr ? constant_callee(*call) : nullptr;
      if (name == nullptr) continue;
      Table& table = tables_[indices_.at(*name)];
      const Function& callee = function(table);
      if (callee.params.empty() || table.full || !selected(input_, callee.name)) continue;
      if (const Facts* const before = facts.before(at))
        ask(table, StaticContext(*call, callee, *before).context());
    }
  }

  void ask(Table& table, const Context& all) {
    const Function& f = function(table);
    const Context context = worth_a_version(all, f);
    if (!selected(input_, f.name) || context == Context() || context.is_never()) return;
    if (same(table, context) == nullptr && !contains(table.added, context)) add(table, context);
  }

  static const DispatchRow* same(const Table& table, const Context& context) {
    const auto row = std::ranges::find(table.rows, context, &DispatchRow::context);
    return row != table.rows.end() ? &*row : nullptr;
  }

  // --- versions

  void add(Table& table, const Context& context) {
    const Function& f = function(table);
    if (table.rows.size() + table.added.size() >= kMostVersions) {
      table.full = true;
      return remark(f, fmt::format("it has {} versions", kMostVersions));
    }
    const auto row = std::ranges::find_if(
        table.rows, [&](const DispatchRow& r) { return entails(context, r.context); });
    const auto when = context.guards(f.params);
    if (row == table.rows.end() || !when) return;
    Source& source = source_of(table, *row->version);
    Version version =
        copy_of(f.name, *row->version, fresh_name(table), source.analyses.scopes(), source.labels);
    version.when = *when;
    table.added.push_back(context);
    table.names.push_back(version.name);
    added_.push_back({&table, row->version, context, std::move(version)});
  }

  Source& source_of(const Table& table, const Version& version) {
    const Function& f = function(table);
    const auto v = static_cast<std::size_t>(&version - f.versions.data());
    return sources_.try_emplace({table.function, v}, input_, f, version, targets_).first->second;
  }

  VerName fresh_name(const Table& table) {
    FreshNames fresh(input_.names);
    for (const Version& v : function(table).versions) fresh.use(v.name);
    for (const VerName name : table.names) fresh.use(name);
    return fresh.fresh<VerName>("special");
  }

  Program program() const {
    Program program = input_.program;
    std::vector<const Added*> added;
    for (const Added& one : added_) added.push_back(&one);
    std::ranges::stable_sort(
        added, [](const Added* a, const Added* b) { return comes_before(a->context, b->context); });
    for (const Added* one : added) {
      Function& f = program.functions[one->table->function];
      const auto source = std::ranges::find(f.versions, one->source->name, &Version::name);
      f.versions.insert(source, one->version);
      f.implicit = false;
    }
    for (const auto& [key, source] : sources_) {
      Function& f = program.functions[key.first];
      const VerName name = source.analyses.version().name;
      source.labels.add_to(*std::ranges::find(f.versions, name, &Version::name));
    }
    return program;
  }

  PassResult result() {
    PassResult result{program(), {}, added_.size(), std::move(remarks_)};
    for (const Added& one : added_)
      result.origins.push_back(
          origin_of_copy(function(*one.table).name, one.version.name, *one.source));
    return result;
  }

  void remark(const Function& f, std::string_view why) {
    remarks_.push_back(fmt::format("{}: not specialized: {}", input_.names.text(f.name), why));
  }

  const PassInput& input_;
  ExitTargets targets_;
  std::vector<Table> tables_; // by function
  std::unordered_map<FunName, std::size_t> indices_;
  std::deque<Added> added_;
  std::map<std::pair<std::size_t, std::size_t>, Source> sources_; // by function and version
  std::vector<std::string> remarks_;
};

} // namespace

std::optional<PassResult> specialize(const PassInput& input) { return Specializer(input).run(); }

} // namespace sourir
