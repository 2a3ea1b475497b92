#include "sourir/syntax/metadata_names.h"

namespace sourir {

Metadata rename(const Metadata& metadata, const std::unordered_map<Var, Var>& to,
                FreshNames& fresh) {
  Substitution values;
  std::unordered_set<Var> made;
  for (const Deferred& d : metadata.with)
    if (makes_subject(d.instr)) made.insert(subject(d.instr));
  for_each_origin_name(metadata, [&](Var x) {
    if (made.contains(x)) return;
    const auto found = to.find(x);
    const Var name = found == to.end() ? x : found->second;
    fresh.use(name);
    values.insert_or_assign(x, SimpleExpr(name));
  });
  Metadata result = metadata;
  for (Deferred& d : result.with) {
    const Var name = subject(d.instr);
    Var renamed = name;
    if (!makes_subject(d.instr)) {
      if (const auto found = values.find(name); found != values.end())
        renamed = std::get<Var>(std::get<SimpleExpr>(found->second));
    } else if (const auto found = to.find(name); found != to.end()) {
      renamed = found->second;
    } else {
      renamed = fresh.fresh<Var>(fresh.names().text(name));
    }
    d.instr = substitute(d.instr, renamed, values);
    values.insert_or_assign(name, SimpleExpr(renamed));
  }
  const auto varmap = [&](std::vector<Binding>& bindings) {
    for (Binding& b : bindings) b.value = substitute(b.value, values).value();
  };
  varmap(result.frame.varmap);
  for (OuterFrame& outer : result.outer) varmap(outer.varmap);
  return result;
}

} // namespace sourir
