// The type feedback of the baseline tier at one position of a version (dissertation 4.2), with type
// sets and storage sets. One record for each Pc. Written by the thread of the program only;
// compiler threads get copies.
#pragma once

#include "native/runtime/array.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/type_set.h"

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
  static constexpr std::uint32_t kMostCounted = 1 << 16;
  TypeSet result; // of the value bound, assigned, stored, printed or returned here: empty where
                  // the position was never reached, kAnyType where unknown
  StorageSet storages = 0;                // an array access: storages so far
  std::uint8_t targets = 0;               // a call: functions in `callees`; 255: more than fit
  std::uint32_t taken = 0, not_taken = 0; // a branch, or guards that held and failed;
                                          // recorded up to kMostCounted
  std::array<FunName, 3> callees{};

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
    taken = other.taken > ~taken ? ~0U : taken + other.taken;
    not_taken = other.not_taken > ~not_taken ? ~0U : not_taken + other.not_taken;
  }
};

} // namespace sourir::native
