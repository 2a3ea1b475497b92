# sourir_add_plugin(NAME source...): NAME.so, a plugin with passes (docs/own_passes.md). It is linked
# with no library of sourir: the program that loads it has the functions that it calls.
function(sourir_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE sourir::sourir_plugin)
  # What it defines and does not export cannot be mistaken for a function of the program's.
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
endfunction()
