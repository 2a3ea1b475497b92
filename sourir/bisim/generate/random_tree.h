// A function before it has versions: statements with their structure. All versions of a function
// are written from one tree, so that omitted or earlier instructions of one version are right by
// construction, and a gap of the tree (the place before a node) is the same state in each of them.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/type_set.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sourir::random {

// The types of the generator (the language has none), which record what it knows about the values
// of a variable: typed programs have no run-time errors, and end.
inline constexpr TypeSet kArray = Kind::Array;
inline constexpr TypeSet kScalars = kAnyType - Kind::Array;

// The elements of an array, for its lifetime.
enum class Holds : std::uint8_t {
  Unknown, // it may be read only
  Integers,
  Functions, // of one family
  Values,    // anything of a smaller rank
};

inline constexpr std::uint8_t kNoFamily = 0xFF;

struct Type {
  TypeSet kinds = kAnyType;
  Holds holds = Holds::Unknown;    // arrays
  std::uint8_t length = 0;         // arrays: at least this many elements
  std::uint8_t rank = 0;           // arrays in it at most so deep: 1 is an array of scalars
  std::uint8_t family = kNoFamily; // functions: those of a family have the same signature
  bool fuel = false;               // an int that bounds a recursion: literals only

  bool only(Kind k) const { return kinds == TypeSet(k); }
  bool may_be(Kind k) const { return kinds.has(k); }
  friend bool operator==(const Type&, const Type&) = default;
};

inline constexpr std::uint8_t kRank = 3;    // of any array
inline constexpr std::uint8_t kLongest = 5; // of any array
inline constexpr std::int64_t kMostFuel = 4;

constexpr Type type_of(TypeSet types) { return {.kinds = types}; }
// Any value with arrays of at most this rank.
constexpr Type anything(std::uint8_t rank) {
  return {.kinds = rank == 0 ? kScalars : kAnyType, .rank = rank};
}
constexpr Type array_of(Holds holds, std::uint8_t rank, std::uint8_t length,
                        std::uint8_t family = kNoFamily) {
  return {.kinds = kArray, .holds = holds, .length = length, .rank = rank, .family = family};
}

// Whether a value of type `from` may stand where `to` is expected.
constexpr bool fits(const Type& from, const Type& to) {
  if (!from.kinds.within(to.kinds) || to.fuel) return false;
  if (from.may_be(Kind::Array) && from.rank > to.rank) return false;
  if (to.kinds == kArray) {
    if (from.length < to.length) return false;
    return to.holds == Holds::Unknown ||
           (from.holds == to.holds && from.rank == to.rank && from.family == to.family);
  }
  return to.kinds != TypeSet(Kind::Fun) || to.family == kNoFamily || from.family == to.family;
}

// What is read from an array of this type.
constexpr Type element_of(const Type& array) {
  switch (array.holds) {
  case Holds::Integers: return type_of(Kind::Int);
  case Holds::Functions: return {.kinds = Kind::Fun, .family = array.family};
  case Holds::Unknown:
  case Holds::Values: break;
  }
  return anything(array.rank == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(array.rank - 1));
}

struct Signature {
  std::vector<Type> params;
  Type result;
};

using VarIndex = std::uint32_t; // in Tree::vars; Var{index} in the tree's instructions
using NodeId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

inline Var as_var(VarIndex k) { return Var{k}; }

struct Variable {
  Type type;
  std::uint32_t name = 0;       // number of its name in the base
  bool assigned = false;        // after its declaration
  bool pinned = false;          // not to be assigned or dropped at will
  std::optional<Literal> known; // the literal it is declared with
  VarIndex inside = kNone;      // it is always an index inside of this array
};

struct Block {
  NodeId first = kNone, last = kNone;
};

enum class Shape : std::uint8_t { Plain, If, While };

struct Node {
  Shape shape = Shape::Plain;
  Instruction instr; // If and While: a branch without labels
  NodeId next = kNone;
  NodeId owner = kNone; // the If or While that contains it
  Block first, second;  // If: when true, when false; While: the body
};

// Control does not continue after such a node.
inline bool ends_body(const Node& node) {
  return std::holds_alternative<Return>(node.instr) || std::holds_alternative<Stop>(node.instr);
}

struct Tree {
  FunName name;
  Signature signature;
  std::vector<Variable> vars; // the parameters first
  std::vector<Node> nodes;
  Block body;
  std::uint32_t returns = 0;

  std::uint32_t params() const { return static_cast<std::uint32_t>(signature.params.size()); }
  bool ends_body(const Block& block) const {
    return block.last != kNone && sourir::random::ends_body(nodes[block.last]);
  }
  // The value of a variable that is constant from its declaration on; null: it is not.
  const Literal* constant(VarIndex k) const {
    const Variable& v = vars[k];
    return v.known && !v.assigned ? &*v.known : nullptr;
  }
};

} // namespace sourir::random
