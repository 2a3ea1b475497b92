#include "sourir/cli/explain.h"

namespace sourir {
namespace {

// The inference rules are those above the functions in sourir/semantics/rules_*.cpp; a test
// compares them.
constexpr Topic kRules[] = {
    {.kind = "rule",
     .name = "Decl",
     .inference = "I(L) = var x = e    M E e -> v\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M E[x <- v]>\n",
     .explanation = "`var x` alone binds x to nil. A variable is declared while it is not in "
                    "scope, so nothing\n"
                    "is hidden.",
     .example = "var x = (1 + 2)\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Drop",
     .inference = "I(L) = drop x\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M E\\{x}>\n",
     .explanation = "Behind it the name is out of scope and may be declared again.",
     .example = "var x = 1\n"
                "drop x\n"
                "var x = 2\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Assign",
     .inference = "I(L) = x <- e    M E e -> v\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M E[x <- v]>\n",
     .explanation =
         "The variable keeps its place; other names of the same array see nothing of it.",
     .example = "var x = 1\n"
                "x <- (x + 1)\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ArrayDecl",
     .inference = "I(L) = array x[e]    M E e -> n    n is a length    a fresh\n"
                  "----------------------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [nil, .., nil]] E[x <- a]>\n",
     .explanation =
         "All elements are nil. A length that is not possible has no rule: stuck, bad-length.",
     .example = "array a[3]\n"
                "print a\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ArrayDef",
     .inference = "I(L) = array x = [e1, .., en]    M E ei -> vi    a fresh\n"
                  "----------------------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [v1, .., vn]] E[x <- a]>\n",
     .explanation = "The elements are evaluated from left to right.",
     .example = "var x = 1\n"
                "array a = [x, 2]\n"
                "print a\n",
     .command = "run"},
    {.kind = "rule",
     .name = "ArrayUpdate",
     .inference = "I(L) = x[e1] <- e2    M E e1 -> i    M E e2 -> v    E(x) = a    M(a) = [v1, .., "
                  "vn]    i < n\n"
                  "----------------------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M[a <- [v1, .., v, .., vn]] E>\n",
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
     .inference = "I(L) = branch e L1 L2    M E e -> true\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I L1 K* M E>\n",
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
     .inference = "I(L) = branch e L1 L2    M E e -> false\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I L2 K* M E>\n",
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
     .inference = "I(L) = goto L'\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I L' K* M E>\n",
     .explanation = "The label stands in the same version.",
     .example = "goto End\n"
                "End:\n"
                "  print 1\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Print",
     .inference = "I(L) = print e    M E e -> v\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --print v-->  <P I (L+1) K* M E>\n",
     .explanation = "One of the two observable effects. Arrays are shown deep, as they are now.",
     .example = "array a = [1, nil]\n"
                "print a\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Read",
     .inference = "I(L) = read x    v is the next literal of the input\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --read v-->  <P I (L+1) K* M E[x <- v]>\n",
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
     .inference = "[ext]  I(L) = assert e    M E e -> true\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M E>\n",
     .explanation = "When e is false there is no rule: stuck, assertion-failed.",
     .example = "var x = 1\n"
                "assert (x > 0)\n"
                "print x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Call",
     .inference = "I(L) = call x = e(e1, .., en)    M E e -> F    M E ei -> vi\n"
                  "P(F) = F(x1, .., xn) : V : I', ..    E' = [x1 <- v1, .., xn <- vn]\n"
                  "----------------------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I' start(I') (<I (L+1) x E> K*) M E'>\n",
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
     .inference = "I(L) = return e    M E e -> v\n"
                  "----------------------------------------------------------------------------\n"
                  "<P I L (<I' L' x E'> K*) M E>  --tau-->  <P I' L' K* M E'[x <- v]>\n",
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
     .inference = "[ext]  I(L) = return e    M E e -> v\n"
                  "------------------------------------------------------------\n"
                  "<P I L . M E>  --stop v-->  <P epsilon L . M E>\n",
     .explanation = "A `return` in `main` when nothing waits for it.",
     .example = "print 1\n"
                "return 2\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Stop",
     .inference = "I(L) = stop e    M E e -> v          (\"stop\" alone is \"stop 0\"; \"stop e\" "
                  "is [ext])\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --stop v-->  <P epsilon L K* M E>\n",
     .explanation =
         "Ends the program, however many calls wait; `run` exits with the value. Behind the last\n"
         "instruction of `main` stands an invisible `stop`.",
     .example = "print 1\n"
                "stop 3\n",
     .command = "run"},
    {.kind = "rule",
     .name = "Hint",
     .inference = "[ext]  I(L) = guard_hint e*\n"
                  "------------------------------------------------------------\n"
                  "<P I L K* M E>  --tau-->  <P I (L+1) K* M E>\n",
     .explanation = "For the optimizer: these guards are worth a speculation.",
     .example = "var x = 1\n"
                "guard_hint (x == 1)\n"
                "print x\n",
     .command = "run"},
};

} // namespace

std::span<const Topic> rule_topics() { return kRules; }

} // namespace sourir
