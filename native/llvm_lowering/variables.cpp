#include "native/llvm_lowering/variables.h"

#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

Variables::Variables(Emitter& emitter) : e_(emitter), types_(emitter.request) {}

void Variables::allocate() {
  const std::size_t count = e_.code.slots.size();
  bits_.clear();
  tags_.clear();
  if (e_.module.options.level == 0 && count != 0)
    memory_ = e_.ir.CreateAlloca(e_.i64, e_.number(count * 2), "slots");
  for (Slot s = 0; s < count; ++s) {
    const std::string name(e_.module.host.names->text(e_.code.slots[s]));
    const auto slot = [&](std::size_t word, const std::string& part) -> llvm::Value* {
      return memory_ != nullptr ? e_.ir.CreateConstGEP1_64(e_.i64, memory_, s * 2 + word)
                                : e_.ir.CreateAlloca(e_.i64, nullptr, part);
    };
    bits_.push_back(slot(0, name));
    tags_.push_back(slot(1, name + ".tag"));
  }
}

void Variables::fill_from_arguments() {
  for (Slot s = 0; s < e_.code.slots.size(); ++s) {
    const bool parameter = s < e_.code.parameters;
    if (!parameter && memory_ == nullptr) continue; // unbound by its types
    const llvm::Function* f = e_.function();
    e_.ir.CreateStore(parameter ? f->getArg(s * 2 + 1) : e_.number(0), bits_[s]);
    e_.ir.CreateStore(parameter ? f->getArg(s * 2 + 2) : e_.tag(Tag::Unbound), tags_[s]);
  }
}

void Variables::fill_from_buffer() {
  const std::size_t count = memory_ != nullptr ? e_.code.slots.size() : entered_slots(e_.request);
  for (Slot s = 0; s < count; ++s) {
    llvm::Value* p = e_.ir.CreateConstGEP1_64(e_.i64, e_.function()->getArg(1), s * 2);
    e_.ir.CreateStore(e_.load(e_.i64, p, Memory::Slots), bits_[s]);
    llvm::Value* tag = e_.load(e_.i8, e_.offset(p, 8), Memory::Slots);
    e_.ir.CreateStore(e_.ir.CreateZExt(tag, e_.i64), tags_[s]);
  }
}

llvm::Value* Variables::depth() const { return e_.function()->getArg(0); }

TypedValue Variables::operand(const resolved::Operand& e) {
  if (e.slot == resolved::kLiteral) return e_.constant(e.literal);
  const TypeSet types = types_.before(e_.pc())[e.slot];
  TypedValue v{e_.ir.CreateLoad(e_.i64, bits_[e.slot]), nullptr, types};
  const std::optional<Tag> tag = single(types);
  v.tag = tag ? e_.tag(*tag) : load_tag(e.slot);
  return v;
}

void Variables::bind(Slot x, const TypedValue& value) {
  e_.ir.CreateStore(value.bits, bits_[x]);
  e_.ir.CreateStore(value.tag, tags_[x]);
}

llvm::Value* Variables::load_tag(Slot x) { return e_.ir.CreateLoad(e_.i64, tags_[x]); }

void Variables::set_tag(Slot x, Tag tag) { e_.ir.CreateStore(e_.tag(tag), tags_[x]); }

std::vector<TypedValue> Variables::snapshot(const TypeFlow::State& types,
                                            const std::vector<bool>* used) {
  std::vector<TypedValue> values;
  if (memory_ != nullptr) return values;
  llvm::Value* nothing = llvm::PoisonValue::get(e_.i64);
  for (Slot s = 0; s < e_.code.slots.size(); ++s) {
    TypedValue v{nothing, nothing, types[s]};
    const std::optional<Tag> tag = single(v.types);
    if (used == nullptr || (*used)[s]) {
      v.bits = tag == Tag::Unbound ? e_.number(0) : e_.ir.CreateLoad(e_.i64, bits_[s]);
      v.tag = tag ? e_.tag(*tag) : load_tag(s);
    }
    values.push_back(v);
  }
  return values;
}

} // namespace sourir::native
