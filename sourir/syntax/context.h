// Contexts (dissertation 3.2): conjunctions of predicates on the arguments of a call, partially
// ordered by entailment and closed under conjunction. `when [...]` declares the context of a
// version. Values: any thread.
#pragma once

#include "sourir/syntax/expr.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sourir {

struct Function;
struct Version;

// A context in two words, but for its constants and guards. A bit is a fact, so the more bits, the
// fewer the calls. `excluded`: a byte a parameter, with the types (TypeSet) that it does not have.
// `known`: see Context::Known.
struct ContextWords {
  std::uint64_t excluded = 0, known = 0;
  friend constexpr bool operator==(ContextWords, ContextWords) = default;
};
// tests/context_instructions.py counts its instructions.
constexpr bool entails(ContextWords a, ContextWords b) {
  return ((b.excluded & ~a.excluded) | (b.known & ~a.known)) == 0;
}

// About the first eight parameters, by number: which types each may have; of an array: types that
// all elements have; that a parameter equals a literal, or that two are unequal, by the language's
// `==` and `!=` (arrays: that they are not the same array). Other predicates are opaque guards:
// only the same guard entails them.
//
// Always in normal form: the facts that follow from others are part of it, -0.0 stands as 0.0, nil
// is a type and no literal. Entailment is inclusion of facts: a partial order with conjunction as
// its greatest lower bound. It implies that b holds wherever a does. The converse fails for opaque
// guards, and where several inequalities leave an argument less of nil and bool than each alone
// (docs/theory.md, Theorem 3).
class Context {
public:
  static constexpr std::size_t kParameters = 8;

  Context() = default;    // always holds
  static Context never(); // holds for no call
  // The conjunction of guards, as `when` lists them, of a function with these parameters.
  static Context of(std::span<const Var> parameters, std::span<const Expr> guards);

  // Conjunction with one predicate. Numbers of parameters are below kParameters.
  void add_types(std::size_t i, TypeSet types);   // x is one of these types
  void add_elements(std::size_t i, Kind type);    // (x is T[]), T of kElementTypes
  void add_equal(std::size_t i, Literal literal); // (x == literal)
  void add_unequal(std::size_t i, std::size_t j); // (x != y), i != j
  void add_guard(std::span<const Var> parameters, const Expr& guard);

  bool is_never() const { return words_ == kNever; }
  TypeSet types(std::size_t i) const;
  TypeSet elements(std::size_t i) const; // several: the array is empty
  const Literal* constant(std::size_t i) const;
  bool unequal(std::size_t i, std::size_t j) const;
  const std::vector<Expr>& opaque() const { return opaque_; }
  ContextWords words() const { return words_; }

  // Guards without those that follow from the others, for `when [...]`. of() makes the context of
  // them again. Empty: a parameter may have several types, and no guard tests for these.
  std::optional<std::vector<Expr>> guards(std::span<const Var> parameters) const;

  // The greatest lower bound: holds where both do.
  friend Context operator&(Context a, const Context& b);
  friend bool operator==(const Context& a, const Context& b);
  // Whether b holds wherever a does.
  friend bool entails(const Context& a, const Context& b) {
    return entails(a.words_, b.words_) &&
           ((b.words_.known & kBesideWords) == 0 || a.entails_rest_of(b));
  }
  // A strict weak order that extends entailment: a context comes before those that it entails.
  friend bool comes_before(const Context& a, const Context& b);

private:
  // Bits of ContextWords::known: three a parameter, (x is bool[]), int[], float[]; one a pair of
  // parameters; one a parameter that has a constant; one for opaque guards.
  enum Known : unsigned { Elements = 0, Unequal = 24, Constant = 52, Opaque = 60 };
  static constexpr std::uint64_t kBesideWords = std::uint64_t{0x1FF} << Constant;
  static constexpr ContextWords kNever{~std::uint64_t{0}, ~std::uint64_t{0}};

  bool entails_rest_of(const Context& b) const;
  bool knows(unsigned bit) const { return (words_.known >> bit & 1) != 0; }
  void learn(unsigned bit) { words_.known |= std::uint64_t{1} << bit; }
  void exclude(std::size_t i, TypeSet types);
  void set_constant(std::size_t i, Literal literal);
  void add_opaque(const Expr& guard);
  void close();
  void close_parameter(std::size_t i);
  void close_pair(std::size_t i, std::size_t j);
  void follow_from_unequal(std::size_t i, std::size_t j);
  bool follows_from_others(std::size_t i, std::size_t j) const;

  ContextWords words_;
  std::array<Literal, kParameters> constants_{}; // nil where there is none
  std::vector<Expr> opaque_;                     // each once
};

// The context that a version of the function declares.
Context context_of(const Function& function, const Version& version);
// Whether exits of `from`, a version of `function`, may go to `to`, a version of `target`: it
// declares no context, or it is of the same function and the context of `from` entails its own.
bool may_exit_to(FunName target, const Version& to, const Function& function, const Version& from);

} // namespace sourir
