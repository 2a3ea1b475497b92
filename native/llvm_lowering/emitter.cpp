#include "native/llvm_lowering/emitter.h"

#include "native/llvm_lowering/line_table.h"
#include "native/llvm_lowering/llvm_passes.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace sourir::native {

Emitter::Emitter(ModuleLowering& in, llvm::IRBuilderBase& builder, const CompileRequest& what)
    : module(in), ir(builder), request(what), code(*what.code), markers(in.options.events),
      i8(ir.getInt8Ty()), i64(ir.getInt64Ty()), f64(ir.getDoubleTy()), ptr(ir.getPtrTy()) {}

void Emitter::enter(llvm::Function* function) {
  function_ = function;
  ir.SetCurrentDebugLocation(llvm::DebugLoc());
  ir.SetInsertPoint(block("entry"));
}

void Emitter::start_instruction(Pc pc) {
  pc_ = pc;
  set_position(pc, kOtherInstr);
}

void Emitter::set_position(Pc pc, unsigned what) {
  ir.SetCurrentDebugLocation(
      llvm::DILocation::get(module.context(), pc + 1, what, function_->getSubprogram()));
}

TypedValue Emitter::constant(Value v) {
  return {number(v.bits()), tag(v.tag()), type_set(v.tag())};
}

TypedValue Emitter::boolean(llvm::Value* i1) {
  return {ir.CreateZExt(i1, i64), tag(Tag::Bool), type_set(Tag::Bool)};
}

TypedValue Emitter::integer(llvm::Value* bits) { return {bits, tag(Tag::Int), type_set(Tag::Int)}; }

TypedValue Emitter::floating(llvm::Value* number) {
  return {ir.CreateBitCast(number, i64), tag(Tag::Float), type_set(Tag::Float)};
}

llvm::Value* Emitter::number(std::uint64_t n) { return ir.getInt64(n); }

llvm::Value* Emitter::tag(Tag tag) { return number(static_cast<std::uint64_t>(tag)); }

llvm::Value* Emitter::pointer(const void* p) {
  return ir.CreateIntToPtr(number(reinterpret_cast<std::uint64_t>(p)), ptr);
}

llvm::Value* Emitter::as_double(llvm::Value* bits) { return ir.CreateBitCast(bits, f64); }

llvm::BasicBlock* Emitter::block(const char* name) {
  return llvm::BasicBlock::Create(module.context(), name, function_);
}

llvm::Value* Emitter::is(const TypedValue& v, Tag which) {
  if (only(v.types, which)) return ir.getTrue();
  lowered(profiler::Event::TagTest);
  return ir.CreateICmpEQ(v.tag, tag(which));
}

void Emitter::unless(llvm::Value* ok, llvm::BasicBlock* other) {
  llvm::BasicBlock* on = block("on");
  branch_likely(ok, on, other);
  ir.SetInsertPoint(on);
}

void Emitter::branch_likely(llvm::Value* condition, llvm::BasicBlock* usual,
                            llvm::BasicBlock* cold) {
  ir.CreateCondBr(condition, usual, cold, module.unlikely());
}

llvm::Value* Emitter::load(llvm::Type* type, llvm::Value* p, Memory memory) {
  llvm::LoadInst* loaded = ir.CreateLoad(type, p);
  loaded->setMetadata(llvm::LLVMContext::MD_tbaa, module.memory(memory));
  // Lengths and arities never change.
  if (memory == Memory::Length || memory == Memory::Arity)
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(module.context(), {}));
  return loaded;
}

void Emitter::store(llvm::Value* v, llvm::Value* p, Memory memory) {
  ir.CreateStore(v, p)->setMetadata(llvm::LLVMContext::MD_tbaa, module.memory(memory));
}

llvm::Value* Emitter::offset(llvm::Value* p, std::uint64_t bytes) {
  return ir.CreateConstGEP1_64(i8, p, bytes);
}

llvm::CallInst* Emitter::call_runtime(std::string_view name, std::vector<llvm::Value*> arguments) {
  arguments.insert(arguments.begin(), pointer(module.host.machine));
  llvm::CallInst* result = ir.CreateCall(module.runtime(name), arguments);
  result->addFnAttr(llvm::Attribute::NoMerge);
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  return result;
}

namespace {

const Stub& stub_of(std::string_view name) {
  return *std::ranges::find(runtime_stubs(), name, &Stub::name);
}

} // namespace

llvm::CallInst* Emitter::call_stub(std::string_view name, std::vector<llvm::Value*> arguments,
                                   const std::vector<TypedValue>& values) {
  const Stub& called_stub = stub_of(name);
  arguments.insert(arguments.begin(),
                   called_stub.takes_machine ? pointer(module.host.machine) : nullptr);
  arguments.resize(5);
  for (llvm::Value*& a : arguments)
    if (a == nullptr) a = llvm::PoisonValue::get(i64);
  arguments.push_back(module.runtime(name));
  for (const TypedValue& v : values) arguments.insert(arguments.end(), {v.bits, v.tag});
  std::vector<llvm::Type*> types;
  for (const llvm::Value* a : arguments) types.push_back(a->getType());
  llvm::Function* called = module.runtime(name);
  auto* type = llvm::FunctionType::get(called->getReturnType(), types, false);
  llvm::CallInst* result = ir.CreateCall(type, module.stub(name), arguments);
  result->setAttributes(llvm::AttributeList::get(
      module.context(), llvm::AttributeList::FunctionIndex,
      llvm::AttrBuilder(module.context(), called->getAttributes().getFnAttrs())));
  result->addFnAttr(llvm::Attribute::NoMerge);
  result->setTailCallKind(llvm::CallInst::TCK_NoTail);
  if (called_stub.preserves) result->setCallingConv(llvm::CallingConv::PreserveMost);
  return result;
}

void Join::arrive(const TypedValue& value) {
  paths_.push_back({b_.GetInsertBlock(), value});
  b_.CreateBr(after_);
}

llvm::Value* Join::meet(llvm::Value* TypedValue::* part) {
  llvm::Value* first = paths_.front().value.*part;
  bool same = true;
  for (const Path& path : paths_) same = same && path.value.*part == first;
  if (same && llvm::isa<llvm::Constant>(first)) return first;
  llvm::PHINode* phi = b_.CreatePHI(first->getType(), static_cast<unsigned>(paths_.size()));
  for (const Path& path : paths_) phi->addIncoming(path.value.*part, path.from);
  return phi;
}

TypedValue Join::finish() {
  b_.SetInsertPoint(after_);
  if (paths_.size() == 1) return paths_.front().value;
  llvm::Value* nothing = llvm::PoisonValue::get(b_.getInt64Ty());
  if (paths_.empty()) return {nothing, nothing, kAnyType}; // the join is not reachable
  TypedValue result;
  result.types = {};
  for (const Path& path : paths_) result.types |= path.value.types;
  result.bits = meet(&TypedValue::bits);
  result.tag = meet(&TypedValue::tag);
  return result;
}

} // namespace sourir::native
