#include "sourir/cli/explain.h"

namespace sourir {
namespace {

constexpr Topic kRules[] = {
    {.kind = "rule",
     .name = "Decl",
     .explanation = "`var x` alone binds x to nil. A variable is declared while it is not in "
                    "scope, so nothing\n"
                    "is hidden.",
     .example = "var x = (1 + 2)\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Drop",
     .explanation = "Behind it the name is out of scope and may be declared again.",
     .example = "var x = 1\n"
                "drop x\n"
                "var x = 2\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Assign",
     .explanation =
         "The variable keeps its place; other names of the same array see nothing of it.",
     .example = "var x = 1\n"
                "x <- (x + 1)\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ArrayDecl",
     .explanation =
         "All elements are nil. A length that is not possible has no rule: stuck, bad-length.",
     .example = "array a[3]\n"
                "print a\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ArrayDef",
     .explanation = "The elements are evaluated from left to right.",
     .example = "var x = 1\n"
                "array a = [x, 2]\n"
                "print a\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ArrayUpdate",
     .explanation =
         "Every variable that names this array sees the change. Index and value are evaluated\n"
         "first, then the array and the kinds are looked at, then the bounds.",
     .example = "array a = [1, 2]\n"
                "var b = a\n"
                "a[0] <- 5\n"
                "print b\n",
     .command = "run"},
    {.kind = "rule",
     .name = "BranchTrue",
     .explanation = "A condition that is no boolean has no rule: stuck, wrong-kind.",
     .example = "branch true $A $B\n"
                "$A:\n"
                "  print \"yes\"\n"
                "  stop\n"
                "$B:\n"
                "  print \"no\"\n",
     .command = "run"},
    {.kind = "rule",
     .name = "BranchFalse",
     .explanation = "A condition that is no boolean has no rule: stuck, wrong-kind.",
     .example = "branch false $A $B\n"
                "$A:\n"
                "  print \"yes\"\n"
                "  stop\n"
                "$B:\n"
                "  print \"no\"\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Goto",
     .explanation = "The label stands in the same version.",
     .example = "goto End\n"
                "End:\n"
                "  print 1\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Print",
     .explanation = "One of the two observable effects. Arrays are shown deep, as they are now.",
     .example = "array a = [1, nil]\n"
                "print a\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Read",
     .explanation =
         "The other observable effect. At the end of the input, and at a line that is no literal,\n"
         "there is no rule: stuck, input-exhausted or bad-input.",
     .example = "var x\n"
                "read x\n"
                "print (x == nil)\n",
     .command = "run",
     .input = "nil\n"},
    {.kind = "rule",
     .name = "AssertPass",
     .explanation = "When e is false there is no rule: stuck, assertion-failed.",
     .example = "var x = 1\n"
                "assert (x > 0)\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Call",
     .explanation = "The active version is entered: the first that is no continuation and, where "
                    "versions have\n"
                    "contexts, whose context holds for the arguments.",
     .example = "call x = 'double(21)\n"
                "print x\n"
                "function double(var x)\n"
                "  return (x + x)\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Return",
     .explanation =
         "The version that waits goes on where it waits, which need not be behind a call: a\n"
         "deoptimization may have built its frame.",
     .example = "call x = 'one()\n"
                "print x\n"
                "function one()\n"
                "  return 1\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ReturnStop",
     .explanation = "A `return` in `main` when nothing waits for it.",
     .example = "print 1\n"
                "return 2\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Stop",
     .explanation =
         "Ends the program, however many calls wait; `run` exits with the value. Behind the last\n"
         "instruction of `main` stands an invisible `stop`.",
     .example = "print 1\n"
                "stop 3\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Hint",
     .explanation = "For the optimizer: these guards are worth a speculation.",
     .example = "var x = 1\n"
                "guard_hint (x == 1)\n"
                "print x\n",
     .command = "run"},
};

} // namespace

std::span<const Topic> rule_topics() { return kRules; }

} // namespace sourir
