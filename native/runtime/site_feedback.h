// The type feedback of the baseline tier at one position of a version (dissertation 4.2), with type
// sets and storage sets. One record for each Pc. Written by the thread of the program only;
// compiler threads get copies.
#pragma once

#include "native/runtime/array.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/type_set.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace sourir::native {

// The set of one tag; of Unbound: the bit of no type.
constexpr TypeSet type_set(Tag tag) { return TypeSet::from_bits(1U << static_cast<unsigned>(tag)); }
static_assert(type_set(Tag::Nil) == TypeSet(Kind::Nil) &&
              type_set(Tag::Array) == TypeSet(Kind::Array));

// Unbound: none or several.
inline Tag only_tag(TypeSet types) {
  return types.single() ? static_cast<Tag>(std::countr_zero(types.bits())) : Tag::Unbound;
}

// The types of the elements of the arrays in the set, as samples have it: nil for those that are
// boxed, or not full.
inline TypeSet element_types(StorageSet found) {
  TypeSet types;
  for (const Tag type : {Tag::Int, Tag::Float, Tag::Bool}) {
    const unsigned storage = 1U << static_cast<unsigned>(full_storage(type));
    if ((found & storage) != 0) types |= type_set(type);
    found = static_cast<StorageSet>(found & ~storage);
  }
  return found == 0 ? types : types | type_set(Tag::Nil);
}

struct SiteFeedback {
  static constexpr std::uint32_t kMostCounted = 1 << 16, kStopped = 1U << 31;
  TypeSet result; // of the value bound, assigned, stored, printed or returned here: empty where
                  // the position was never reached, kAnyType where unknown
  StorageSet storages = 0;  // an array access: storages so far
  std::uint8_t targets = 0; // a call: functions in `callees`; 255: more than fit
  // A branch, or guards that held and failed. When one of them comes to kMostCounted, both stop,
  // so that their ratio stays: the other one gets the bit kStopped as soon as it is not 0.
  std::uint32_t taken = 0, not_taken = 0;
  std::array<FunName, 3> callees{};

  // Precondition: the count is below kMostCounted.
  void count(bool way) {
    std::uint32_t& mine = way ? taken : not_taken;
    std::uint32_t& other = way ? not_taken : taken;
    ++mine;
    if (other >= kMostCounted) mine |= kStopped;
    if (mine == kMostCounted && other != 0) other |= kStopped;
  }
  std::uint32_t times_taken() const { return counted(taken); }
  std::uint32_t times_not_taken() const { return counted(not_taken); }

  // Adds other feedback of the position. Two different lists of targets are too many.
  void add(const SiteFeedback& other) {
    if (other.result.empty()) return; // not reached
    result = result == kAnyType ? other.result : result | other.result;
    storages = static_cast<StorageSet>(storages | other.storages);
    if (targets == 0) {
      targets = other.targets;
      callees = other.callees;
    } else if (other.targets != 0 && (targets != other.targets || callees != other.callees)) {
      targets = 255;
    }
    taken = sum(times_taken(), other.times_taken());
    not_taken = sum(times_not_taken(), other.times_not_taken());
  }

private:
  static std::uint32_t counted(std::uint32_t n) { return n & (kStopped - 1); }
  static std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
    return std::min(a + b, kStopped - 1);
  }
};

} // namespace sourir::native
