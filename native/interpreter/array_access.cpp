// Handlers for arrays: loads, stores, length, allocation; quickened by storage.
#include "native/interpreter/handlers.h"
#include "sourir/semantics/materialize.h"

#include <algorithm>

namespace sourir::native {

namespace {

inline Array* array_at(const char* base, std::uint32_t offset) {
  return reinterpret_cast<Array*>(bits_at(base, offset));
}

inline void record_storage(Insn* ip, const Array* a) { ip->site->storages |= storage_of(*a); }

// `literal`: the index is the literal, otherwise the slot `index`.
template <bool literal>
inline bool is_access(const char* base, std::uint32_t array, std::uint32_t index) {
  return tag_at(base, array) == Tag::Array && (literal || tag_at(base, index) == Tag::Int);
}

template <Storage storage>
inline constexpr Tag kTagOf = storage == Storage::Int     ? Tag::Int
                              : storage == Storage::Float ? Tag::Float
                                                          : Tag::Bool;

template <bool literal>
void load_any(Insn* ip, char* base, Interpreter* m);

template <bool literal, Storage storage>
void load_unboxed(Insn* ip, char* base, Interpreter* m) {
  if (!is_access<literal>(base, ip->a, ip->b)) [[unlikely]]
    return load_any<literal>(ip, base, m);
  const Array* a = array_at(base, ip->a);
  const std::uint64_t index = literal ? ip->literal : bits_at(base, ip->b);
  const bool fits = storage == Storage::Mixed ? a->storage >= storage : a->storage == storage;
  if (!fits || index >= a->filled) [[unlikely]]
    return load_any<literal>(ip, base, m);
  if constexpr (storage == Storage::Mixed) {
    const char* element = static_cast<const char*>(a->data) + index * sizeof(Value);
    const Tag tag = tag_at(element, 0);
    if (static_cast<std::uint8_t>(tag) != ip->recorded) [[unlikely]]
      return load_any<literal>(ip, base, m);
    put(base, ip->x, bits_at(element, 0), tag);
  } else if constexpr (storage == Storage::Bool) {
    put(base, ip->x, static_cast<const std::uint8_t*>(a->data)[index], Tag::Bool);
  } else {
    put(base, ip->x, static_cast<const std::uint64_t*>(a->data)[index], kTagOf<storage>);
  }
  return next(ip + 1, base, m);
}

template <bool literal>
Handler load_handler(Storage storage) {
  switch (storage) {
  case Storage::Empty: break;
  case Storage::Int: return load_unboxed<literal, Storage::Int>;
  case Storage::Float: return load_unboxed<literal, Storage::Float>;
  case Storage::Bool: return load_unboxed<literal, Storage::Bool>;
  case Storage::Mixed:
  case Storage::Watchpoints: return load_unboxed<literal, Storage::Mixed>;
  }
  return load_any<literal>;
}

template <bool literal>
[[gnu::noinline]] void load_any(Insn* ip, char* base, Interpreter* m) {
  const Value index = literal ? literal_of(ip) : value_at(base, ip->b);
  if (tag_at(base, ip->a) != Tag::Array || !index.is(Tag::Int))
    return m->stuck(StuckReason::WrongType, ip, base);
  const Array* a = array_at(base, ip->a);
  if (index.bits() >= a->length) return m->stuck(StuckReason::OutOfBounds, ip, base);
  const Value v = Heap::load(a, index.bits());
  record_storage(ip, a);
  record(ip, v.tag());
  if (index.bits() < a->filled) quicken(ip, load_handler<literal>(a->storage));
  put(base, ip->x, v);
  return next(ip + 1, base, m);
}

// Which part of a store is the literal.
enum class Part : std::uint8_t { None, Index, Value };

template <Part part>
void store_any(Insn* ip, char* base, Interpreter* m);

template <Part part, Storage storage>
void store_unboxed(Insn* ip, char* base, Interpreter* m) {
  constexpr Tag tag = kTagOf<storage>;
  if (!is_access < part == Part::Index > (base, ip->x, ip->a) ||
      (part != Part::Value && tag_at(base, ip->b) != tag)) [[unlikely]]
    return store_any<part>(ip, base, m);
  Array* a = array_at(base, ip->x);
  const std::uint64_t index = part == Part::Index ? ip->literal : bits_at(base, ip->a);
  if (a->storage != storage || index >= a->length || index > a->filled) [[unlikely]]
    return store_any<part>(ip, base, m);
  if (index == a->filled) a->filled = index + 1;
  using Element = std::conditional_t<storage == Storage::Bool, std::uint8_t, std::uint64_t>;
  static_cast<Element*>(a->data)[index] =
      static_cast<Element>(part == Part::Value ? ip->literal : bits_at(base, ip->b));
  return next(ip + 1, base, m);
}

template <Part part>
[[gnu::noinline]] void store_any(Insn* ip, char* base, Interpreter* m) {
  const Value index = part == Part::Index ? literal_of(ip) : value_at(base, ip->a);
  const Value v = part == Part::Value ? literal_of(ip) : value_at(base, ip->b);
  if (tag_at(base, ip->x) != Tag::Array || !index.is(Tag::Int))
    return m->stuck(StuckReason::WrongType, ip, base);
  Array* a = array_at(base, ip->x);
  if (index.bits() >= a->length) return m->stuck(StuckReason::OutOfBounds, ip, base);
  record_storage(ip, a);
  record(ip, v.tag());
  if (!m->heap.store(a, index.bits(), v)) return m->limit(m->heap.why(), ip, base);
  if (a->storage == Storage::Int && v.is(Tag::Int)) quicken(ip, store_unboxed<part, Storage::Int>);
  if (a->storage == Storage::Float && v.is(Tag::Float))
    quicken(ip, store_unboxed<part, Storage::Float>);
  if (a->storage == Storage::Bool && v.is(Tag::Bool))
    quicken(ip, store_unboxed<part, Storage::Bool>);
  return next(ip + 1, base, m);
}

inline void allocated(Insn* ip, char* base, Interpreter* m, Array* a) {
  if (a == nullptr) return m->limit(m->heap.why(), ip, base);
  record(ip, Tag::Array);
  put(base, ip->x, value_of(a));
  return next(ip + 1, base, m);
}

} // namespace

namespace ops {

void load(Insn* ip, char* base, Interpreter* m) { return load_any<false>(ip, base, m); }
void load_at(Insn* ip, char* base, Interpreter* m) { return load_any<true>(ip, base, m); }
void store(Insn* ip, char* base, Interpreter* m) { return store_any<Part::None>(ip, base, m); }
void store_at(Insn* ip, char* base, Interpreter* m) { return store_any<Part::Index>(ip, base, m); }
void store_literal(Insn* ip, char* base, Interpreter* m) {
  return store_any<Part::Value>(ip, base, m);
}

void length(Insn* ip, char* base, Interpreter* m) {
  if (tag_at(base, ip->a) != Tag::Array) return m->stuck(StuckReason::WrongType, ip, base);
  record(ip, Tag::Int);
  put(base, ip->x, array_at(base, ip->a)->length, Tag::Int);
  return next(ip + 1, base, m);
}

void new_nils(Insn* ip, char* base, Interpreter* m) {
  const EvalResult n = array_length(value_at(base, ip->a));
  if (!n) return m->stuck(n.why, ip, base);
  m->values.top = reinterpret_cast<Value*>(base + ip->b);
  return allocated(ip, base, m, m->heap.allocate(n.value.bits()));
}

void new_of(Insn* ip, char* base, Interpreter* m) {
  m->values.top = reinterpret_cast<Value*>(base + ip->b);
  const auto* first = reinterpret_cast<const Value*>(base + ip->a);
  return allocated(ip, base, m, m->heap.allocate(std::span(first, ip->c)));
}

} // namespace ops

} // namespace sourir::native
