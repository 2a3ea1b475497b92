// Contexts: a partial order with greatest lower bounds, its forms, and what both mean by the
// semantics (dissertation 3.2).
#include "sourir/semantics/current_context.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "tests/property/cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sourir::testing {

namespace {

using Guards = std::vector<Expr>;

// A heap, values between which contexts tell, and the literals among them.
class Domain {
public:
  Domain() {
    const Str strings[] = {names_.intern<Str>("s"), names_.intern<Str>("t")};
    const FunName functions[] = {names_.intern<FunName>("f"), names_.intern<FunName>("g")};
    all_ = {Value(), Value(true), Value(false)};
    for (const std::int64_t n : {0, 1, 7}) all_.emplace_back(n);
    for (const double d : {0.0, -0.0, 0.5, HUGE_VAL, std::nan("")}) all_.emplace_back(d);
    for (const Str s : strings) all_.emplace_back(s);
    for (const FunName f : functions) all_.emplace_back(f);
    // Domain of each type remain that no literal equals.
    for (const Value& v :
         {Value(), Value(true), Value(false), Value(std::int64_t{0}), Value(std::int64_t{1}),
          Value(0.0), Value(-0.0), Value(0.5), Value(strings[0]), Value(functions[0])})
      literals_.push_back(*to_literal(v));
    const Value one = Value(std::int64_t{1}), half = Value(0.5), yes = Value(true);
    for (int twice = 0; twice < 2; ++twice)
      for (const std::vector<Value>& block :
           {std::vector<Value>{}, {one, one}, {half}, {yes}, {one, half}})
        all_.emplace_back(heap_.allocate(block));
    for (int i = 0; i < 10; ++i) parameters_.push_back(names_.intern<Var>("p" + std::to_string(i)));
  }

  Names& names() { return names_; }
  const Heap& heap() const { return heap_; }
  const std::vector<Value>& all() const { return all_; }
  const std::vector<Literal>& literals() const { return literals_; }
  std::span<const Var> parameters(std::size_t n) const { return std::span(parameters_).first(n); }

private:
  Names names_;
  Heap heap_;
  std::vector<Value> all_;
  std::vector<Literal> literals_;
  std::vector<Var> parameters_;
};

Domain& domain() {
  static Domain all;
  return all;
}

template <class T>
const T& any_of(const std::vector<T>& all, ChoiceSequence& choices) {
  return all[choices.below(static_cast<std::uint32_t>(all.size()))];
}

// Makes contexts and arguments for functions of some number of parameters.
class ContextMaker {
public:
  ContextMaker(ChoiceSequence& choices, std::size_t parameters, bool opaque = true)
      : choices_(choices), parameters_(domain().parameters(parameters)), opaque_(opaque),
        few_values_(choices.chance(1, 4)) {}
  explicit ContextMaker(ChoiceSequence& choices) : ContextMaker(choices, 1 + choices.below(10)) {}

  std::span<const Var> parameters() const { return parameters_; }

  Expr guard() {
    switch (choices_.below(opaque_ ? 12 : 8)) {
    case 0:
    case 1: return KindTest{parameter(), type()};
    case 2: return ElementsTest{parameter(), element_type()};
    case 3: return Binary{BinaryOp::Eq, parameter(), to_simple(literal())};
    case 4: return Binary{BinaryOp::Eq, to_simple(literal()), parameter()};
    case 5:
    case 6: return unequal();
    case 7: return truth();
    case 8: return Binary{BinaryOp::Lt, parameter(), std::int64_t{1}};
    case 9: return Binary{BinaryOp::Eq, parameter(), parameter()};
    case 10: return Binary{BinaryOp::Ne, parameter(), to_simple(literal())};
    default: return Index{parameter(), std::int64_t{0}};
    }
  }

  Guards guards() {
    Guards all;
    for (std::uint32_t n = choices_.below(5); n > 0; --n) all.push_back(guard());
    return all;
  }

  // Also with sets of types for which there is no guard.
  Context context() {
    Context c = Context::of(parameters_, guards());
    if (choices_.chance(1, 3) && !parameters_.empty()) c.add_types(number(), types());
    return c;
  }
  // Entailed by `c`, or entails it, or neither.
  Context like(const Context& c) {
    switch (choices_.below(3)) {
    case 0: return context();
    case 1: return c & context();
    default: break;
    }
    Guards some;
    if (const auto all = c.guards(parameters_))
      for (const Expr& g : *all)
        if (choices_.chance(1, 2)) some.push_back(g);
    return Context::of(parameters_, some);
  }

  // Often the same ones.
  std::vector<Value> arguments() {
    const auto& all = domain().all();
    const auto some = 1 + choices_.below(static_cast<std::uint32_t>(all.size()));
    std::vector<Value> out;
    while (out.size() < parameters_.size()) out.push_back(all[choices_.below(some)]);
    return out;
  }
  // Of a context that has such: half of the time those that fit it one by one.
  std::vector<Value> arguments(const Context& c) {
    std::vector<Value> out = arguments();
    if (choices_.chance(1, 2)) return out;
    const auto start = choices_.below(static_cast<std::uint32_t>(domain().all().size()));
    for (std::size_t i = 0; i < std::min(out.size(), Context::kParameters); ++i)
      for (std::size_t k = 0; k < domain().all().size(); ++k) {
        const auto& all = domain().all();
        const Value v = all[(start + i + k) % all.size()];
        if (!fits(c, i, v)) continue;
        out[i] = v;
        break;
      }
    return out;
  }

private:
  static bool fits(const Context& c, std::size_t i, Value v) {
    if (c.constant(i) != nullptr) return equal(to_value(*c.constant(i)), v);
    if (!c.types(i).has(kind_of(v))) return false;
    for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
      if (c.elements(i).has(type) && !domain().heap().elements_are(v, static_cast<Tag>(type)))
        return false;
    return true;
  }

  Var parameter() {
    return parameters_[choices_.below(static_cast<std::uint32_t>(parameters_.size()))];
  }
  std::size_t number() {
    return choices_.below(
        static_cast<std::uint32_t>(std::min(parameters_.size(), Context::kParameters)));
  }
  Literal literal() {
    if (few_values_ && choices_.chance(1, 2)) return choices_.chance(1, 2);
    return any_of(domain().literals(), choices_);
  }
  Kind type() { return static_cast<Kind>(choices_.below(few_values_ ? 2 : kTypes)); }
  Kind element_type() { return static_cast<Kind>(1 + choices_.below(3)); }
  TypeSet types() { return TypeSet::from_bits(choices_.below(1U << kTypes)); }
  Expr unequal() {
    const Var x = parameter(), y = parameter();
    if (x == y && !opaque_) return Binary{BinaryOp::Ne, x, Nil{}};
    return Binary{BinaryOp::Ne, x, y};
  }
  Expr truth() {
    switch (choices_.below(6)) {
    case 0: return SimpleExpr(parameter());
    case 1: return Unary{UnaryOp::Not, parameter()};
    case 2: return Binary{BinaryOp::And, parameter(), parameter()};
    case 3: return Binary{BinaryOp::Ne, Nil{}, parameter()};
    case 4: return to_simple(literal());
    default: return SimpleExpr(true);
    }
  }

  ChoiceSequence& choices_;
  std::span<const Var> parameters_;
  bool opaque_;
  bool few_values_; // mostly nil and bools: what is excluded determines what is left
};

bool hold(const Guards& guards, std::span<const Var> parameters, const std::vector<Value>& args) {
  return std::ranges::all_of(guards, [&](const Expr& g) {
    return holds(domain().heap(), args.data(), link_guard(g, parameters));
  });
}

bool hold(const Context& c, std::span<const Var> parameters, const std::vector<Value>& args) {
  return holds(c, parameters, args, domain().heap());
}

// --- Order

void entailment_is_a_partial_order(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context a = make.context(), b = make.like(a), c = make.like(b);
  RC_ASSERT(entails(a, a));
  RC_ASSERT((entails(a, b) && entails(b, a)) == (a == b));
  if (entails(a, b) && entails(b, c)) RC_ASSERT(entails(a, c));
  RC_ASSERT(entails(a, Context()));
  RC_ASSERT(entails(Context::never(), a));
}

void conjunction_is_the_greatest_lower_bound(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context a = make.context(), b = make.like(a), c = make.like(a & b), both = a & b;
  RC_ASSERT(entails(both, a));
  RC_ASSERT(entails(both, b));
  RC_ASSERT(entails(c, both) == (entails(c, a) && entails(c, b)));
  RC_ASSERT(entails(a, b) == (both == a));
  RC_ASSERT(both == (b & a));
  RC_ASSERT(((a & b) & c) == (a & (b & c)));
}

void sorting_keeps_entailment(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context a = make.context(), b = make.like(a);
  RC_ASSERT(!comes_before(a, a));
  RC_ASSERT(!(comes_before(a, b) && comes_before(b, a)));
  if (entails(a, b) && !(a == b)) RC_ASSERT(comes_before(a, b));
}

// --- Forms

// Entailment predicate by predicate.
bool entails_plainly(const Context& a, const Context& b) {
  if (a.is_never() || b.is_never()) return a.is_never();
  for (std::size_t i = 0; i < Context::kParameters; ++i) {
    const Literal *const in_a = a.constant(i), *const in_b = b.constant(i);
    if (!a.types(i).within(b.types(i)) || !b.elements(i).within(a.elements(i))) return false;
    if (in_b != nullptr && (in_a == nullptr || *in_a != *in_b)) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (b.unequal(j, i) && !a.unequal(j, i)) return false;
  }
  return std::ranges::all_of(b.opaque(), [&](const Expr& guard) {
    return std::ranges::find(a.opaque(), guard) != a.opaque().end();
  });
}

void packed_and_plain_agree(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context a = make.context(), b = make.like(a);
  RC_ASSERT(entails(a, b) == entails_plainly(a, b));
  RC_ASSERT(entails(b, a) == entails_plainly(b, a));
  if (entails(a, b)) RC_ASSERT(entails(a.words(), b.words()));
}

void guards_are_printed_and_parsed(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Guards given = make.guards();
  const Context c = Context::of(make.parameters(), given);
  const auto guards = c.guards(make.parameters());
  RC_ASSERT(guards.has_value());
  RC_ASSERT(guards->size() <= std::max<std::size_t>(2 * given.size(), 1));
  Guards again;
  for (const Expr& g : *guards)
    again.push_back(*parse_expr(print(g, domain().names()), domain().names()));
  RC_ASSERT(Context::of(make.parameters(), again) == c);
}

// No guards of a context with sets of types that no guard tests, unless these follow.
void guards_say_all(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context c = make.context();
  if (const auto guards = c.guards(make.parameters()))
    RC_ASSERT(Context::of(make.parameters(), *guards) == c);
}

// --- Meaning

void a_context_holds_where_its_guards_do(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Guards guards = make.guards();
  const Context c = Context::of(make.parameters(), guards);
  const auto args = make.arguments(c);
  RC_ASSERT(hold(guards, make.parameters(), args) == hold(c, make.parameters(), args));
  RC_ASSERT(hold(*c.guards(make.parameters()), make.parameters(), args) ==
            hold(c, make.parameters(), args));
}

void entailment_is_sound(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context a = make.context(), b = make.like(a);
  const auto args = make.arguments(a & b);
  const bool in_a = hold(a, make.parameters(), args), in_b = hold(b, make.parameters(), args);
  if (entails(a, b) && in_a) RC_ASSERT(in_b);
  RC_ASSERT(hold(a & b, make.parameters(), args) == (in_a && in_b));
}

// What dispatch relies on (Theorem 3).
void the_current_context_entails_what_holds(ChoiceSequence& choices) {
  ContextMaker make(choices);
  const Context c = make.context();
  const auto args = make.arguments(c);
  const Context current = current_context(std::span(args), domain().heap());
  RC_ASSERT(hold(current, make.parameters(), args));
  const bool in_c = hold(c, make.parameters(), args);
  if (c.opaque().empty())
    RC_ASSERT(entails(current, c) == in_c);
  else if (entails(current, c))
    RC_ASSERT(in_c);
}

// main, and a function with a version for each list of guards, and a base.
Program with_versions(std::span<const Var> parameters, const std::vector<Guards>& contexts) {
  Names& names = domain().names();
  Program program;
  program.functions.resize(2);
  Function &main = program.functions[0], &f = program.functions[1];
  main.name = names.intern<FunName>("main");
  main.versions = {{names.intern<VerName>("base"), {}, {}, {{{}, Stop{}}}, {}, {}}};
  f.name = names.intern<FunName>("f");
  f.params = {parameters.begin(), parameters.end()};
  for (std::size_t v = 0; v <= contexts.size(); ++v)
    f.versions.push_back({names.intern<VerName>("v" + std::to_string(v)),
                          {},
                          v < contexts.size() ? contexts[v] : Guards(),
                          {{{}, Return{SimpleExpr(Nil{})}}},
                          {},
                          {}});
  return program;
}

// Theorem 3: the reference enters a version whose context holds: the first in the order of the
// program that the current context entails, if none is opaque. So does a table sorted by
// entailment, and no other context that holds is strictly below the one that it finds.
void dispatch_enters_where_the_context_holds(ChoiceSequence& choices) {
  ContextMaker make(choices, 1 + choices.below(10), choices.chance(1, 4));
  const auto parameters = make.parameters();
  const std::vector<Guards> guards = {make.guards(), make.guards(), make.guards()};
  const Program program = with_versions(parameters, guards);
  const Function& f = program.functions[1];
  std::vector<Context> contexts;
  for (const Version& v : f.versions) contexts.push_back(context_of(f, v));
  const auto args = make.arguments(contexts[choices.below(4)]);
  const Context current = current_context(std::span(args), domain().heap());
  const auto is_above = [&](const Context& c) { return entails(current, c); };

  const LinkedProgram linked(program, domain().names());
  const Schedule schedule;
  Config c;
  c.heap = domain().heap();
  c.schedule = &schedule;
  const ResolvedVersion* const code = entered(c, *linked.function(f.name), args.data());
  const auto found = std::ranges::find(f.versions, code->version, &Version::name);
  const auto chosen = static_cast<std::size_t>(found - f.versions.begin());
  RC_ASSERT(hold(contexts[chosen], parameters, args));
  const bool opaque =
      std::ranges::any_of(contexts, [](const Context& one) { return !one.opaque().empty(); });
  if (!opaque)
    RC_ASSERT(std::ranges::find_if(contexts, is_above) - contexts.begin() ==
              static_cast<std::ptrdiff_t>(chosen));

  std::ranges::sort(contexts,
                    [](const Context& a, const Context& b) { return comes_before(a, b); });
  const Context best = *std::ranges::find_if(contexts, is_above);
  RC_ASSERT(hold(best, parameters, args));
  for (const Context& other : contexts)
    if (is_above(other) && entails(other, best)) RC_ASSERT(other == best);
}

// All guards of one predicate, and the one that never holds.
std::vector<Guards> single_guards(std::span<const Var> parameters) {
  std::vector<Guards> all = {{SimpleExpr(false)},
                             {Binary{BinaryOp::Ne, parameters[0], parameters[1]}}};
  for (const Var x : parameters) {
    for (std::size_t type = 0; type < kTypes; ++type)
      all.push_back({KindTest{x, static_cast<Kind>(type)}});
    for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
      all.push_back({ElementsTest{x, type}});
    for (const Literal& l : domain().literals())
      all.push_back({Binary{BinaryOp::Eq, x, to_simple(l)}});
    all.push_back({Binary{BinaryOp::Ne, x, Nil{}}});
  }
  return all;
}

// Of two parameters no fact that follows is missing: what holds for all values is entailed.
void entailment_of_two_is_exact(ChoiceSequence& choices) {
  ContextMaker make(choices, 2, false);
  const auto parameters = make.parameters();
  const Context a = make.context();
  std::vector<std::vector<Value>> in_a;
  for (const Value x : domain().all())
    for (const Value y : domain().all())
      if (hold(a, parameters, {x, y})) in_a.push_back({x, y});
  for (const Guards& guards : single_guards(parameters)) {
    const Context b = Context::of(parameters, guards);
    const auto in_b = [&](const std::vector<Value>& args) { return hold(b, parameters, args); };
    RC_ASSERT(entails(a, b) == std::ranges::all_of(in_a, in_b));
  }
}

// That the laws are about something: how often the random cases are of each kind, in percent.
TEST(ContextLaws, CasesAreOfAllKinds) {
  constexpr int kCases = 10'000;
  int below = 0, neither = 0, bounded = 0, never = 0, always = 0, opaque = 0, unequal = 0,
      constants = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    ChoiceSequence choices(seed);
    ContextMaker make(choices);
    const Context a = make.context(), b = make.like(a);
    below += entails(a, b) && !entails(b, a);
    neither += !entails(a, b) && !entails(b, a);
    bounded += !(a & b).is_never() && !((a & b) == a) && !((a & b) == b);
    never += a.is_never();
    always += a == Context();
    opaque += !a.opaque().empty();
    for (const Expr& g : a.guards(make.parameters()).value_or(Guards()))
      if (const auto* const binary = std::get_if<Binary>(&g))
        (binary->op == BinaryOp::Ne ? unequal : constants) += 1;
    held += hold(b, make.parameters(), make.arguments(b));
  }
  const auto at_least = [](int percent, int n) { EXPECT_GE(n, kCases / 100 * percent); };
  for (const int n : {below, neither, bounded, opaque, unequal, constants, held}) at_least(10, n);
  for (const int n : {never, always}) at_least(2, n);
  for (const int n : {never, always}) EXPECT_LE(n, kCases / 3);
}

TEST(ContextLaws, EntailmentIsAPartialOrder) { check_choices(entailment_is_a_partial_order, 50); }
TEST(ContextLaws, ConjunctionIsTheGreatestLowerBound) {
  check_choices(conjunction_is_the_greatest_lower_bound, 50);
}
TEST(ContextLaws, SortingKeepsEntailment) { check_choices(sorting_keeps_entailment, 50); }
TEST(ContextLaws, PackedAndPlainAgree) { check_choices(packed_and_plain_agree, 50); }
TEST(ContextLaws, PrintedAndParsed) { check_choices(guards_are_printed_and_parsed, 50); }
TEST(ContextLaws, GuardsSayAll) { check_choices(guards_say_all, 50); }
TEST(ContextLaws, AContextHoldsWhereItsGuardsDo) {
  check_choices(a_context_holds_where_its_guards_do, 50);
}
TEST(ContextLaws, EntailmentIsSound) { check_choices(entailment_is_sound, 50); }
TEST(ContextLaws, TheCurrentContextEntailsWhatHolds) {
  check_choices(the_current_context_entails_what_holds, 50);
}
TEST(ContextLaws, DispatchEntersWhereTheContextHolds) {
  check_choices(dispatch_enters_where_the_context_holds, 50);
}
TEST(ContextLaws, EntailmentOfTwoIsExact) { check_choices(entailment_of_two_is_exact, 50); }

} // namespace

} // namespace sourir::testing
