#include "native/runtime/heap.h"

#include <algorithm>

namespace sourir::native {

namespace {

std::uint64_t weight(const void* block) {
  return counted_size(static_cast<const Array*>(block)->length);
}

// The storage for arrays of such values only.
Storage storage_for(Tag tag) {
  switch (tag) {
  case Tag::Nil: return Storage::Empty;
  case Tag::Int: return Storage::Int;
  case Tag::Float: return Storage::Float;
  case Tag::Bool: return Storage::Bool;
  default: return Storage::Mixed;
  }
}

std::uint64_t size_in(Storage storage, std::uint64_t length) {
  switch (storage) {
  case Storage::Empty: return 0;
  case Storage::Bool: return length;
  case Storage::Int:
  case Storage::Float: return length * 8;
  case Storage::Mixed:
  case Storage::Watchpoints: break;
  }
  return length * sizeof(Value);
}

// Native code may read the length of a free block: it never changes.
void set_lengths(void* list, std::uint64_t length) {
  for (auto* a = static_cast<Array*>(list); a != nullptr; a = static_cast<Array*>(a->data))
    a->length = length;
}

// The elements as values; `to` may be their own memory, so the last comes first.
void widen(Array* a, Value* to) {
  for (std::uint64_t i = a->length; i-- > 0;) to[i] = Heap::load(a, i);
}

} // namespace

Heap::Heap(const Limits& limits)
    : limits_(limits), most_inside_(std::min(kMaxInlineElements, limits.array)),
      budget_(limits.heap) {}

bool Heap::elements_are(const Array* a, Tag tag) {
  if (a->storage >= Storage::Mixed)
    return std::all_of(values_of(a), values_of(a) + a->length, [&](Value v) { return v.is(tag); });
  return a->length == 0 || (a->storage == storage_for(tag) && a->filled == a->length);
}

void Heap::put(Array* a, std::uint64_t index, Value v) {
  if (a->storage == Storage::Bool)
    bytes_of(a)[index] = v.as_bool() ? 1 : 0;
  else if (a->storage == Storage::Mixed)
    values_of(a)[index] = v;
  else
    words_of(a)[index] = v.bits();
}

bool Heap::fail(Limit limit) {
  why_ = limit;
  return false;
}

Array* Heap::none(Limit limit) {
  why_ = limit;
  return nullptr;
}

// A program that has filled the heap to within a 64th of the limit has reached it: otherwise the
// last bytes would cost a collection each.
bool Heap::make_room(std::uint64_t bytes) {
  if (bytes > limits_.heap) return fail(Limit::Heap);
  const std::uint64_t used = limits_.heap - budget_;
  const std::uint64_t live = std::min(used, blocks_.collect(weight));
  budget_ = limits_.heap - live;
  return budget_ >= std::max(bytes, limits_.heap / 64) ? true : fail(Limit::Heap);
}

Array* Heap::allocate_slowly(std::uint64_t length) {
  if (length > limits_.array) return none(Limit::Array);
  const std::uint64_t bytes = counted_size(length);
  if (budget_ < bytes && !make_room(bytes)) return nullptr;
  const std::size_t size = length <= kMaxInlineElements ? length : 0;
  void*& list = blocks_.lists()[size];
  if (list == nullptr) {
    if (blocks_.refill(size) == nullptr) return none(Limit::Heap);
    if (size != 0) set_lengths(list, length);
  }
  auto* a = static_cast<Array*>(list);
  list = a->data;
  budget_ -= bytes;
  ++allocated_;
  if (length <= kMaxInlineElements) return begun(a, length);
  a->data = nullptr;
  a->length = length;
  return a;
}

Array* Heap::allocate(std::span<const Value> elements) {
  Array* a = allocate(elements.size());
  if (a == nullptr || elements.empty()) return a;
  const Tag tag = elements.front().tag();
  const bool one_kind = std::ranges::all_of(elements, [&](Value v) { return v.is(tag); });
  const Storage storage = one_kind ? storage_for(tag) : Storage::Mixed;
  if (storage == Storage::Empty) return a;
  if (!specialize(a, storage)) return nullptr;
  if (storage == Storage::Mixed)
    std::ranges::copy(elements, values_of(a));
  else
    for (std::uint64_t i = 0; i < elements.size(); ++i) put(a, i, elements[i]);
  a->filled = elements.size();
  return a;
}

// From Empty, whose memory, if any, is cleared. To Mixed: `length` nils.
bool Heap::specialize(Array* a, Storage to) {
  const std::uint64_t bytes = size_in(to, a->length);
  if (!a->inside) {
    void* data = to == Storage::Mixed ? blocks_.scanned(bytes) : blocks_.unscanned(bytes);
    if (data == nullptr) return fail(Limit::Heap);
    a->data = data;
  }
  a->storage = to;
  if (to == Storage::Mixed) a->filled = a->length;
  return true;
}

// To Mixed.
bool Heap::generalize(Array* a) {
  if (a->storage == Storage::Empty) return specialize(a, Storage::Mixed);
  auto* to = static_cast<Value*>(a->inside ? a->data
                                           : blocks_.scanned(size_in(Storage::Mixed, a->length)));
  if (to == nullptr) return fail(Limit::Heap);
  widen(a, to);
  a->data = to;
  a->storage = Storage::Mixed;
  a->filled = a->length;
  return true;
}

// For an array filled out of order without nils: unboxed if it is of one type.
bool Heap::settle(Array* a) {
  a->settled = true;
  const Value* values = values_of(a);
  const Storage to = storage_for(values[0].tag());
  const auto same = [&](Value v) { return v.is(values[0].tag()); };
  if (to == Storage::Mixed || to == Storage::Empty ||
      !std::all_of(values, values + a->length, same))
    return true;
  void* data = a->inside ? a->data : blocks_.unscanned(size_in(to, a->length));
  if (data == nullptr) return true; // stays Mixed
  Array narrow = *a;
  narrow.data = data;
  narrow.storage = to;
  for (std::uint64_t i = 0; i < a->length; ++i) put(&narrow, i, values[i]);
  a->data = data;
  a->storage = to;
  return true;
}

bool Heap::store_mixed(Array* a, std::uint64_t index, Value v) {
  Value& element = values_of(a)[index];
  const bool fills = element.is(Tag::Nil) && !v.is(Tag::Nil) && a->nils > 0;
  element = v;
  return fills && --a->nils == 0 ? settle(a) : true;
}

namespace {

constexpr std::uint64_t kMostBoxed = 64;  // elements of an array that is boxed for watchpoints
constexpr std::uint32_t kMostStores = 64; // into an array, until its watchpoints are abandoned
constexpr std::uint32_t kMostTypeChanges = 8;

bool is_unboxed(Storage storage) {
  return storage == Storage::Int || storage == Storage::Float || storage == Storage::Bool;
}
bool same(Value a, Value b) { return a.bits() == b.bits() && a.tag() == b.tag(); }

} // namespace

void Heap::set_watchpoint(Watchpoint& watchpoint, Array* a) {
  if (watchpoint.left == 0) return;
  --watchpoint.left;
  if (a->storage != Storage::Watchpoints) {
    const bool mixed = a->storage == Storage::Mixed;
    if (!mixed && (a->length > kMostBoxed || !generalize(a))) return;
    a->storage = Storage::Watchpoints;
    a->settled = true;
    a->nils = 0;
  }
  watchpoint.array = reinterpret_cast<std::uint64_t>(a);
  ++watchpoints_set_;
  if (watchpoint.listed != 0) return;
  watchpoint.listed = 1;
  watchpoints_.push_back(&watchpoint);
}

bool Heap::store_with_watchpoints(Array* a, std::uint64_t index, Value v) {
  const auto address = reinterpret_cast<std::uint64_t>(a);
  const bool abandoned = ++a->nils > kMostStores;
  bool kept = false;
  std::erase_if(watchpoints_, [&](Watchpoint* w) {
    if (w->array != address) return false;
    const bool changes = w->index == index && !same(w->value, v);
    if (!changes && !abandoned) {
      kept = true;
      return false;
    }
    if (!changes) w->left = 0;
    w->array = w->listed = 0;
    ++invalidated_;
    return true;
  });
  values_of(a)[index] = v;
  if (kept) return true;
  a->storage = Storage::Mixed;
  a->nils = 0;
  return true;
}

// An array of one element is a variable that functions share: where its type changes, it stays
// unboxed, unless that is often.
bool Heap::change_type(Array* a, Storage to) {
  if (a->length != 1 || !a->inside || a->nils == kMostTypeChanges || !is_unboxed(to) ||
      !is_unboxed(a->storage))
    return false;
  ++a->nils;
  a->storage = to;
  return true;
}

bool Heap::store_slowly(Array* a, std::uint64_t index, Value v) {
  if (a->storage == Storage::Watchpoints) return store_with_watchpoints(a, index, v);
  if (a->storage == Storage::Mixed) return store_mixed(a, index, v);
  if (v.is(Tag::Nil) && index >= a->filled) return true;
  const Storage wanted = storage_for(v.tag());
  if (a->storage != wanted) change_type(a, wanted);
  if (a->storage == Storage::Empty && index == 0) {
    if (!specialize(a, wanted)) return false;
    if (wanted == Storage::Mixed) a->settled = true;
  }
  if (a->storage == wanted && index <= a->filled) {
    put(a, index, v);
    if (index == a->filled) ++a->filled;
    return true;
  }
  if (v.is(Tag::Nil) && index + 1 == a->filled) {
    --a->filled;
    return true;
  }
  const bool gap = !a->settled && index > a->filled && wanted != Storage::Mixed &&
                   (a->storage == Storage::Empty || a->storage == wanted);
  const std::uint64_t nils = a->length - a->filled;
  if (!generalize(a)) return false;
  a->nils = gap ? static_cast<std::uint32_t>(nils) : 0;
  a->settled = !gap;
  return store_mixed(a, index, v);
}

} // namespace sourir::native
