#include "sourir/cli/engine/why_history.h"

#include "native/deopt/exit_details.h"
#include "native/runtime/code_cache.h"
#include "sourir/cli/engine/tier_log.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {

using native::OsrEntry;
using native::TierCounts;
using native::TierEvent;

namespace {

// The positions that back edges lead to, in order.
std::vector<Pc> loop_heads(const ResolvedVersion& code) {
  std::vector<Pc> heads;
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    const auto add = [&](Pc target) {
      if (target <= pc) heads.push_back(target);
    };
    if (const auto* const jump = std::get_if<resolved::Goto>(&code.instrs[pc])) add(jump->target);
    if (const auto* const branch = std::get_if<resolved::Branch>(&code.instrs[pc]))
      add(branch->if_true), add(branch->if_false);
  }
  std::ranges::sort(heads);
  const auto repeated = std::ranges::unique(heads);
  heads.erase(repeated.begin(), repeated.end());
  return heads;
}

// What exits have in common that are one item. Code is freed at invalidations only, which end
// items.
std::vector<std::size_t> key_of(const TierEvent& e) {
  const auto* const details = e.details;
  const std::size_t reason = details == nullptr ? 0
                             : details->forced  ? 1
                             : !details->guard  ? 2
                                                : 3 + *details->guard;
  return {
      reinterpret_cast<std::size_t>(e.code), e.pc,
      reinterpret_cast<std::size_t>(e.exit), reason,
      e.interpreted ? std::size_t{1} : 0,    e.exit == nullptr && e.native ? std::size_t{1} : 0};
}

void add_values(WhyItem& item, nlohmann::ordered_json read) {
  const auto known = std::ranges::find(item.values, read, &WhyItem::Values::read);
  if (known != item.values.end())
    ++known->times;
  else if (item.values.size() < WhyItem::kMostValues)
    item.values.push_back({std::move(read), 1});
  else
    ++item.others;
}

} // namespace

WhyHistory::WhyHistory(const std::vector<std::string>& wanted, const LinkedProgram& program,
                       const Names& names)
    : program_(program), names_(names) {
  for (const std::string& name : wanted) {
    if (std::ranges::find(answers_, name, &WhyAnswer::wanted) != answers_.end()) continue;
    Wanted& one = wanted_.emplace_back();
    WhyAnswer& answer = answers_.emplace_back();
    answer.wanted = name;
    for (const Function& f : program.source().functions) {
      if (names.text(f.name) == name) one.function = program.function(f.name);
      for (const Version& v : f.versions)
        if (const auto* const code = program.version(f.name, v.name);
            version_name(*code, names) == name) {
          one.function = program.function(f.name);
          one.version = v.name;
        }
    }
    add_units(one, answer);
  }
}

void WhyHistory::add_units(Wanted& wanted, WhyAnswer& answer) const {
  if (std::ranges::any_of(wanted.function->dispatch,
                          [&](const ResolvedVersion* code) { return is_of(wanted, *code); })) {
    wanted.calls = answer.units.size();
    answer.units.emplace_back();
  }
  for (const ResolvedVersion* code : wanted.function->versions)
    if (is_of(wanted, *code))
      for (const Pc head : loop_heads(*code)) {
        wanted.units[{code->function, code->version, head}] = answer.units.size();
        WhyUnit& unit = answer.units.emplace_back();
        unit.by = WhyUnit::Entered::Loop;
        unit.place = print(code->place(head), names_);
      }
}

FunName WhyHistory::source_function(FunName name) const {
  const auto outlined = outlined_.find(name);
  return outlined == outlined_.end() ? name : outlined->second;
}

// Versions that the tiers made belong to their function, whatever version is wanted.
bool WhyHistory::is_of(const Wanted& wanted, const ResolvedVersion& version) const {
  if (source_function(version.function) != wanted.function->name) return false;
  return !wanted.version || version.version == *wanted.version ||
         program_.version(version.function, version.version) != &version;
}

// Null: it is not of this function.
WhyUnit* WhyHistory::unit_of(Wanted& wanted, WhyAnswer& answer, const ResolvedVersion& code,
                             const OsrEntry* entry) const {
  if (!is_of(wanted, entry != nullptr ? *entry->version : code)) return nullptr;
  if (entry == nullptr)
    return wanted.calls && code.function == wanted.function->name ? &answer.units[*wanted.calls]
                                                                  : nullptr;
  const ResolvedVersion& version = *entry->version;
  const auto [at, added] =
      wanted.units.try_emplace({version.function, version.version, entry->pc}, answer.units.size());
  if (added) {
    WhyUnit& unit = answer.units.emplace_back();
    unit.by = WhyUnit::Entered::Exits;
    unit.place = print(version.place(entry->pc), names_);
  }
  return &answer.units[at->second];
}

bool WhyHistory::leads_to(const Wanted& wanted, const resolved::Exit& exit) const {
  return is_of(wanted, *exit.frame.code) ||
         std::ranges::any_of(exit.outer, [&](const resolved::OuterFrame& outer) {
           return is_of(wanted, *outer.frame.code);
         });
}

void WhyHistory::add_item(std::vector<WhyItem>& items, const TierEvent& e) const {
  const bool exits = e.kind == TierEvent::Kind::Deoptimized;
  std::vector<std::size_t> key = exits ? key_of(e) : std::vector<std::size_t>();
  WhyItem* same = nullptr;
  for (auto item = items.rbegin(); exits && item != items.rend() && !item->key.empty(); ++item)
    if (item->key == key) same = &*item;
  if (same == nullptr) {
    same = &items.emplace_back();
    same->record = tier_record(e, names_);
    same->key = std::move(key);
  } else {
    ++same->times;
  }
  if (exits && e.exit != nullptr && e.native) ++same->to_native;
  if (exits && e.details != nullptr && e.details->guard) add_values(*same, read_values(e, names_));
}

void WhyHistory::add_inlining(const Wanted& wanted, WhyAnswer& answer, const TierEvent& e) const {
  const bool inlined = std::ranges::any_of(e.code->instrs, [&](const resolved::Instr& instr) {
    const resolved::Exit* const exit = exit_of(instr);
    return exit != nullptr && leads_to(wanted, *exit);
  });
  const std::string name = version_name(*e.code, names_);
  if (inlined && std::ranges::find(answer.inlined_in, name) == answer.inlined_in.end())
    answer.inlined_in.push_back(name);
}

void WhyHistory::add(const TierEvent& e) {
  if (ended_) return;
  if (e.added != nullptr && e.entry != nullptr)
    outlined_.insert_or_assign(e.code->function, source_function(e.entry->version->function));
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (WhyUnit* const unit = unit_of(wanted_[i], answers_[i], *e.code, e.entry))
      add_item(unit->items, e);
    else if (e.kind == TierEvent::Kind::Deoptimized && e.exit != nullptr &&
             leads_to(wanted_[i], *e.exit))
      add_item(answers_[i].elsewhere, e);
    else if (e.added != nullptr)
      add_inlining(wanted_[i], answers_[i], e);
  }
}

void WhyHistory::end(std::span<const TierCounts> counts) {
  ended_ = true;
  std::vector<const TierCounts*> sorted;
  for (const TierCounts& one : counts) sorted.push_back(&one);
  std::ranges::sort(sorted, {}, [](const TierCounts* one) {
    const bool calls = one->entry == nullptr;
    return std::tuple(!calls, one->version->function, one->version->version,
                      calls ? 0 : one->entry->pc);
  });
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    answers_[i].complete = true;
    for (const TierCounts* one : sorted) {
      const bool other =
          one->entry == nullptr && one->version->function != wanted_[i].function->name;
      WhyUnit* const unit = other ? nullptr
                            : one->entry == nullptr && wanted_[i].calls
                                ? &answers_[i].units[*wanted_[i].calls]
                                : unit_of(wanted_[i], answers_[i], *one->version, one->entry);
      if (unit == nullptr) continue;
      for (const ResolvedVersion* version : one->installed)
        unit->runs.push_back(version_name(*version, names_));
      unit->counts = *one;
      unit->counts.version = nullptr;
      unit->counts.entry = nullptr;
      unit->counts.installed.clear();
    }
  }
}

} // namespace sourir
