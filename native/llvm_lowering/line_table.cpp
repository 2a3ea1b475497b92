#include "native/llvm_lowering/line_table.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

#include <stdexcept>
#include <unordered_map>

namespace sourir::native {

struct LineTable::Parsed {
  struct Symbol {
    std::uint64_t address = 0, size = 0, section = 0;
  };
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> context;
  std::unordered_map<std::string, Symbol> symbols;
};

LineTable::LineTable(std::string_view object) : object_(object) {}
LineTable::LineTable(LineTable&&) noexcept = default;
LineTable::~LineTable() = default;

const LineTable::Parsed& LineTable::parsed() const {
  if (parsed_) return *parsed_;
  auto object = llvm::object::ObjectFile::createObjectFile({object_, "code"});
  if (!object) throw std::runtime_error("LLVM: " + llvm::toString(object.takeError()));
  parsed_ = std::make_unique<Parsed>();
  parsed_->object = std::move(*object);
  for (const llvm::object::SymbolRef& symbol : parsed_->object->symbols()) {
    const auto name = llvm::cantFail(symbol.getName());
    const auto section = llvm::cantFail(symbol.getSection());
    if (section == parsed_->object->section_end()) continue;
    parsed_->symbols[name.str()] = {llvm::cantFail(symbol.getAddress()),
                                    llvm::object::ELFSymbolRef(symbol).getSize(),
                                    section->getIndex()};
  }
  return *parsed_;
}

std::uint64_t LineTable::size(const std::string& function) const {
  const auto found = parsed().symbols.find(function);
  if (found == parsed().symbols.end()) return 0;
  const auto body = parsed().symbols.find(function + body_suffix());
  const Parsed::Symbol& last = body == parsed().symbols.end() ? found->second : body->second;
  return last.address + last.size - found->second.address;
}

std::uint32_t LineTable::call(const std::string& function, std::uint64_t offset) const {
  const auto found = parsed().symbols.find(function);
  if (found == parsed().symbols.end()) return 0;
  if (!parsed_->context) parsed_->context = llvm::DWARFContext::create(*parsed_->object);
  const llvm::object::SectionedAddress at{found->second.address + offset, found->second.section};
  const llvm::DILineInfo info = parsed_->context->getLineInfoForAddress(at);
  return info.Column == kCall ? info.Line : 0;
}

} // namespace sourir::native
