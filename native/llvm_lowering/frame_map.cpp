#include "native/llvm_lowering/frame_map.h"

#include <llvm/Object/ObjectFile.h>
#include <llvm/Object/StackMapParser.h>

#include <stdexcept>

namespace sourir::native {

namespace {

using Parser = llvm::StackMapParser<llvm::endianness::little>;

// As DWARF numbers them.
constexpr std::uint32_t kFramePointer = 6, kStackPointer = 7;

void read(llvm::StringRef section, std::unordered_map<std::uint64_t, FramePlace>& into) {
  const llvm::ArrayRef<std::uint8_t> bytes(section.bytes_begin(), section.size());
  if (Parser::validateHeader(bytes)) throw std::runtime_error("LLVM: an unknown stack map");
  for (const auto& record : Parser(bytes).records()) {
    if (record.getNumLocations() != 1) continue;
    const auto location = record.getLocation(0);
    if (location.getKind() != Parser::LocationKind::Direct) continue;
    const std::uint32_t from = location.getDwarfRegNum();
    if (from == kFramePointer || from == kStackPointer)
      into[record.getID()] = {from == kStackPointer, location.getOffset()};
  }
}

} // namespace

std::unordered_map<std::uint64_t, FramePlace> frame_places(std::string_view object) {
  std::unordered_map<std::uint64_t, FramePlace> places;
  auto file = llvm::object::ObjectFile::createObjectFile({object, "code"});
  if (!file) throw std::runtime_error("LLVM: " + llvm::toString(file.takeError()));
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    auto name = section.getName();
    if (!name || *name != ".llvm_stackmaps") continue;
    auto text = section.getContents();
    if (text) read(*text, places);
  }
  return places;
}

} // namespace sourir::native
