#include "sourir/syntax/successors.h"

namespace sourir {
namespace {

constexpr Successors kNext{.next = true};

} // namespace

Successors successors(const Instruction& instruction) {
  return match(
      instruction, [](const Decl&) { return kNext; }, [](const Drop&) { return kNext; },
      [](const Assign&) { return kNext; }, [](const ArrayDecl&) { return kNext; },
      [](const ArrayDef&) { return kNext; }, [](const ArrayUpdate&) { return kNext; },
      [](const Branch& i) { return Successors{false, &i.if_true, &i.if_false}; },
      [](const Goto& i) { return Successors{false, &i.target}; },
      [](const Print&) { return kNext; }, [](const Read&) { return kNext; },
      [](const Assert&) { return kNext; }, [](const Call&) { return kNext; },
      [](const Return&) { return Successors{}; }, [](const Stop&) { return Successors{}; },
      [](const Assume&) { return kNext; }, [](const Anchor&) { return kNext; },
      [](const GuardHint&) { return kNext; });
}

ScopeEffect scope_effect(const Instruction& instruction) {
  return match(
      instruction, [](const Decl& i) { return ScopeEffect{.declares = &i.name}; },
      [](const Drop& i) { return ScopeEffect{.drops = &i.name}; },
      [](const Assign&) { return ScopeEffect{}; },
      [](const ArrayDecl& i) { return ScopeEffect{.declares = &i.name}; },
      [](const ArrayDef& i) { return ScopeEffect{.declares = &i.name}; },
      [](const ArrayUpdate&) { return ScopeEffect{}; }, [](const Branch&) { return ScopeEffect{}; },
      [](const Goto&) { return ScopeEffect{}; }, [](const Print&) { return ScopeEffect{}; },
      [](const Read&) { return ScopeEffect{}; }, [](const Assert&) { return ScopeEffect{}; },
      [](const Call& i) { return ScopeEffect{.declares = &i.result}; },
      [](const Return&) { return ScopeEffect{}; }, [](const Stop&) { return ScopeEffect{}; },
      [](const Assume&) { return ScopeEffect{}; }, [](const Anchor&) { return ScopeEffect{}; },
      [](const GuardHint&) { return ScopeEffect{}; });
}

} // namespace sourir
