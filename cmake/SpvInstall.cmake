# `cmake --install` and the Debian packages: `spv` is the program with its man page and completions, `libspv-dev` the
# libraries, their headers, and what CMake and pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS spv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/spv.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/spv.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spv COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/_spv DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/spv.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT spv)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT spv)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT spv)

set(spv_folders util chain bip37 wallet p2p sync store net)
set(spv_libraries ${spv_folders})
list(TRANSFORM spv_libraries PREPEND spv_)
install(TARGETS ${spv_libraries} libspv spv_warnings EXPORT spvTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
foreach(folder ${spv_folders})
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spv COMPONENT dev FILES_MATCHING PATTERN "*.h")
endforeach()

set(spv_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spv)
install(EXPORT spvTargets NAMESPACE spv:: DESTINATION ${spv_package_dir} COMPONENT dev)
configure_package_config_file(cmake/spvConfig.cmake.in ${CMAKE_BINARY_DIR}/spvConfig.cmake
  INSTALL_DESTINATION ${spv_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/spvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/spvConfig.cmake ${CMAKE_BINARY_DIR}/spvConfigVersion.cmake
  DESTINATION ${spv_package_dir} COMPONENT dev)
# A library stands before those that it needs: the linker reads static ones once.
set(SPV_PC_LIBS "-lspv_net -lspv_store -lspv_sync -lspv_p2p -lspv_wallet -lspv_bip37 -lspv_chain -lspv_util")
# From where the file lies, so that a package may be installed elsewhere than the build was told.
file(RELATIVE_PATH SPV_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/spv.pc.in ${CMAKE_BINARY_DIR}/spv.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/spv.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spv)
set(CPACK_PACKAGE_VENDOR "the spv authors")
set(CPACK_PACKAGE_CONTACT "the spv authors <spv@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL spv dev)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_SPV_PACKAGE_NAME spv)
set(CPACK_DEBIAN_SPV_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_SPV_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_SPV_DESCRIPTION "Bitcoin SPV wallet client
 Finds a wallet's coins with BIP37 filters and proves them by headers, without the block chain.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libspv-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libboost1.81-dev, libsecp256k1-dev, libssl-dev (>= 3.0), libsqlite3-dev, libutf8proc-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Bitcoin SPV client library, for development
 Static libraries and headers of what the spv program is made of.")
include(CPack)
