#include "sourir/fuzz/pass_transforms.h"

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/passes/registry.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <array>
#include <map>

namespace sourir {
namespace {

// Options with which passes do something else, and presets.
constexpr const char* kMore[] = {"checkpoints:as=assume",
                                 "checkpoints:everywhere",
                                 "fresh-version:name=second",
                                 "speculate:branches=true",
                                 "insert-from-anchor:branches=true",
                                 "inline:max-size=200:max-total=2000",
                                 "licm:loads=all",
                                 "licm:loads=running",
                                 "O1",
                                 "jit",
                                 "O2"};

std::optional<Transformed> run_one(const RunPass& pass, const TransformInput& in) {
  const Feedback feedback = random_feedback(in);
  auto done = pass.row->run({in.program, in.names, pass.options, feedback});
  if (!done) return std::nullopt;
  StateMap map = state_map(done->origins, in.program, done->program);
  return Transformed{std::move(done->program), std::move(map), done->rewrites};
}

Result<std::optional<Transformed>> run_all(const Pipeline& pipeline, const AskCommand& ask,
                                           const TransformInput& in) {
  PipelineHooks hooks;
  hooks.compose_maps = true;
  if (ask)
    hooks.command = [&](const std::string& command, const PassInput& input) {
      return ask(command, input.program, in.names);
    };
  PipelineResult done = run_pipeline(pipeline, in.program, in.names, random_feedback(in), hooks);
  if (!done.error.empty()) return failure("{}", done.error);
  if (done.program == in.program) return std::optional<Transformed>();
  std::uint64_t rewrites = 0;
  for (const PassReport& report : done.reports) rewrites += report.rewrites;
  return Transformed{std::move(done.program), std::move(*done.map), rewrites};
}

std::variant<Transform, PipelineError> transform(const std::string& text, const AskCommand& ask,
                                                 const LoadPlugin& plugins) {
  auto parsed = parse_pipeline(text, plugins);
  if (auto* error = std::get_if<PipelineError>(&parsed)) return std::move(*error);
  auto& pipeline = std::get<Pipeline>(parsed);
  if (pipeline.size() == 1)
    if (auto* pass = std::get_if<RunPass>(&pipeline.front().step);
        pass != nullptr && !pass->foreign)
      return Transform{
          text, [pass = std::move(*pass)](const TransformInput& in) { return run_one(pass, in); }};
  return Transform{text, [pipeline = std::move(pipeline), ask](const TransformInput& in) {
                     return run_all(pipeline, ask, in);
                   }};
}

// The ranges of the steps of a pipeline: they end at commas outside of quotes and brackets.
std::vector<std::pair<std::size_t, std::size_t>> steps_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  std::size_t begin = 0;
  int open = 0;
  char quote = '\0';
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (at < text.size() && quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++open;
    } else if (c == ')') {
      --open;
    } else if (c == ',' && (open <= 0 || at == text.size())) {
      steps.emplace_back(begin, at);
      begin = at + 1;
    }
  }
  return steps;
}

void add_all(std::vector<Transform>& transforms) {
  std::vector<std::string> texts;
  for (const PassRow& row : all_passes()) texts.emplace_back(row.name);
  for (const char* const more : kMore) texts.emplace_back(more);
  for (const std::string& text : texts) {
    auto made = transform(text, {}, {});
    if (auto* one = std::get_if<Transform>(&made)) transforms.push_back(std::move(*one));
  }
}

} // namespace

std::variant<PassTransforms, PipelineError>
pass_transforms(const std::string& text, AskCommand command, const LoadPlugin& plugins) {
  PassTransforms all;
  add_all(all.transforms);
  if (trimmed(text) == "all") return all;
  for (const auto& [begin, end] : steps_of(text)) {
    const std::string step(trimmed(std::string_view(text).substr(begin, end - begin)));
    const auto known = std::ranges::find(all.transforms, step, &Transform::text);
    if (known == all.transforms.end()) {
      auto made = transform(step, command, plugins);
      if (auto* error = std::get_if<PipelineError>(&made)) {
        const std::size_t skipped = text.find_first_not_of(" \t\n", begin);
        error->at += skipped == std::string::npos ? begin : skipped;
        return std::move(*error);
      }
      all.under_test.push_back(all.transforms.size());
      all.transforms.push_back(std::get<Transform>(std::move(made)));
    } else {
      all.under_test.push_back(static_cast<std::size_t>(known - all.transforms.begin()));
    }
  }
  return all;
}

FuzzPlan with_transforms(FuzzPlan plan, PassTransforms transforms) {
  plan.transforms = std::move(transforms.transforms);
  plan.under_test = std::move(transforms.under_test);
  return plan;
}

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

constexpr std::array kTypesOfElements{Kind::Bool, Kind::Int, Kind::Float};

// An array of which the instruction loads or stores an element.
std::optional<Var> accessed_array(const Instruction& instr) {
  if (const auto* const store = std::get_if<ArrayUpdate>(&instr)) return store->array;
  std::optional<Var> array;
  if (std::holds_alternative<Assume>(instr) || std::holds_alternative<Anchor>(instr)) return array;
  for_each_expression(instr, [&](const Expr& e) {
    if (const auto* const load = std::get_if<Index>(&e)) array = load->array;
  });
  return array;
}

// Predicates that hold for a variable with this value.
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
  for (const Kind type : kTypesOfElements)
    if (heap.elements_are(v, static_cast<Tag>(type)))
      all.push_back({ElementsTest{x, type}, {resolved::Shape::ElementsTest, op(type), it, {}}});
  const auto& block = heap.blocks[v.as_array().index];
  for (std::size_t k = 0; k < std::min<std::size_t>(block.size(), 4); ++k)
    if (block[k].is_true()) {
      const auto index = static_cast<std::int64_t>(k);
      all.push_back(
          {Index{x, index}, {resolved::Shape::Index, 0, it, {Value(index), resolved::kLiteral}}});
    }
  return all;
}

// Collects the predicates that hold whenever a run comes to a place, and counts of its branches.
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
      look_at_result(c);
      last_ = &c.instr();
      last_at_ = {c.code, c.pc};
      printed.clear();
    } while (step(c, printed).status == StepStatus::Stepped && !c.stopped());
    Feedback feedback;
    for (const auto& [place, branch] : branches_) feedback.branches.push_back(branch);
    for (const auto& [place, candidates] : held_)
      for (const Candidate& one : candidates)
        feedback.predicates.push_back(
            {Place{
                 code_.at(place.first)->function, code_.at(place.first)->version, {}, place.second},
             one.predicate});
    add_results(feedback);
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
    if (c.pc < c.code->source->body.size())
      if (const auto array = accessed_array(c.code->source->body[c.pc].instr))
        look_at_elements(c, key, *array);
    const auto [found, fresh] = held_.try_emplace(key);
    if (fresh)
      found->second = chosen(c, key);
    else
      std::erase_if(found->second,
                    [&](const Candidate& one) { return !holds(c.heap, c.env(), one.linked); });
  }

  // The types that all elements of the accessed array have had at each visit.
  void look_at_elements(const Config& c, const Key& key, Var array) {
    const Value v = c.env()[*c.code->slot_of(array)];
    auto& seen = elements_.try_emplace(key, Elements{array, kElementTypes}).first->second;
    for (const Kind type : kTypesOfElements)
      if (!v.is(Tag::Array) || !c.heap.elements_are(v, static_cast<Tag>(type)))
        seen.types = seen.types - type;
  }

  // What the instruction before has just bound, in this frame or by a return to it.
  void look_at_result(const Config& c) {
    if (c.pc == 0 || c.code->instrs.empty()) return;
    const auto x = bound_by(c.code->instrs[c.pc - 1]);
    const bool next = last_at_ == std::pair(c.code, Pc{c.pc - 1});
    const bool returned = last_ != nullptr && std::holds_alternative<resolved::Return>(*last_) &&
                          std::holds_alternative<resolved::Call>(c.code->instrs[c.pc - 1]);
    if (!x || !(next || returned)) return;
    if (const Tag tag = c.env()[*x].tag(); tag != Tag::Unbound)
      types_[{words_hash(names_, c.code->function, c.code->version), c.pc}] |=
          static_cast<Kind>(tag);
  }

  // Results of one type, and instructions that were not executed; of some versions.
  void add_results(Feedback& feedback) const {
    std::map<std::uint64_t, const ResolvedVersion*> versions;
    for (const auto& [key, code] : code_) versions[key] = code;
    for (const auto& [key, code] : versions) {
      std::uint64_t state = seed_ ^ (key << 4);
      const std::uint64_t draw = next_random(state) % 4;
      const auto place = [&](Pc pc) { return Place{code->function, code->version, {}, pc}; };
      for (Pc pc = 0; draw > 0 && pc < code->instrs.size(); ++pc) {
        const auto x = bound_by(code->instrs[pc]);
        if (const auto seen = elements_.find({key, pc}); seen != elements_.end())
          for (const Kind type : kTypesOfElements)
            if (seen->second.types.has(type))
              feedback.results.push_back({place(pc), ElementsTest{seen->second.array, type}});
        const auto found = types_.find({key, pc + 1});
        if (x && found != types_.end() && found->second.only())
          feedback.results.push_back(
              {place(pc + 1), KindTest{code->slots[*x], *found->second.only()}});
        else if (draw > 1 && x && !held_.contains({key, pc}))
          feedback.unreached.push_back(place(pc));
      }
    }
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
  std::map<Key, TypeSet> types_; // by the position after the instruction
  struct Elements {
    Var array;
    TypeSet types;
  };
  std::map<Key, Elements> elements_; // by the position of the instruction
  const resolved::Instr* last_ = nullptr;
  std::pair<const ResolvedVersion*, Pc> last_at_ = {};
};

std::vector<Expr> predicates_over(Var x) {
  return {Binary{BinaryOp::Eq, x, std::int64_t{1}},
          KindTest{x, Kind::Int},
          Binary{BinaryOp::Ne, x, Nil{}},
          Binary{BinaryOp::Lt, x, std::int64_t{5}},
          KindTest{x, Kind::Array},
          ElementsTest{x, Kind::Int},
          Index{x, std::int64_t{0}}};
}

// That is bound to a value of any type.
std::optional<Var> bound_variable(const Instruction& instr) {
  if (const auto* const decl = std::get_if<Decl>(&instr)) return decl->name;
  if (const auto* const assign = std::get_if<Assign>(&instr)) return assign->name;
  const auto* const call = std::get_if<Call>(&instr);
  return call != nullptr ? std::optional(call->result) : std::nullopt;
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
        if (draw == 15 && scopes[at]) feedback.unreached.push_back(place);
        if (draw > 10)
          if (const auto x = bound_variable(v.body[at].instr); x && at + 1 < v.body.size())
            feedback.results.push_back({{f.name, v.name, {}, at + 1}, KindTest{*x, Kind::Int}});
        if (draw > 8)
          if (const auto array = accessed_array(v.body[at].instr))
            feedback.results.push_back({place, ElementsTest{*array, Kind::Int}});
        if (!scopes[at] || scopes[at]->empty() || draw > 3) continue;
        std::vector<Var> scope(scopes[at]->begin(), scopes[at]->end());
        std::ranges::sort(scope, {}, [&](Var x) { return names.text(x); });
        const auto predicates = predicates_over(scope[next_random(state) % scope.size()]);
        feedback.predicates.push_back({place, predicates[next_random(state) % predicates.size()]});
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
