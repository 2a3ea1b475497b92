#include "native/engine/native_calls.h"

#include <array>
#include <utility>

namespace sourir::native {

namespace {

using Caller = NativeResult (*)(void* entry, std::int64_t depth, const Value* arguments);

template <std::size_t n>
NativeResult call_with(void* entry, std::int64_t depth, const Value* v) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    using Word = std::uint64_t;
    [[maybe_unused]] const auto word = [&](std::size_t at) {
      return at % 2 == 0 ? v[at / 2].bits() : static_cast<Word>(v[at / 2].tag());
    };
    using Entry = NativeResult (*)(std::int64_t, std::conditional_t<i == i, Word, Word>...);
    return reinterpret_cast<Entry>(entry)(depth, word(i)...);
  }(std::make_index_sequence<2 * n>());
}

constexpr auto kCallers = []<std::size_t... n>(std::index_sequence<n...>) {
  return std::array<Caller, sizeof...(n)>{call_with<n>...};
}(std::make_index_sequence<kMostNativeParameters + 1>());

} // namespace

NativeResult call_native_code(void* entry, std::int64_t depth, const Value* arguments,
                              std::uint32_t n) {
  return kCallers[n](entry, depth, arguments);
}

} // namespace sourir::native
