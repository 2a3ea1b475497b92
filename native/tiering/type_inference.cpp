#include "native/tiering/type_inference.h"

#include "sourir/syntax/match.h"

namespace sourir::native {

namespace {

class Inference {
public:
  Inference(const ResolvedVersion& code, std::span<const TypeSet> parameters,
            std::vector<SiteFeedback>& sites)
      : code_(code), parameters_(parameters), sites_(sites) {}

  // Terminates: the sets only become smaller.
  void run() {
    if (sites_.size() < code_.instrs.size()) return;
    do {
      collect();
    } while (narrow());
  }

private:
  // By variable, flow-insensitive: the types of all values bound to it.
  void collect() {
    types_.assign(code_.slots.size(), {});
    for (Slot p = 0; p < code_.parameters; ++p)
      types_[p] = p < parameters_.size() && !parameters_[p].empty() ? parameters_[p] : kAnyType;
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
      match(
          code_.instrs[pc],
          [&](const resolved::Decl& i) { bound(i.x, i.e ? recorded(pc) : type_set(Tag::Nil)); },
          [&](const resolved::Assign& i) { bound(i.x, recorded(pc)); },
          [&](const resolved::Read& i) { bound(i.x, recorded(pc)); },
          [&](const resolved::Call& i) { bound(i.x, recorded(pc)); },
          [&](const resolved::ArrayDecl& i) { bound(i.x, type_set(Tag::Array)); },
          [&](const resolved::ArrayDef& i) { bound(i.x, type_set(Tag::Array)); },
          [](const auto&) {});
  }

  TypeSet recorded(Pc pc) const { return sites_[pc].result; }
  void bound(Slot x, TypeSet types) { types_[x] |= types; }

  TypeSet of(const resolved::Operand& o) const {
    return o.slot == resolved::kLiteral ? type_set(o.literal.tag()) : types_[o.slot];
  }

  // The possible types of e for such operands.
  TypeSet of(const resolved::Expr& e) const {
    const TypeSet a = of(e.a);
    if (e.shape == resolved::Shape::Simple) return a;
    if (e.shape == resolved::Shape::Unary) return result_types(static_cast<UnaryOp>(e.op), a);
    const auto op = static_cast<BinaryOp>(e.op);
    if (e.shape != resolved::Shape::Binary || !is_arithmetic(op)) return kAnyType;
    return result_types(op, a, of(e.b));
  }

  bool narrow() {
    bool changed = false;
    const auto computed = [&](Pc pc, const resolved::Expr& e) {
      const auto element = full_of(sites_[pc].storages);
      const bool load = e.shape == resolved::Shape::Index && element;
      const TypeSet refined = sites_[pc].result & (load ? type_set(*element) : of(e));
      if (refined.empty() || refined == sites_[pc].result)
        return; // empty: not reached, or recorded and inferred types contradict
      sites_[pc].result = refined;
      changed = true;
    };
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc) {
      if (const auto* decl = std::get_if<resolved::Decl>(&code_.instrs[pc]);
          decl != nullptr && decl->e)
        computed(pc, *decl->e);
      if (const auto* assign = std::get_if<resolved::Assign>(&code_.instrs[pc]))
        computed(pc, assign->e);
    }
    return changed;
  }

  const ResolvedVersion& code_;
  std::span<const TypeSet> parameters_;
  std::vector<SiteFeedback>& sites_;
  std::vector<TypeSet> types_;
};

} // namespace

void infer_types(const ResolvedVersion& code, std::span<const TypeSet> parameters,
                 std::vector<SiteFeedback>& sites) {
  Inference(code, parameters, sites).run();
}

} // namespace sourir::native
