// The contexts of one function's calls: what samples have shown, and the versions made for them.
//
// Owns: the histories; code and versions are the CodeCache's.
// Never: decides which versions are made (context_policy.h). Threads: with the lock of their owner.
#pragma once

#include "native/tiering/code_unit.h"
#include "native/tiering/context_policy.h"
#include "sourir/semantics/config.h"

#include <deque>
#include <optional>
#include <span>

namespace sourir::native {

// Whether each call does enough to be worth a dispatch: it reaches a loop, or executes more than a
// few instructions.
bool outweighs_dispatch(const ResolvedVersion& code);

class FunctionContexts {
public:
  // Of calls that enter this version where no context holds.
  explicit FunctionContexts(const ResolvedVersion& base);

  struct Version : CodeUnit {
    const ResolvedVersion* compiled = nullptr; // whose code its calls enter
    DispatchTable::Entry* entry = nullptr;     // null: it was never installed
  };

  // A call with these arguments; returns its context, as far as O(1) shows it: elements by the
  // storage of the array.
  Context add(const ContextPolicy& policy, std::span<const Value> arguments);
  // Calls are dispatched from now on.
  void begin() { begun_ = true; }
  bool begun() const { return begun_; }

  // While the other calls run in the baseline, for feedback that is theirs.
  std::optional<RestHistory> rest;
  void rest_is_known() { history_.rest_is_known = true; }
  // The versions that are not evicted have code.
  bool all_have_code() const;
  // The most specific version with code for such calls; null: there is none.
  DispatchTable::Entry* with_code_for(const Context& call) const;

  const ContextHistory& history() const { return history_; }
  Version& operator[](std::size_t number) { return versions_[number]; }
  std::size_t size() const { return versions_.size(); }
  const Context& context(std::size_t number) const { return history_.versions[number].context; }
  std::size_t number_of(const Context& context) const;
  // The one whose code this is; null: there is none.
  Version* of(const ResolvedVersion& code);

  std::size_t add_version(Context context);
  void evict(std::size_t number) { history_.versions[number].evicted = true; }
  // It is to be made again: its code was invalidated, and the call is for it.
  std::optional<std::size_t> without_code(const Context& call) const;

  std::vector<Expr> guards(const Context& context) const;
  // The states of calls that the context holds for.
  std::vector<Config> for_context(const Context& context, const std::vector<Config>& states) const;

private:
  const ResolvedVersion& base_;
  ContextPolicy::Parameters used_; // those on which more depends than what is printed or returned
  ContextHistory history_;
  std::deque<Version> versions_; // by ContextHistory::versions
  bool begun_ = false;
};

} // namespace sourir::native
