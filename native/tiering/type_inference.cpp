#include "native/tiering/type_inference.h"

#include "sourir/syntax/match.h"
#include "sourir/syntax/operator_types.h"

namespace sourir::native {

namespace {

class Inference {
public:
  Inference(const ResolvedVersion& code, std::span<const TypeSet> parameters,
            std::vector<SiteFeedback>& sites)
      : code_(code), parameters_(parameters), sites_(sites) {}

  // Sets only become smaller, so it ends.
  void run() {
    if (sites_.size() < code_.instrs.size()) return;
    do {
      collect();
    } while (narrow());
  }

private:
  // By variable, whatever the position: the kinds of all that is ever bound to it.
  void collect() {
    kinds_.assign(code_.slots.size(), {});
    for (Slot p = 0; p < code_.parameters; ++p)
      kinds_[p] = p < parameters_.size() && !parameters_[p].empty() ? parameters_[p] : kAnyType;
    for (Pc pc = 0; pc < code_.instrs.size(); ++pc)
      match(
          code_.instrs[pc],
          [&](const resolved::Decl& i) { bound(i.x, i.e ? seen(pc) : type_set(Tag::Nil)); },
          [&](const resolved::Assign& i) { bound(i.x, seen(pc)); },
          [&](const resolved::Read& i) { bound(i.x, seen(pc)); },
          [&](const resolved::Call& i) { bound(i.x, seen(pc)); },
          [&](const resolved::ArrayDecl& i) { bound(i.x, type_set(Tag::Array)); },
          [&](const resolved::ArrayDef& i) { bound(i.x, type_set(Tag::Array)); },
          [](const auto&) {});
  }

  TypeSet seen(Pc pc) const { return sites_[pc].result; }
  void bound(Slot x, TypeSet kinds) { kinds_[x] |= kinds; }

  TypeSet of(const resolved::Operand& o) const {
    return o.slot == resolved::kLiteral ? type_set(o.literal.tag()) : kinds_[o.slot];
  }

  // What e may be of such operands; everything where that says nothing.
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
      const TypeSet left = sites_[pc].result & of(e);
      if (left.empty() || left == sites_[pc].result) return; // it was not reached, or that is news
      sites_[pc].result = left;
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
  std::vector<TypeSet> kinds_;
};

} // namespace

void infer_types(const ResolvedVersion& code, std::span<const TypeSet> parameters,
                 std::vector<SiteFeedback>& sites) {
  Inference(code, parameters, sites).run();
}

} // namespace sourir::native
