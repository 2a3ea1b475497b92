#include "sourir/syntax/text/lexer.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace sourir {

// --- The values of literal tokens, and the problems of bad ones ----------------------------------

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

// libc++ has no std::from_chars for doubles before version 20; its strtod rounds correctly, too.
template <class Number>
std::from_chars_result from_chars_or_strtod(std::string_view text, Number& value) {
  const char* const first = text.data();
  if constexpr (requires { std::from_chars(first, first, value); }) {
    return std::from_chars(first, first + text.size(), value);
  } else {
    const std::string ended(text);
    char* end = nullptr;
    errno = 0;
    value = std::strtod(ended.c_str(), &end);
    const auto error = end == ended.c_str() ? std::errc::invalid_argument
                       : errno == ERANGE    ? std::errc::result_out_of_range
                                            : std::errc();
    return {first + (end - ended.c_str()), error};
  }
}

} // namespace

std::optional<std::int64_t> integer_value(std::string_view token) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

std::from_chars_result read_double(std::string_view text, double& value) {
  return from_chars_or_strtod(text, value);
}

std::optional<double> float_value(std::string_view token) {
  double value = 0;
  const auto [end, error] = read_double(token, value);
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

namespace {

struct Invisible {
  std::string_view text;
  unsigned code;
};
constexpr Invisible kInvisible[] = {{"\u00A0", 0xA0},   {"\u2007", 0x2007}, {"\u200B", 0x200B},
                                    {"\u202F", 0x202F}, {"\u3000", 0x3000}, {"\uFEFF", 0xFEFF}};

} // namespace

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
  for (const Invisible& one : kInvisible)
    if (token == one.text) return {false, fmt::format("unexpected character U+{:04X}", one.code)};
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

namespace {

enum : std::uint8_t { kWordStart = 1, kDigit = 2, kWord = 4, kBlank = 8 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kWordStart | kWord;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kWord;
  classes['_'] = kWordStart | kWord;
  for (const unsigned char c : {' ', '\t', '\r', '\v', '\f'}) classes[c] = kBlank;
  return classes;
}();

bool is(char c, std::uint8_t classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}

bool ends_operand(Tok kind) {
  switch (kind) {
  case Tok::Name:
  case Tok::Integer:
  case Tok::Float:
  case Tok::String:
  case Tok::Nil:
  case Tok::True:
  case Tok::False:
  case Tok::RightParen:
  case Tok::RightBracket: return true;
  default: return false;
  }
}

// The operators outside ASCII (the paper's notation).
struct WideOperator {
  std::string_view text;
  Tok kind;
};
constexpr WideOperator kWideOperators[] = {
    {"≠", Tok::Ne}, {"≤", Tok::Le}, {"≥", Tok::Ge}, {"←", Tok::Arrow}, {"¬", Tok::Not}};

} // namespace

Tok reserved_word(std::string_view s) {
  const auto among = [s](std::initializer_list<std::pair<const char*, Tok>> words) {
    for (const auto& [word, kind] : words)
      if (std::memcmp(s.data(), word, s.size()) == 0) return kind;
    return Tok::Name;
  };
  switch (s.size()) {
  case 3: return among({{"var", Tok::VarWord}, {"nil", Tok::Nil}});
  case 4:
    return among({{"call", Tok::Call},
                  {"goto", Tok::Goto},
                  {"stop", Tok::Stop},
                  {"drop", Tok::Drop},
                  {"read", Tok::Read},
                  {"else", Tok::Else},
                  {"true", Tok::True}});
  case 5: return among({{"print", Tok::Print}, {"array", Tok::Array}, {"false", Tok::False}});
  case 6:
    return among({{"branch", Tok::Branch},
                  {"return", Tok::Return},
                  {"assume", Tok::Assume},
                  {"length", Tok::Length},
                  {"assert", Tok::Assert}});
  case 7: return among({{"version", Tok::Version}});
  case 8: return among({{"function", Tok::Function}});
  case 10: return among({{"guard_hint", Tok::GuardHint}});
  default: return Tok::Name;
  }
}

Token Lexer::next() {
  while (at_ < size_ && is(text_[at_], kBlank)) ++at_;
  const std::uint32_t begin = at_;
  if (at_ == size_ || text_[at_] == '\n' || text_[at_] == '#') return {Tok::End, {begin, begin}};
  const char c = text_[at_];
  Tok kind = Tok::Name;
  if (is(c, kWordStart)) {
    while (at_ < size_ && is(text_[at_], kWord)) ++at_;
    kind = reserved_word(text_.substr(begin, at_ - begin));
  } else if (is(c, kDigit)) {
    kind = number();
  } else if (c == '-' && !after_operand_ && at_ + 1 < size_ && is(text_[at_ + 1], kDigit)) {
    ++at_;
    kind = number();
  } else if (c == '"') {
    kind = string();
  } else {
    kind = other(static_cast<unsigned char>(c));
  }
  after_operand_ = ends_operand(kind);
  return {kind, {begin, at_}};
}

Tok Lexer::number() {
  const auto digits = [this] {
    while (at_ < size_ && is(text_[at_], kDigit)) ++at_;
  };
  const auto digit_at = [this](std::uint32_t at) { return at < size_ && is(text_[at], kDigit); };
  Tok kind = Tok::Integer;
  digits();
  if (at_ < size_ && text_[at_] == '.' && digit_at(at_ + 1)) {
    kind = Tok::Float;
    ++at_;
    digits();
  }
  if (at_ < size_ && (text_[at_] == 'e' || text_[at_] == 'E')) {
    const bool sign = at_ + 1 < size_ && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-');
    if (digit_at(at_ + (sign ? 2 : 1))) {
      kind = Tok::Float;
      at_ += sign ? 2 : 1;
      digits();
    }
  }
  if (at_ == size_ || (!is(text_[at_], kWord) && text_[at_] != '.')) return kind;
  while (at_ < size_ && (is(text_[at_], kWord) || text_[at_] == '.')) ++at_;
  return Tok::Bad;
}

Tok Lexer::string() {
  for (++at_; at_ < size_ && text_[at_] != '\n'; ++at_) {
    if (text_[at_] == '"') return ++at_, Tok::String;
    if (text_[at_] == '\\' && at_ + 1 < size_ && text_[at_ + 1] != '\n') ++at_;
  }
  return Tok::Bad;
}

Tok Lexer::other(unsigned char c) {
  ++at_;
  switch (c) {
  case '(': return Tok::LeftParen;
  case ')': return Tok::RightParen;
  case '[': return Tok::LeftBracket;
  case ']': return Tok::RightBracket;
  case '{': return Tok::LeftBrace;
  case '}': return Tok::RightBrace;
  case ',': return Tok::Comma;
  case ':': return Tok::Colon;
  case '$': return Tok::Dollar;
  case '\'': return Tok::Quote;
  case '+': return Tok::Add;
  case '-': return Tok::Sub;
  case '*': return Tok::Mul;
  case '/': return Tok::Div;
  case '%': return Tok::Mod;
  case '=': return take('=') ? Tok::Eq : Tok::Equals;
  case '!': return take('=') ? Tok::Ne : Tok::Not;
  case '<': return take('-') ? Tok::Arrow : take('=') ? Tok::Le : Tok::Lt;
  case '>': return take('=') ? Tok::Ge : Tok::Gt;
  case '&': return take('&') ? Tok::And : Tok::Bad;
  case '|': return take('|') ? Tok::Or : Tok::Bad;
  case '.':
    if (text_.substr(at_, 2) == "..") return at_ += 2, Tok::Ellipsis;
    return Tok::Dot;
  default: break;
  }
  const std::string_view rest = text_.substr(at_ - 1);
  for (const WideOperator& wide : kWideOperators)
    if (rest.starts_with(wide.text)) {
      at_ += static_cast<std::uint32_t>(wide.text.size()) - 1;
      return wide.kind;
    }
  while (at_ < size_ && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) ++at_;
  return Tok::Bad;
}

void Lexer::skip_line() {
  const void* newline = std::memchr(text_.data() + at_, '\n', size_ - at_);
  at_ = newline == nullptr
            ? size_
            : static_cast<std::uint32_t>(static_cast<const char*>(newline) - text_.data());
}

std::optional<std::string_view> Lexer::next_line() {
  std::optional<std::string_view> comment;
  if (at_ < size_ && text_[at_] == '#') {
    const std::uint32_t begin = at_ + 1;
    skip_line();
    std::uint32_t end = at_;
    while (end > begin && is(text_[end - 1], kBlank)) --end;
    comment = text_.substr(begin, end - begin);
  }
  if (at_ < size_) ++at_;
  after_operand_ = false;
  return comment;
}

} // namespace sourir
