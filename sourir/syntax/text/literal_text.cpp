// The values of literal tokens, and what is wrong with a token that is none.
#include "sourir/syntax/text/lexer.h"

#include <charconv>
#include <fmt/format.h>

namespace sourir {

namespace {

// Whether a number out of binary64's range is too large, not too small: the decimal exponent of
// its first digit that is not zero.
bool overflows(std::string_view token) {
  if (token.starts_with('-')) token.remove_prefix(1);
  const std::size_t e = token.find_first_of("eE");
  const std::string_view digits = token.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_not_of("0.");
  if (first == std::string_view::npos) return false;
  if (e != std::string_view::npos) {
    std::string_view exponent = token.substr(e + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t value = 0;
    const auto [_, error] =
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    constexpr std::int64_t kHuge = std::int64_t{1} << 40; // beyond any number of digits
    if (error != std::errc() || value > kHuge) return !negative;
    const auto position = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    return position + (negative ? -value : value) > 0;
  }
  return first < point;
}

// Length of the UTF-8 sequence at the start of a text; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [byte](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second >= 0xA0;
    return continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = lead == 0xF0 && second < 0x90;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
}

} // namespace

std::optional<std::int64_t> integer_value(std::string_view token) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

std::optional<double> float_value(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc()) return value;
  if (overflows(token)) return std::nullopt;
  return token.starts_with('-') ? -0.0 : 0.0;
}

std::string string_value(std::string_view token) {
  std::string value;
  const std::string_view inner = token.substr(1, token.size() - 2);
  value.reserve(inner.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      value += inner[i];
      continue;
    }
    switch (const char c = inner[++i]; c) {
    case 'n': value += '\n'; break;
    case 't': value += '\t'; break;
    case '"':
    case '\\': value += c; break;
    default: value += '\\', value += c;
    }
  }
  return value;
}

BadToken describe_bad(std::string_view token) {
  const char first = token.empty() ? '\0' : token.front();
  if (first == '"') return {true, "the string is not closed on its line"};
  if (first == '-' || (first >= '0' && first <= '9'))
    return {false, fmt::format("`{}` is neither a number nor a name", token.substr(0, 40))};
  if (first == '&' || first == '|')
    return {false, fmt::format("there is no operator `{0}`, only `{0}{0}`", first)};
  const auto code = static_cast<unsigned char>(first);
  if (code < 0x20 || code == 0x7F)
    return {false, fmt::format("unexpected control character U+{:04X}", code)};
  return {false, fmt::format("unexpected character `{}`", token)};
}

std::optional<std::uint32_t> find_bad_utf8(std::string_view text, std::uint32_t from) {
  constexpr std::size_t kChunk = 64;
  std::size_t at = from;
  while (at < text.size()) {
    unsigned char high = 0;
    if (at + kChunk <= text.size()) { // one vector operation or a few for 64 bytes of ASCII
      for (std::size_t i = 0; i < kChunk; ++i) high |= static_cast<unsigned char>(text[at + i]);
      if (high < 0x80) {
        at += kChunk;
        continue;
      }
    }
    const std::size_t stop = std::min(at + kChunk, text.size());
    while (at < stop) {
      const std::size_t length = sequence_length(text.substr(at, 4));
      if (length == 0) return static_cast<std::uint32_t>(at);
      at += length;
    }
  }
  return std::nullopt;
}

} // namespace sourir
