#include "sourir/fuzz/random_feedback.h"

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>
#include <map>

namespace sourir {
namespace {

constexpr std::uint64_t kSteps = 20'000;
constexpr std::size_t kPredicates = 3; // at one place

// The same for the same words, whatever numbers the names have: feedback must not change when a
// program is printed and read again.
std::uint64_t words_hash(const Names& names, FunName function, VerName version) {
  std::uint64_t hash = 14'695'981'039'346'656'037U; // FNV-1a
  for (const std::string_view text : {names.text(function), names.text(version)}) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
    hash = (hash ^ 0xFF) * 1'099'511'628'211U;
  }
  return hash;
}

struct Candidate {
  Expr predicate;
  resolved::Expr linked;
};

// What can be said of a variable that has this value.
std::vector<Candidate> true_now(Var x, Slot slot, Value v, const Heap& heap) {
  std::vector<Candidate> all;
  const resolved::Operand it{Value(), slot};
  const auto op = [](auto o) { return static_cast<std::uint8_t>(o); };
  all.push_back({KindTest{x, kind_of(v)}, {resolved::Shape::KindTest, op(kind_of(v)), it, {}}});
  if (const auto literal = to_literal(v)) {
    const SimpleExpr value = match(*literal, [](const auto& l) { return SimpleExpr(l); });
    all.push_back({Binary{BinaryOp::Eq, x, value},
                   {resolved::Shape::Binary, op(BinaryOp::Eq), it, {v, resolved::kLiteral}}});
  }
  if (!v.is(Tag::Nil))
    all.push_back({Binary{BinaryOp::Ne, x, Nil{}},
                   {resolved::Shape::Binary, op(BinaryOp::Ne), it, {Value(), resolved::kLiteral}}});
  if (!v.is(Tag::Array)) return all;
  const auto& block = heap.blocks[v.as_array().index];
  for (std::size_t k = 0; k < std::min<std::size_t>(block.size(), 4); ++k)
    if (block[k].is_true()) {
      const auto index = static_cast<std::int64_t>(k);
      all.push_back(
          {Index{x, index}, {resolved::Shape::Index, 0, it, {Value(index), resolved::kLiteral}}});
    }
  return all;
}

// What held whenever a run came to a place, and which ways its branches went.
class Observer {
public:
  explicit Observer(const TransformInput& in)
      : names_(in.names), linked_(in.program, in.names), input_(in.inputs, in.names),
        seed_(in.feedback_seed) {
    limits_.fuel = kSteps;
  }

  Feedback run() {
    Config c = start(linked_, input_, never_, limits_);
    std::string printed;
    do {
      look(c);
      printed.clear();
    } while (step(c, printed).status == StepStatus::Stepped && !c.stopped());
    Feedback feedback;
    for (const auto& [place, branch] : branches_) feedback.branches.push_back(branch);
    for (const auto& [place, candidates] : held_)
      for (const Candidate& one : candidates)
        feedback.seen.push_back(
            {Place{
                 code_.at(place.first)->function, code_.at(place.first)->version, {}, place.second},
             one.predicate});
    return feedback;
  }

private:
  using Key = std::pair<std::uint64_t, Pc>; // of a version, in an order that is the same always

  void look(const Config& c) {
    const Key key{words_hash(names_, c.code->function, c.code->version), c.pc};
    code_.emplace(key.first, c.code);
    if (const auto* branch = std::get_if<resolved::Branch>(&c.instr())) {
      auto& counts = branches_[key];
      counts.at = {c.code->function, c.code->version, {}, c.pc};
      const EvalResult taken = eval(c, branch->e);
      ++(taken && taken.value.is_true() ? counts.taken : counts.not_taken);
    }
    const auto [found, fresh] = held_.try_emplace(key);
    if (fresh)
      found->second = chosen(c, key);
    else
      std::erase_if(found->second,
                    [&](const Candidate& one) { return !holds(c.heap, c.env(), one.linked); });
  }

  std::vector<Candidate> chosen(const Config& c, const Key& key) const {
    std::vector<Candidate> all, some;
    std::uint64_t state = seed_ ^ (key.first << 8) ^ key.second;
    if (next_random(state) % 3 != 0 || c.pc >= c.code->source->body.size()) return {};
    for (Slot x = 0; x < c.code->slots.size(); ++x)
      if (const Value v = c.env()[x]; !v.is(Tag::Unbound))
        for (Candidate& one : true_now(c.code->slots[x], x, v, c.heap))
          all.push_back(std::move(one));
    while (!all.empty() && some.size() < kPredicates)
      some.push_back(all[next_random(state) % all.size()]);
    return some;
  }

  const Names& names_;
  LinkedProgram linked_;
  Input input_;
  std::uint64_t seed_;
  Schedule never_;
  Limits limits_;
  std::map<Key, Feedback::BranchCounts> branches_;
  std::map<Key, std::vector<Candidate>> held_;
  std::map<std::uint64_t, const ResolvedVersion*> code_;
};

std::vector<Expr> predicates_over(Var x) {
  return {Binary{BinaryOp::Eq, x, std::int64_t{1}},
          KindTest{x, Kind::Int},
          Binary{BinaryOp::Ne, x, Nil{}},
          Binary{BinaryOp::Lt, x, std::int64_t{5}},
          KindTest{x, Kind::Array},
          Index{x, std::int64_t{0}}};
}

Feedback made_up(const Program& program, const Names& names, std::uint64_t seed) {
  Feedback feedback;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      const Scopes scopes = scopes_of(program, f, v);
      for (Position at = 0; at < v.body.size(); ++at) {
        std::uint64_t state = seed ^ (words_hash(names, f.name, v.name) << 20) ^ at;
        const Place place{f.name, v.name, {}, at};
        const std::uint64_t draw = next_random(state) % 16;
        if (std::holds_alternative<Branch>(v.body[at].instr) && draw < 12)
          feedback.branches.push_back({place, draw < 6 ? 100U : 0U, draw < 6 ? 0U : 100U});
        if (!scopes[at] || scopes[at]->empty() || draw > 3) continue;
        std::vector<Var> scope(scopes[at]->begin(), scopes[at]->end());
        std::ranges::sort(scope, {}, [&](Var x) { return names.text(x); });
        const auto predicates = predicates_over(scope[next_random(state) % scope.size()]);
        feedback.seen.push_back({place, predicates[next_random(state) % predicates.size()]});
      }
    }
  return feedback;
}

} // namespace

Feedback random_feedback(const TransformInput& in) {
  if (in.feedback_seed == 0) return {};
  if (in.feedback_seed % 4 == 0) return made_up(in.program, in.names, in.feedback_seed);
  return Observer(in).run();
}

} // namespace sourir
