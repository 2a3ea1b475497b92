#include "sourir/analysis/mutant.h"

#include <algorithm>
#include <array>

namespace sourir {
namespace {

constexpr std::array kMutants = {
    MutantRow{1, "constprop", "a join keeps the first predecessor's constant"},
    MutantRow{2, "constprop", "parameters start as nil"},
    MutantRow{3, "constprop", "`read` does not kill what is known"},
    MutantRow{4, "load-elimination", "a call does not kill what it may change"},
    MutantRow{5, "constprop", "a constant replaces an array's name"},
    MutantRow{6, "dce", "a folded variable is left in a varmap"},
    MutantRow{7, "constprop", "an expression that may fail is folded"},
    MutantRow{8, "constprop", "the remainder of a negative number folds to a positive one"},
    MutantRow{9, "constprop", "x + 0 becomes x, of whatever kind x is"},
    MutantRow{10, "unreachable", "a constant branch takes the other arm"},
    MutantRow{11, "dce", "an assignment is removed though a varmap uses it"},
    MutantRow{12, "dce", "an assignment is removed though an outer frame uses it"},
    MutantRow{13, "dce", "a call is removed though it prints"},
    MutantRow{14, "dce", "an expression that may fail is removed"},
    MutantRow{15, "drop-assumes", "a version is changed though exits go to it"},
    MutantRow{16, "drop-assumes", "a version is changed though it continues a frame"},
    MutantRow{17, "drop-assumes", "the baseline is dropped because nobody calls it"},
    MutantRow{18, "constprop", "availability joins by union"},
    MutantRow{19, "constprop", "`<` is negated to `>`"},
    MutantRow{20, "unreachable", "the surviving arm of a branch is lost"},
    MutantRow{21, "hoist-predicates", "a predicate moves over an assignment to its variable"},
    MutantRow{22, "hoist-predicates", "a predicate moves over a store through an alias"},
    MutantRow{23, "hoist-predicates", "out of a loop without a look at the back edge"},
    MutantRow{24, "licm", "what may fail moves above the branch that makes it total"},
    MutantRow{25, "move-assumes", "an assume moves over a print"},
    MutantRow{26, "move-assumes", "an assume moves over an assignment that may fail"},
    MutantRow{27, "min-live", "a drop moves over the call that declares the variable"},
    MutantRow{28, "min-live", "a drop moves over an array's declaration"},
    MutantRow{29, "min-live", "two drops of one variable on one branch"},
    MutantRow{30, "move-assumes", "no snapshot of what is changed on the way"},
    MutantRow{31, "checkpoints", "the new version's exit targets the version itself"},
    MutantRow{32, "drop-assumes", "only the first of several predicates is tested"},
    MutantRow{33, "compose-assumes", "the varmap is evaluated one entry after the other"},
    MutantRow{34, "compose-assumes", "substitution with capture"},
    MutantRow{35, "compose-assumes", "the outer frames are left as they were"},
    MutantRow{36, "compose-assumes", "a predicate reads variables of the wrong version"},
    MutantRow{37, "compose-assumes", "composed across an effect"},
    MutantRow{38, "inline", "the callee's variables are not renamed"},
    MutantRow{39, "inline", "the names of a varmap's target are renamed, too"},
    MutantRow{40, "inline", "labels collide"},
    MutantRow{41, "inline", "outer frames in reverse order"},
    MutantRow{42, "inline", "the continuation is the call itself, which runs twice"},
    MutantRow{43, "inline", "the result goes to another variable of the frame"},
    MutantRow{44, "inline", "the caller's frame is missing"},
    MutantRow{45, "inline", "the frame returns into the optimized caller"},
    MutantRow{46, "inline", "an argument is substituted by name"},
    MutantRow{47, "load-elimination",
              "a store kills only what is known of the array under the same name"},
    MutantRow{48, "constprop", "what equals 0.0 is taken for 0.0"},
    MutantRow{49, "copyprop", "an assignment does not kill the copies of its variable"},
    MutantRow{50, "types", "a join keeps the kinds of the first predecessor"},
    MutantRow{51, "gvn", "a join keeps the value numbers of the first predecessor"},
    MutantRow{52, "deferred-materialization",
              "an operand changes between an instruction and the exit that runs it later"},
    MutantRow{53, "simplify", "a branch with two equal arms goes though its condition may fail"},
    MutantRow{54, "unroll", "the branch at the end of a copied block has its arms swapped"},
    MutantRow{55, "osr-in", "two variables of the continuation begin with one another's value"},
    MutantRow{56, "undo", "the exit that is redirected forgets its callers"},
    MutantRow{57, "insert-from-anchor", "an exit is taken though what it needs has changed since"},
    MutantRow{58, "normalize", "a variable that is declared again keeps its name"},
    MutantRow{59, "checkpoints", "an exit goes back one instruction too far"},
    MutantRow{60, "late-declarations", "a declaration moves after a use of the variable"},
    MutantRow{61, "dce",
              "what a removed assignment gives on one way is taken for the value on both"},
    MutantRow{62, "gvn", "0.0 and -0.0 are one value"},
    MutantRow{63, "inline", "a frame continues where the next version did something else"},
    MutantRow{64, "inline", "a version is inlined whose context may not hold"},
    MutantRow{65, "inline", "an exit that relies on the callee's context is inlined"},
    MutantRow{66, "deferred-materialization",
              "an array that is still used is made once more by exits"},
    MutantRow{67, "inline", "the blocks of callee and caller keep their names"},
    // Of the engines.
    MutantRow{101, "leaving",
              "two values are swapped in the buffer that native code leaves through"},
    MutantRow{102, "boxing", "a boolean element becomes an integer"},
    MutantRow{103, "regions", "what goes on in the baseline has a state from further on"},
    MutantRow{104, "effects", "LLVM is told that a store of the runtime writes nothing"},
    MutantRow{105, "arithmetic", "LLVM is told that additions do not wrap around"},
    MutantRow{106, "osr-in", "a loop is entered with a variable as it was one round before"},
    MutantRow{107, "frames", "the outer frames of an exit are pushed in reverse order"},
    MutantRow{108, "frames", "an exit that makes three frames or more loses the outermost"},
    MutantRow{109, "leaving", "the position in the input goes back by one"},
    MutantRow{110, "tiers", "code that is left again and again is never given up"},
    MutantRow{111, "tiers", "code is freed though an activation is inside"},
    MutantRow{112, "sampling", "the place of code stays known when the code is gone"},
    MutantRow{113, "arrays", "a store into an array that code counts on goes unnoticed"},
    MutantRow{114, "sampling", "what is sampled is taken for the value of the slot after it"},
    MutantRow{121, "arithmetic", "the minimum is divided by -1 as any number"},
};

[[maybe_unused]] int selected = 0;

} // namespace

std::span<const MutantRow> all_mutants() { return kMutants; }

#ifdef SOURIR_MUTANTS
bool mutant(int number) { return selected == number; }
bool has_mutants() { return true; }
#else
bool has_mutants() { return false; }
#endif

bool select_mutant(int number) {
  const bool known = number == 0 || (has_mutants() && std::ranges::any_of(kMutants, [&](auto& row) {
                                       return row.number == number;
                                     }));
  if (known) selected = number;
  return known;
}

} // namespace sourir
