#include "sourir/semantics/rules.h"

#include <algorithm>
#include <array>

namespace sourir {

namespace {

template <class Instr>
constexpr std::size_t instruction_kind() {
  return index_in<Instr, resolved::Instr>();
}

constexpr RuleRow kRules[] = {
    {"Decl", instruction_kind<resolved::Decl>(), rules::Decl,
     "var x = e binds x to the value of e"},
    {"Drop", instruction_kind<resolved::Drop>(), rules::Drop,
     "drop x removes x from the environment"},
    {"Assign", instruction_kind<resolved::Assign>(), rules::Assign,
     "x <- e changes x to the value of e"},
    {"ArrayDecl", instruction_kind<resolved::ArrayDecl>(), rules::ArrayDecl,
     "array x[e] binds x to a fresh array of e times nil"},
    {"ArrayDef", instruction_kind<resolved::ArrayDef>(), rules::ArrayDef,
     "array x = [..] binds x to a fresh array of these elements"},
    {"ArrayUpdate", instruction_kind<resolved::ArrayUpdate>(), rules::ArrayUpdate,
     "x[i] <- e changes one element of the array that x names"},
    {"BranchTrue", instruction_kind<resolved::Branch>(), rules::BranchTrue,
     "branch e L1 L2 goes to L1 when e is true"},
    {"BranchFalse", instruction_kind<resolved::Branch>(), rules::BranchFalse,
     "branch e L1 L2 goes to L2 when e is false"},
    {"Goto", instruction_kind<resolved::Goto>(), rules::Goto, "goto L goes to L"},
    {"Print", instruction_kind<resolved::Print>(), rules::Print, "print e shows the value of e"},
    {"Read", instruction_kind<resolved::Read>(), rules::Read,
     "read x takes the next literal of the input"},
    {"AssertPass", instruction_kind<resolved::Assert>(), rules::AssertPass,
     "assert e goes on when e is true"},
    {"Call", instruction_kind<resolved::Call>(), rules::Call,
     "call x = e(..) pushes a continuation and enters the active version"},
    {"Return", instruction_kind<resolved::Return>(), rules::Return,
     "return e pops a continuation and binds its x to the value of e"},
    {"ReturnStop", instruction_kind<resolved::Return>(), rules::ReturnStop,
     "return e without a continuation stops with the value of e"},
    {"Stop", instruction_kind<resolved::Stop>(), rules::Stop, "stop e ends the program"},
    {"AssumePass", instruction_kind<resolved::Assume>(), rules::AssumePass,
     "assume goes on when all guards hold"},
    {"AssumeDeopt", instruction_kind<resolved::Assume>(), rules::AssumeDeopt,
     "assume deoptimizes when a guard does not hold"},
    {"AssumeLeave", instruction_kind<resolved::Assume>(), rules::AssumeLeave,
     "assume deoptimizes although its guards hold, because the schedule says so"},
    {"AnchorPass", instruction_kind<resolved::Anchor>(), rules::AnchorPass, "anchor goes on"},
    {"AnchorDeopt", instruction_kind<resolved::Anchor>(), rules::AnchorDeopt,
     "anchor deoptimizes because the schedule says so"},
    {"Hint", instruction_kind<resolved::GuardHint>(), rules::Hint, "guard_hint has no effect"},
};

struct Range {
  std::size_t first = 0, count = 0;
};

constexpr auto kRanges = [] {
  std::array<Range, std::variant_size_v<resolved::Instr>> ranges{};
  for (std::size_t r = 0; r < std::size(kRules); ++r) {
    Range& range = ranges[kRules[r].instruction];
    if (range.count++ == 0) range.first = r;
  }
  return ranges;
}();
static_assert(std::ranges::all_of(kRanges, [](Range r) { return r.count >= 1 && r.count <= 3; }));

} // namespace

std::span<const RuleRow> all_rules() { return kRules; }

std::span<const RuleRow> rules_for(std::size_t instruction) {
  return {kRules + kRanges[instruction].first, kRanges[instruction].count};
}

std::size_t index_of(const RuleRow& row) { return static_cast<std::size_t>(&row - kRules); }

} // namespace sourir
