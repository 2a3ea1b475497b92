// Which contexts of calls get versions of their own (docs/contexts.md; dissertation 4.8): decisions
// from samples of the arguments of one function's calls.
//
// A sample is split into a key (types, elements of arrays, functions) and the facts that may be the
// same in all calls with that key (constants, arrays that are not the same). A version is made for
// a key and the facts that all its samples share; where later calls lack some of them, another one
// is made without any.
//
// Never: touches code, memory or clocks. Threads: any.
#pragma once

#include "sourir/syntax/context.h"

#include <bitset>
#include <vector>

namespace sourir::native {

struct ContextOptions {
  // Cumulative: 0: no versions for contexts; from 1 on with types, 2 elements of arrays, 3 arrays
  // that are not the same, 4 constants, 5 functions.
  unsigned level = 5;
  std::uint32_t most_versions = 15; // of one function, beside the one for all calls
  // Of a context, until it is frequent. 1, for tests: every dispatched call is a sample, and the
  // calls of a function need not differ.
  std::uint32_t samples = 2;
  bool all_calls() const { return samples <= 1; }
};

// What is known of the calls of one function. `versions` in the order in which they were made.
struct ContextHistory {
  struct Seen {
    Context key, shared;       // shared: the facts of all samples, those of the key included
    std::uint32_t samples = 0; // of calls
    bool varies = false;       // a call did not have the facts that a version was made for
  };
  struct Version {
    Context context;
    bool evicted = false;      // another one took its place, or the compiler made none
    std::uint32_t samples = 0; // of calls that it is for
  };
  std::vector<Seen> seen;
  std::vector<Version> versions;
  std::uint32_t samples = 0;
  // The feedback is that of calls that no version is for.
  bool rest_is_known = false;
};

class ContextPolicy {
public:
  using Parameters = std::bitset<Context::kParameters>;

  explicit ContextPolicy(const ContextOptions& options) : options_(options) {}

  // A call with these arguments: its current context. `used`: the parameters that matter.
  void add(ContextHistory& h, const Context& call, std::size_t parameters, Parameters used) const;
  bool all_calls() const { return options_.all_calls(); }
  // Whether calls differ, so that the function gets versions for contexts: in types other than nil.
  bool differ(const ContextHistory& h) const;

  struct Decision {
    std::vector<Context> make;      // the most frequent first
    std::vector<std::size_t> evict; // of ContextHistory::versions
    // There are also contexts that calls entail which others are for: they wait for rest_is_known,
    // because the feedback up to now is of all.
    bool waits = false;
  };
  // Contexts of frequent calls that no version is made for. Precondition: differ(), or a version
  // has been made.
  Decision decide(const ContextHistory& h) const;

private:
  Context key_of(const Context& call, std::size_t parameters, Parameters used) const;
  Context facts_of(const Context& call, std::size_t parameters, Parameters used) const;
  bool is_frequent(const ContextHistory& h, const ContextHistory::Seen& seen) const;

  ContextOptions options_;
};

} // namespace sourir::native
