// Result<T>: a value, or why there is none. It is how functions report errors of their input: the
// libraries that also run in WebAssembly (syntax, semantics, analysis, passes, bisim, fuzz without
// host, stepper) are compiled without exceptions; only std::bad_alloc may pass through them.
//
//   Result<int> half(int n) {
//     if (n % 2 != 0) return failure("{} is odd", n);   // a format string of fmt, and arguments
//     return n / 2;
//   }
//   if (const Result<int> h = half(n); !h) report(h.error()); else use(*h);
//
// Precondition of `*result` and `result->`: it holds a value. `value()` is not used (it throws).
// Several problems of one source text, with their excerpts, are Diagnostics (diagnostics.h)
// instead; what an expression of the language evaluates to is an EvalResult (semantics/primop.h).
#pragma once

#include "sourir/syntax/source.h"

#include <fmt/core.h>
#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <utility>

namespace sourir {

// Why something could not be done, as it is shown to the user: one clause in lower case without a
// full stop ("the log ends before the run does").
struct Error {
  std::string message;
  std::optional<LineColumn> at; // where in the input that was read, if it is a text
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T = void>
using Result = tl::expected<T, Error>;

// The failed Result of any type: `return failure("'{}' is no pass", name);`
template <class... Arguments>
tl::unexpected<Error> failure(fmt::format_string<Arguments...> message, Arguments&&... arguments) {
  return tl::unexpected<Error>(
      Error{fmt::format(message, std::forward<Arguments>(arguments)...), std::nullopt});
}
// The same with a place in the text.
template <class... Arguments>
tl::unexpected<Error> failure(LineColumn at, fmt::format_string<Arguments...> message,
                              Arguments&&... arguments) {
  return tl::unexpected<Error>(
      Error{fmt::format(message, std::forward<Arguments>(arguments)...), at});
}
// The error of one Result as that of another: `if (!tree) return failure(tree.error());`
inline tl::unexpected<Error> failure(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

} // namespace sourir
