// The idioms of random_idioms.h as program text with holes:
//   #            after a name: a number that makes the name new
//   {v}          a variable in scope, or a small number; {x} {y}: the same throughout the text
//   {i}          a small number; {j}: the same throughout
//   {k}          an index 0 to 2
//   {c} {o} {a}  a comparison, an order, an arithmetic operation; {d}: an operation, the same
//                throughout
//   {t} {z}      0 or 1        {w}  n# + 1, or a small number        {zero}  a zero
//   {any}        any operation
//   {same}       an operation that changes little, as in `x + 0`
//   {b}          a boolean        {l}  any literal        {kind}  the name of a type
//   {p}          a test of n#, the same throughout; {q}: a boolean or such a test
//   {i1} {b1} .. the same throughout the text, drawn as without the digit
//   n#           an integer that no analysis knows, declared in front of the text
// Texts are in normal form: a label that is jumped to has a `goto` in front, and what a text
// declares it also drops.
#pragma once

#include <span>
#include <string_view>

namespace sourir::random {

std::span<const std::string_view> pass_idioms(); // invite mistakes of passes
// Ways to declare n#.
std::span<const std::string_view> unknown_integers();
// Functions that the texts call.
std::string_view idiom_functions();

} // namespace sourir::random
