// Arithmetic, comparisons, boolean operations and type tests. Each possible pair of operand types
// is computed inline, after a test of the tags where the types are not known; errors (no number, a
// division by zero) bail out.
#pragma once

#include "native/llvm_lowering/exits.h"

namespace sourir::native {

class Arithmetic {
public:
  Arithmetic(Emitter& emitter, Exits& exits);

  TypedValue unary(UnaryOp op, const TypedValue& v);
  // `speculated`: the types that the result of arithmetic is assumed to have.
  TypedValue binary(BinaryOp op, const TypedValue& a, const TypedValue& b, TypeSet speculated);
  TypedValue has_type(const TypedValue& v, Tag tag);

private:
  void mark(BinaryOp op, profiler::Event arithmetic, profiler::Event division);
  llvm::Value* equal(const TypedValue& a, const TypedValue& b); // i1
  TypedValue numeric(BinaryOp op, const TypedValue& a, const TypedValue& b, TypeSet speculated);
  void other_types(BinaryOp op, const TypedValue& a, const TypedValue& b, TypeSet wanted,
                   Join& join);
  TypedValue of_known_types(BinaryOp op, const TypedValue& a, const TypedValue& b);
  TypedValue of_floats(BinaryOp op, const TypedValue& a, const TypedValue& b);
  TypedValue out_of_line(BinaryOp op, const TypedValue& a, const TypedValue& b);
  TypedValue integers(BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* quotient(BinaryOp op, llvm::Value* a, llvm::Value* b);
  TypedValue floats(BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* to_double(const TypedValue& v);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Exits& exits_;
};

} // namespace sourir::native
