#include "sourir/bisim/generate/random_library.h"

#include <algorithm>
#include <cmath>

namespace sourir::random {

namespace {

constexpr std::uint32_t kMostFamilies = 2, kMostMembers = 3, kMostParams = 4;
constexpr std::uint32_t kSmallest = 3; // nodes of a function

class LibraryMaker {
public:
  LibraryMaker(Context& context, std::deque<WrittenFunction>& functions, std::uint32_t nodes)
      : context_(context), functions_(functions), left_(nodes) {}

  std::uint64_t run() {
    const Policy& policy = context_.policy;
    const std::uint32_t for_main = std::max<std::uint32_t>(left_ / 3, kSmallest);
    const auto root = static_cast<std::uint32_t>(2 * std::sqrt(left_));
    body_ = std::max<std::uint32_t>(8, std::min(root, left_ / 4));
    left_ -= std::min(left_, for_main);
    if (policy.has(Feature::Indirect)) families();
    if (policy.has(Feature::Calls))
      while (left_ > kSmallest && tape().chance(15 + left_, 16 + left_)) plain_or_recursive();
    return main(std::max(for_main, left_ / 2));
  }

private:
  Tape& tape() { return context_.tape; }
  std::uint32_t size() { return std::min(left_, kSmallest + tape().below(2 * body_)); }

  Type value_type() {
    const Policy& policy = context_.policy;
    const bool arrays = policy.has(Feature::Arrays);
    switch (tape().below(8)) {
    case 0:
    case 1: return type_of(Kind::Int);
    case 2: return type_of(Kind::Bool);
    case 3:
    case 4: return anything(0);
    case 5:
      return arrays ? array_of(Holds::Values, 1, static_cast<std::uint8_t>(tape().below(3)))
                    : anything(0);
    case 6: return arrays ? array_of(Holds::Integers, 1, 1) : type_of(Kind::Int);
    default: return anything(static_cast<std::uint8_t>(tape().below(kRank)));
    }
  }

  Signature signature(bool fuel) {
    Signature s;
    if (fuel) {
      s.params.push_back(type_of(Kind::Int));
      s.params.back().fuel = true;
    }
    while (s.params.size() < kMostParams && tape().chance(3, 5)) s.params.push_back(parameter());
    s.result = value_type();
    return s;
  }

  // Functions of a family are given to functions that call them.
  Type parameter() {
    const auto& families = context_.library.families;
    if (context_.policy.has(Feature::Indirect) && open_ && !families.empty() && tape().chance(1, 4))
      return {.kinds = Kind::Fun,
              .family = static_cast<std::uint8_t>(
                  tape().below(static_cast<std::uint32_t>(families.size())))};
    return value_type();
  }

  // Announces a function; its tree follows.
  std::uint32_t announce(const Signature& s) {
    Library& library = context_.library;
    const auto number = static_cast<std::uint32_t>(library.callees.size());
    library.callees.push_back({context_.names.function(number), s, 0, 0});
    functions_.emplace_back().tree.name = library.callees.back().name;
    return number;
  }

  struct Effort {
    std::uint64_t steps = 0, reads = 0;
    std::uint32_t calls_back = 0;
  };

  Effort make_tree(std::uint32_t number) {
    Tree& tree = functions_[number].tree;
    BodyBuilder builder(context_, tree, size(), context_.policy.steps / 8);
    builder.function(Signature(context_.library.callees[number].signature));
    left_ -= std::min(left_, static_cast<std::uint32_t>(tree.nodes.size()));
    return {builder.steps(), builder.reads(), builder.calls_back()};
  }

  // Functions that may call one another back.
  void make(std::uint32_t first, std::uint32_t count) {
    Effort all;
    for (std::uint32_t number = first; number < first + count; ++number) {
      const Effort one = make_tree(number);
      all = {all.steps + one.steps, all.reads + one.reads,
             std::max(all.calls_back, one.calls_back)};
    }
    // All the calls of a recursion: a tree as deep as the fuel.
    std::uint64_t calls = 1, level = 1;
    for (std::int64_t depth = 0; depth < kMostFuel; ++depth) calls += level *= all.calls_back;
    Library& library = context_.library;
    for (std::uint32_t number = first; number < first + count; ++number) {
      library.callees[number].steps = all.steps * calls;
      library.callees[number].reads = all.reads * calls;
    }
    library.finished = static_cast<std::uint32_t>(library.callees.size());
  }

  // Functions that values may hold: they call only one another's elders, so that calls through
  // variables end.
  void families() {
    open_ = false;
    const std::uint32_t count = 1 + tape().below(kMostFamilies);
    for (std::uint32_t f = 0; f < count && left_ > kSmallest; ++f) {
      Family family;
      family.signature = signature(false);
      const std::uint32_t members = 1 + tape().below(kMostMembers);
      for (std::uint32_t m = 0; m < members; ++m) {
        const std::uint32_t number = announce(family.signature);
        make(number, 1);
        const Callee& callee = context_.library.callees[number];
        family.members.push_back(number);
        family.steps = std::max(family.steps, callee.steps);
        family.reads = std::max(family.reads, callee.reads);
      }
      context_.library.families.push_back(std::move(family));
    }
    open_ = true;
  }

  void plain_or_recursive() {
    const bool fuel = context_.policy.has(Feature::Recursion) && tape().chance(1, 4);
    const std::uint32_t first = announce(signature(fuel));
    const bool two = fuel && tape().chance(1, 3);
    if (two) announce(signature(true));
    make(first, two ? 2 : 1);
  }

  std::uint64_t main(std::uint32_t nodes) {
    Tree& tree = functions_.emplace_back().tree;
    tree.name = context_.names.main();
    BodyBuilder builder(context_, tree, nodes, context_.policy.steps);
    builder.main();
    return builder.reads();
  }

  Context& context_;
  std::deque<WrittenFunction>& functions_;
  std::uint32_t left_, body_ = 0;
  bool open_ = true;
};

} // namespace

std::uint64_t make_trees(Context& context, std::deque<WrittenFunction>& functions,
                         std::uint32_t nodes) {
  return LibraryMaker(context, functions, nodes).run();
}

} // namespace sourir::random
