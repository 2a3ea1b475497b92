#include "sourir/cli/explain.h"

namespace sourir {
namespace {

constexpr Topic kExitRules[] = {
    {.kind = "rule",
     .name = "AssumePass",
     .explanation =
         "A guard that has no value, or one that is not true, counts as false; so an `assume` is\n"
         "never stuck because of its guards.",
     .example = "call x = 'f(1)\n"
                "print x\n"
                "function f(var x)\n"
                "version fast\n"
                "  assume [(x is int)] else (f, base, L) [var x = x]\n"
                "  return (x + 1)\n"
                "version base\n"
                ">L:\n"
                "  return x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "AssumeDeopt",
     .explanation =
         "deoptimize(C, xi, xi*) leaves the current frame. The `with` block runs; then the "
         "varmaps\n"
         "of xi and of every outer frame are evaluated at once; the new environment binds the "
         "names\n"
         "of xi, a continuation is pushed for each outer frame, the first of them on top, and\n"
         "execution goes on at the target of xi.",
     .example = "call x = 'f(nil)\n"
                "print x\n"
                "function f(var x)\n"
                "version fast\n"
                "  assume [(x is int)] else (f, base, L) [var x = x]\n"
                "  return (x + 1)\n"
                "version base\n"
                ">L:\n"
                "  return x\n",
     .command = "run"},
    {.kind = "rule",
     .name = "AssumeLeave",
     .explanation =
         "Leaving although the guards hold must be invisible: this is assumption transparency, "
         "the\n"
         "invariant that makes moving and adding assumes sound. The schedule is `--leave`.",
     .example = "call x = 'f(1)\n"
                "print x\n"
                "function f(var x)\n"
                "version fast\n"
                "  assume [(x is int)] else (f, base, L) [var x = x]\n"
                "  return (x + 1)\n"
                "version base\n"
                ">L:\n"
                "  return (x + 1)\n",
     .command = "run --leave=always"},
    {.kind = "rule",
     .name = "AnchorPass",
     .explanation =
         "An anchor is a place where leaving would be right; without a reason to leave it does\n"
         "nothing.",
     .example = "call x = 'f(1)\n"
                "print x\n"
                "function f(var x)\n"
                "version fast\n"
                "  anchor else (f, base, L) [var x = x]\n"
                "  return (x + 1)\n"
                "version base\n"
                ">L:\n"
                "  return (x + 1)\n",
     .command = "run"},
    {.kind = "rule",
     .name = "AnchorDeopt",
     .explanation =
         "As AssumeLeave, for an exit that has no guards at all. The schedule is `--leave`.",
     .example = "call x = 'f(1)\n"
                "print x\n"
                "function f(var x)\n"
                "version fast\n"
                "  anchor else (f, base, L) [var x = x]\n"
                "  return (x + 1)\n"
                "version base\n"
                ">L:\n"
                "  return (x + 1)\n",
     .command = "run --leave=always"},
};

} // namespace

std::span<const Topic> exit_rule_topics() { return kExitRules; }

} // namespace sourir
