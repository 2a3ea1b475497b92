#include "native/runtime/native_code.h"

namespace sourir::native {

DispatchTable::Entry& DispatchTable::append(std::vector<resolved::Expr> when) {
  Entry& added = entries.emplace_back();
  added.when = std::move(when);
  order.push_back(&added);
  return added;
}

DispatchTable::Entry& DispatchTable::insert(Context context, std::vector<resolved::Expr> when) {
  Entry& added = entries.emplace_back();
  added.context = std::move(context);
  added.when = std::move(when);
  const auto place = std::ranges::find_if(
      order, [&](const Entry* e) { return entails(added.context, e->context); });
  order.insert(place, &added);
  return added;
}

} // namespace sourir::native
