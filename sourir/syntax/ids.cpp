#include "sourir/syntax/ids.h"

#include <algorithm>
#include <cstring>

namespace sourir {

namespace {

// Eight bytes at a time, then mixed; names are short.
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = text.size() * kOdd;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29;
  };
  std::uint64_t word = 0;
  for (; text.size() > sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    mix(word);
  }
  word = 0;
  for (const char c : text) word = word << 8 | static_cast<unsigned char>(c);
  mix(word);
  return static_cast<std::uint32_t>(hash >> 32 ^ hash);
}

} // namespace

std::uint32_t Names::id_of(std::string_view text) {
  if (2 * (texts_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].next_id != 0; at = (at + 1) & mask)
    if (slots_[at].hash == hash && texts_[slots_[at].next_id - 1] == text)
      return slots_[at].next_id - 1;
  texts_.emplace_back(text);
  slots_[at] = {hash, static_cast<std::uint32_t>(texts_.size())};
  return slots_[at].next_id - 1;
}

void Names::grow() {
  constexpr std::size_t kFirst = 256;
  std::vector<Slot> old(std::max(kFirst, 2 * slots_.size()));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.next_id == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].next_id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::string FreshNames::unused(std::string_view base) {
  const Var name = names_.intern<Var>(base);
  if (!used_.contains(name.id)) return std::string(base);
  // All lower numbers are in use, and a name in use stays in use.
  std::uint32_t& n = last_number_[name.id];
  std::string candidate;
  do candidate = std::string(base) + "_" + std::to_string(++n);
  while (used_.contains(names_.intern<Var>(candidate).id));
  return candidate;
}

} // namespace sourir
