# `cmake --install` and the Debian packages: `spv` is the program with its man page and completions, `spv-server` the
# system service, `libspv0` the shared library of the C ABI, `libspv-dev` the public headers, the static libraries of the
# C++ API, and what CMake and pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS spv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/spv.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/spv.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spv COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/_spv DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT spv)
install(FILES ${PROJECT_BINARY_DIR}/generated/spv.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT spv)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT spv)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT spv)

# Only in the package: `cmake --install` leaves the machine's own settings alone.
install(FILES packaging/spv-server.service DESTINATION lib/systemd/system COMPONENT server EXCLUDE_FROM_ALL)
install(FILES packaging/spv.conf DESTINATION /etc/spv COMPONENT server EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/spv-server RENAME copyright COMPONENT server
  EXCLUDE_FROM_ALL)

set(spv_libraries util chain bip37 bip158 wallet p2p sync store net client)
if(SPV_WITH_POSTGRES)
  list(INSERT spv_libraries 8 store_postgres)
  set(SPV_PC_POSTGRES " libpq")
  set(spv_dev_postgres ", libpq-dev")
endif()
list(TRANSFORM spv_libraries PREPEND spv_)
set_target_properties(libspv PROPERTIES EXPORT_NAME cxx)
install(TARGETS ${spv_libraries} libspv spv_warnings EXPORT spvTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY include/spv DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")
if(TARGET spv_shared)
  install(TARGETS spv_shared EXPORT spvTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT lib NAMELINK_COMPONENT dev)
endif()

set(spv_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spv)
install(EXPORT spvTargets NAMESPACE spv:: DESTINATION ${spv_package_dir} COMPONENT dev)
configure_package_config_file(cmake/spvConfig.cmake.in ${CMAKE_BINARY_DIR}/spvConfig.cmake
  INSTALL_DESTINATION ${spv_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/spvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/spvConfig.cmake ${CMAKE_BINARY_DIR}/spvConfigVersion.cmake
  DESTINATION ${spv_package_dir} COMPONENT dev)
# From where the files lie, so that a package may be installed elsewhere than the build was told.
file(RELATIVE_PATH SPV_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(spv_pkgconfig name)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
# A library stands before those that it needs: the linker reads static ones once.
set(SPV_PC_LIBS ${spv_libraries})
list(REVERSE SPV_PC_LIBS)
list(TRANSFORM SPV_PC_LIBS PREPEND -l)
list(JOIN SPV_PC_LIBS " " SPV_PC_LIBS)
spv_pkgconfig(spv-cxx)
if(TARGET spv_shared)
  spv_pkgconfig(spv)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spv)
set(CPACK_PACKAGE_VENDOR "the spv authors")
set(CPACK_PACKAGE_CONTACT "the spv authors <spv@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL spv server lib dev)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_SPV_PACKAGE_NAME spv)
set(CPACK_DEBIAN_SPV_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_SPV_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_SPV_DESCRIPTION "Bitcoin SPV wallet client
 Finds a wallet's coins with BIP37 filters and proves them by headers, without the block chain.")
set(CPACK_DEBIAN_SERVER_PACKAGE_NAME spv-server)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SERVER_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "spv (= ${PROJECT_VERSION})")
set(spv_debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA
  ${spv_debian}/conffiles ${spv_debian}/postinst ${spv_debian}/prerm ${spv_debian}/postrm)
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_SERVER_DESCRIPTION "Bitcoin SPV wallet server
 A systemd service that follows wallets and serves them over HTTP: API, events, page.")
set(CPACK_DEBIAN_LIB_PACKAGE_NAME libspv0)
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIB_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_LIB_DESCRIPTION "Bitcoin SPV client library
 The C ABI of a client that finds wallets' coins with BIP37 filters and proves them by headers.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libspv-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libspv0 (= ${PROJECT_VERSION}), libboost1.81-dev, libsecp256k1-dev, libssl-dev (>= 3.0), libsqlite3-dev, libutf8proc-dev${spv_dev_postgres}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Bitcoin SPV client library, for development
 Public headers, the static libraries of the C++ API, and what CMake and pkg-config need.")
include(CPack)
