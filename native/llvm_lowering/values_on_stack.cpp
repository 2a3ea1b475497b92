#include "native/llvm_lowering/values_on_stack.h"

#ifndef __x86_64__
#error "native/llvm_lowering is for x86-64: configure with SOURIR_LLVM=OFF"
#endif

extern "C" {
void sourir_values_as_second();
void sourir_values_as_fourth();
void sourir_values_as_fifth();
void sourir_values_as_third_and_fourth();
void sourir_values_as_fourth_and_fifth();
}

// The first value lies behind the return address.
asm(R"(
  .text
  .hidden sourir_values_as_second
  .hidden sourir_values_as_fourth
  .hidden sourir_values_as_fifth
  .hidden sourir_values_as_third_and_fourth
  .hidden sourir_values_as_fourth_and_fifth
  .globl sourir_values_as_second
  .globl sourir_values_as_fourth
  .globl sourir_values_as_fifth
  .globl sourir_values_as_third_and_fourth
  .globl sourir_values_as_fourth_and_fifth
sourir_values_as_second:
  leaq 8(%rsp), %rsi
  jmp *%r9
sourir_values_as_fourth:
  leaq 8(%rsp), %rcx
  jmp *%r9
sourir_values_as_fifth:
  leaq 8(%rsp), %r8
  jmp *%r9
sourir_values_as_third_and_fourth:
  leaq 8(%rsp), %rdx
  leaq 24(%rsp), %rcx
  jmp *%r9
sourir_values_as_fourth_and_fifth:
  leaq 8(%rsp), %rcx
  leaq 24(%rsp), %r8
  jmp *%r9
)");

namespace sourir::native {

std::span<const ValuesOnStack> functions_with_values() {
  static constexpr ValuesOnStack kFunctions[] = {
      {"rt_allocate_of", sourir_values_as_second},
      {"rt_out_of_fuel", sourir_values_as_fourth},
      {"rt_leave", sourir_values_as_fifth},
      {"rt_resume", sourir_values_as_fifth},
      {"rt_leave_entered", sourir_values_as_fifth},
      {"rt_resume_entered", sourir_values_as_fifth},
      {"rt_better_entered", sourir_values_as_fifth},
      {"rt_call", sourir_values_as_third_and_fourth},
      {"rt_store", sourir_values_as_fourth_and_fifth},
  };
  return kFunctions;
}

} // namespace sourir::native
