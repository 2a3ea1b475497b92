// The variables in scope at one place. Every change can be undone, and two sets are compared by
// a hash: walking over a program costs the changes, never the sizes of the scopes.
#pragma once

#include "sourir/syntax/ids.h"

#include <cstdint>
#include <vector>

namespace sourir {

// Which declaration a variable in scope comes from.
class Declaration {
public:
  constexpr Declaration() = default; // none
  static constexpr Declaration parameter() { return Declaration(1); }
  static constexpr Declaration exit() { return Declaration(2); } // of a label only exits lead to
  static constexpr Declaration at(std::uint32_t position) { return Declaration(position + 3); }

  bool is_position() const { return code_ >= 3; }
  std::uint32_t position() const { return code_ - 3; }
  std::uint32_t code() const { return code_; }
  // What an exit brings may stand for any declaration, but not for none.
  bool agrees_with(Declaration other) const {
    const bool both = *this != Declaration() && other != Declaration();
    return *this == other || (both && (*this == exit() || other == exit()));
  }
  friend bool operator==(Declaration, Declaration) = default;

private:
  constexpr explicit Declaration(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = 0;
};

// Sums over a set; equal sets have equal ones, and others (but for chance, 2^-64) have not.
struct ScopeHash {
  std::uint64_t names = 0, declarations = 0;
  std::uint32_t size = 0, from_exits = 0;

  void add(Var name) { names += of(name), ++size; }
  bool same_names(const ScopeHash& other) const {
    return names == other.names && size == other.size;
  }
  friend bool operator==(const ScopeHash&, const ScopeHash&) = default;

  static std::uint64_t of(Var name) { return mix(name.id); }
  static std::uint64_t of(Var name, Declaration declaration) {
    return mix(std::uint64_t{name.id} << 32 | declaration.code());
  }

private:
  static std::uint64_t mix(std::uint64_t value); // splitmix64
};

class ScopeSet {
public:
  using Mark = std::size_t;

  bool contains(Var name) const { return declaration(name) != Declaration(); }
  Declaration declaration(Var name) const { return slots_[find(name)].declaration; }
  const ScopeHash& hash() const { return hash_; }

  void declare(Var name, Declaration declaration); // no change where it is in scope
  void drop(Var name);                             // no change where it is not

  Mark mark() const { return log_.size(); }
  void undo_to(Mark mark);
  void clear() { undo_to(0); }

  // In order of declaration.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = slots_[0].next; slot != 0; slot = slots_[slot].next)
      visit(slots_[slot].name, slots_[slot].declaration);
  }
  std::vector<Var> names(std::size_t at_most = ~std::size_t{0}) const;

private:
  struct Slot { // slot 0 closes the ring of those in scope, the others are for a name each
    std::uint32_t previous = 0, next = 0;
    Declaration declaration;
    Var name;
  };
  struct Change {
    std::uint32_t slot;
    Slot before;
  };

  // The slot of a name; 0: it has none yet.
  std::uint32_t find(Var name) const { return table_[place(name)]; }
  std::size_t place(Var name) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t at =
        static_cast<std::size_t>(name.id * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & mask;
    while (table_[at] != 0 && slots_[table_[at]].name != name) at = (at + 1) & mask;
    return at;
  }
  std::uint32_t slot_for(Var name);

  void link(std::uint32_t slot, const Slot& as);
  void unlink(std::uint32_t slot);
  void count(std::uint32_t slot, std::uint64_t sign);

  std::vector<Slot> slots_ = std::vector<Slot>(1);
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(16); // at most half of it taken
  std::vector<Change> log_;
  ScopeHash hash_;
};

} // namespace sourir
