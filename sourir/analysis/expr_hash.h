// Hashes of expressions, for tables of them. They depend on the interner's ids, so no order may
// depend on them.
#pragma once

#include "sourir/syntax/expr.h"
#include "sourir/syntax/match.h"

namespace sourir {

struct ExprHash {
  std::size_t operator()(const SimpleExpr& e) const {
    const std::uint64_t bits = match(
        e, [](Nil) { return std::uint64_t{0}; }, [](bool b) { return std::uint64_t{b}; },
        [](std::int64_t n) { return static_cast<std::uint64_t>(n); },
        [](Float f) { return std::bit_cast<std::uint64_t>(f.value); },
        [](auto name) { return std::uint64_t{name.id}; });
    return mix(e.index(), bits);
  }
  std::size_t operator()(const Expr& e) const {
    return mix(
        e.index(),
        match(
            e, [&](const SimpleExpr& se) { return (*this)(se); },
            [&](const Unary& u) { return mix(of(u.op), (*this)(u.operand)); },
            [&](const Binary& b) { return mix(mix(of(b.op), (*this)(b.left)), (*this)(b.right)); },
            [&](const Index& i) { return mix(i.array.id, (*this)(i.index)); },
            [&](const Length& l) { return (*this)(l.array); },
            [&](const KindTest& t) { return mix(of(t.kind), (*this)(t.operand)); },
            [&](const ElementsTest& t) { return mix(of(t.kind), (*this)(t.operand)); }));
  }

private:
  static std::size_t of(auto enumerator) { return static_cast<std::size_t>(enumerator); }
  static std::size_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t h = (a + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 ^ b;
    h = (h ^ (h >> 29)) * 0x94d049bb133111eb;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

} // namespace sourir
