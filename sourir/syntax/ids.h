// Interned names. Each role of a name is a type of its own, so a label cannot be passed for a
// variable; a name is four bytes and compares by identity. The interner is an object, not a global,
// so no output depends on earlier work of the process. One thread at a time may intern.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sourir {

template <class Tag>
struct Name {
  std::uint32_t id = 0;
  friend auto operator<=>(Name, Name) = default;
};

using FunName = Name<struct FunTag>; // F
using VerName = Name<struct VerTag>; // V
using Label = Name<struct LabelTag>; // L
using Var = Name<struct VarTag>;     // x
using Str = Name<struct StrTag>;     // the contents of a string literal

// The texts of names: the same text has the same id in every role.
class Names {
public:
  Names() = default;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  template <class N>
  N intern(std::string_view text) {
    return N{id_of(text)};
  }
  template <class Tag>
  std::string_view text(Name<Tag> name) const {
    return texts_[name.id];
  }
  std::size_t size() const { return texts_.size(); }

private:
  std::uint32_t id_of(std::string_view text);

  void grow();

  // An open-addressing table of id + 1; 0: empty.
  struct Slot {
    std::uint32_t hash = 0, next_id = 0;
  };
  std::deque<std::string> texts_; // stable addresses
  std::vector<Slot> slots_;       // a power of two of them, at most half of them used
};

// Names that are not used in a given version yet: `x`, then `x_1`, `x_2`, ...
// Depends only on the names that were marked as used, never on the interner's history.
class FreshNames {
public:
  explicit FreshNames(Names& names) : names_(names) {}

  template <class Tag>
  void use(Name<Tag> name) {
    used_.insert(name.id);
  }
  template <class N>
  N fresh(std::string_view base) {
    const N name = names_.intern<N>(unused(base));
    used_.insert(name.id);
    return name;
  }
  Names& names() { return names_; }

private:
  std::string unused(std::string_view base);

  Names& names_;
  std::unordered_set<std::uint32_t> used_;
  std::unordered_map<std::uint32_t, std::uint32_t> last_number_; // the last one tried, by base
};

} // namespace sourir

template <class Tag>
struct std::hash<sourir::Name<Tag>> {
  std::size_t operator()(sourir::Name<Tag> name) const noexcept {
    return std::hash<std::uint32_t>{}(name.id);
  }
};
