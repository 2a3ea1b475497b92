# What `cmake --install` and CPack put where (packaging/README.md).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Without what only development needs: answers of other languages are kept, of results the pages.
install(DIRECTORY bench DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir
        PATTERN "results" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir
        PATTERN "__pycache__" EXCLUDE)
# The pages keep their places beside each other, so that their links lead somewhere.
install(DIRECTORY bench/results DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir/bench
        FILES_MATCHING PATTERN "*.md")
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir)
install(FILES sourir/semantics/SEMANTICS.md DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir/sourir/semantics)
install(FILES packaging/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir/packaging)
install(FILES profiler/flame_graph/README.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sourir/profiler/flame_graph)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES profiler/flame_graph/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
        RENAME LICENSE.d3-flame-graph)

# Where Debian's python3 looks for modules, if the prefix is /usr.
install(FILES examples/passes/sourir_pass.py DESTINATION lib/python3/dist-packages)

# --- The program's own pages and scripts, which it writes from its table of commands ---------------
if(TARGET sourir)
  set(written ${PROJECT_BINARY_DIR}/written)
  add_custom_command(OUTPUT ${written}/stamp
                     COMMAND ${SOURIR_PYTHON} ${PROJECT_SOURCE_DIR}/packaging/write_pages.py
                             $<TARGET_FILE:sourir> ${written}
                     COMMAND ${CMAKE_COMMAND} -E touch ${written}/stamp
                     DEPENDS sourir packaging/write_pages.py VERBATIM)
  add_custom_target(written_pages ALL DEPENDS ${written}/stamp)
  install(DIRECTORY ${written}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${written}/sourir.bash RENAME sourir
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${written}/_sourir DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${written}/sourir.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# --- Libraries: the language, its semantics, analyses, passes and checks ---------------------------
set(exported sourir_syntax sourir_semantics sourir_analysis sourir_passes sourir_bisim sourir_plugin)
install(TARGETS ${exported} EXPORT sourir)
install(DIRECTORY ${exported_folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sourir
        FILES_MATCHING PATTERN "*.h")
install(FILES ${plugin_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sourir/passes)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sourir)
install(EXPORT sourir NAMESPACE sourir:: DESTINATION ${package_folder})
configure_package_config_file(packaging/sourirConfig.cmake.in ${PROJECT_BINARY_DIR}/sourirConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sourirConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sourirConfig.cmake
              ${PROJECT_BINARY_DIR}/sourirConfigVersion.cmake packaging/sourirPlugin.cmake
        DESTINATION ${package_folder})
# The folder of the build is a package, too: -DCMAKE_PREFIX_PATH=.../build.
export(EXPORT sourir NAMESPACE sourir:: FILE ${PROJECT_BINARY_DIR}/sourir.cmake)
configure_file(packaging/sourirPlugin.cmake ${PROJECT_BINARY_DIR}/sourirPlugin.cmake COPYONLY)
configure_file(packaging/sourir.pc.in ${PROJECT_BINARY_DIR}/sourir.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sourir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# --- Packages --------------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The sourir developers <sourir@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "speculation and deoptimization, in a small language")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, gcc")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libfmt-dev, libexpected-dev, nlohmann-json3-dev, libboost-graph-dev, cmake, pkg-config")
include(CPack)
