#include "native/tiering/context_policy.h"

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::size_t kMostSeen = 64;     // keys
constexpr std::uint32_t kRare = 32;       // samples, of which a frequent context has one
constexpr std::uint32_t kShared = 4;      // samples until shared facts are relied on
constexpr std::size_t kMostEverMade = 31; // of one function, evicted ones included

// What holds for both.
Context shared_by(const Context& a, const Context& b, const Context& key, std::size_t parameters) {
  Context shared = key;
  for (std::size_t i = 0; i < parameters; ++i) {
    const Literal *x = a.constant(i), *y = b.constant(i);
    if (x != nullptr && y != nullptr && *x == *y) shared.add_equal(i, *x);
    for (std::size_t j = 0; j < i; ++j)
      if (a.unequal(j, i) && b.unequal(j, i)) shared.add_unequal(j, i);
  }
  return shared;
}

// Whether a version for both knows as much as one for each. Programs test for nil themselves.
bool are_alike(const Context& a, const Context& b) {
  for (std::size_t i = 0; i < Context::kParameters; ++i) {
    if (a.types(i).only() == Kind::Nil || b.types(i).only() == Kind::Nil) continue;
    const Literal *x = a.constant(i), *y = b.constant(i);
    const bool same_constant = x == nullptr || y == nullptr ? x == y : *x == *y;
    if (a.types(i) != b.types(i) || a.elements(i) != b.elements(i) || !same_constant) return false;
  }
  return true;
}

} // namespace

Context ContextPolicy::key_of(const Context& call, std::size_t parameters, Parameters used) const {
  Context key;
  for (std::size_t i = 0; i < parameters; ++i) {
    if (!used[i]) continue;
    key.add_types(i, call.types(i));
    const Literal* const value = call.constant(i);
    if (options_.level >= 5 && value != nullptr && std::holds_alternative<FunName>(*value))
      key.add_equal(i, *value);
    const auto elements = call.elements(i).only(); // several: it is empty, and fits any context
    if (options_.level >= 2 && elements) key.add_elements(i, *elements);
  }
  return key;
}

Context ContextPolicy::facts_of(const Context& call, std::size_t parameters,
                                Parameters used) const {
  Context facts;
  for (std::size_t i = 0; i < parameters; ++i) {
    if (!used[i]) continue;
    const Literal* const value = call.constant(i);
    if (options_.level >= 4 && value != nullptr && !std::holds_alternative<FunName>(*value))
      facts.add_equal(i, *value);
    const auto is_array = [&](std::size_t p) { return call.types(p).only() == Kind::Array; };
    for (std::size_t j = 0; j < i; ++j)
      if (options_.level >= 3 && used[j] && is_array(i) && is_array(j) && call.unequal(j, i))
        facts.add_unequal(j, i);
  }
  return facts;
}

void ContextPolicy::add(ContextHistory& h, const Context& call, std::size_t parameters,
                        Parameters used) const {
  if (options_.level == 0) return;
  parameters = std::min(parameters, Context::kParameters);
  ++h.samples;
  const Context key = key_of(call, parameters, used);
  const Context facts = key & facts_of(call, parameters, used);
  auto seen = std::ranges::find(h.seen, key, &ContextHistory::Seen::key);
  if (seen == h.seen.end()) {
    if (h.seen.size() == kMostSeen)
      h.seen.erase(std::ranges::min_element(h.seen, {}, &ContextHistory::Seen::samples));
    h.seen.push_back({key, facts, 0, false});
    seen = h.seen.end() - 1;
  }
  ++seen->samples;
  seen->shared = shared_by(seen->shared, facts, key, parameters);
  const auto lacks = [&](const ContextHistory::Version& v) {
    return entails(v.context, key) && !entails(facts, v.context);
  };
  seen->varies = seen->varies || std::ranges::any_of(h.versions, lacks);
  for (ContextHistory::Version& v : h.versions)
    if (entails(facts, v.context)) ++v.samples;
}

bool ContextPolicy::differ(const ContextHistory& h) const {
  using Seen = ContextHistory::Seen;
  const auto frequent = [&](const Seen& seen) { return is_frequent(h, seen); };
  if (std::ranges::none_of(h.seen, frequent)) return false;
  const auto differs_from_others = [&](const Seen& seen) {
    return std::ranges::any_of(h.seen, [&](const Seen& o) { return !are_alike(seen.key, o.key); });
  };
  return options_.all_calls() || std::ranges::any_of(h.seen, differs_from_others);
}

bool ContextPolicy::is_frequent(const ContextHistory& h, const ContextHistory::Seen& seen) const {
  return options_.all_calls() ||
         (seen.samples >= options_.samples && seen.samples >= h.samples / kRare);
}

ContextPolicy::Decision ContextPolicy::decide(const ContextHistory& h) const {
  using Seen = ContextHistory::Seen;
  Decision decision;
  std::vector<const Seen*> frequent;
  for (const Seen& seen : h.seen)
    if (is_frequent(h, seen)) frequent.push_back(&seen);
  std::ranges::stable_sort(frequent, std::ranges::greater(), &Seen::samples);
  auto live = static_cast<std::size_t>(
      std::ranges::count(h.versions, false, &ContextHistory::Version::evicted));
  std::vector<bool> evicted;
  for (const auto& version : h.versions) evicted.push_back(version.evicted);
  const auto is_general = [&](const Seen* seen) {
    return std::ranges::any_of(frequent, [&](const Seen* other) {
      return other != seen && entails(other->key, seen->key);
    });
  };
  for (const Seen* seen : frequent) {
    const Context context = seen->varies || (seen->samples < kShared && !options_.all_calls())
                                ? seen->key
                                : seen->shared;
    const auto serves = [&](const ContextHistory::Version& v) {
      return v.evicted ? v.context == context
                       : entails(context, v.context) && entails(v.context, seen->key);
    };
    if (context == Context() || std::ranges::any_of(h.versions, serves)) continue;
    if (h.versions.size() + decision.make.size() >= kMostEverMade) break;
    if (!h.rest_is_known && is_general(seen)) {
      decision.waits = true;
      continue;
    }
    if (live == options_.most_versions) { // the one for the fewest calls
      std::size_t least = h.versions.size();
      for (std::size_t v = 0; v < h.versions.size(); ++v)
        if (!evicted[v] &&
            (least == h.versions.size() || h.versions[v].samples < h.versions[least].samples))
          least = v;
      if (least == h.versions.size()) break; // all are of this decision
      evicted[least] = true;
      decision.evict.push_back(least);
      --live;
    }
    decision.make.push_back(context);
    ++live;
  }
  return decision;
}

} // namespace sourir::native
