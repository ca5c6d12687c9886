# Installs the command (component `command`), and the libraries with the packages of CMake and
# pkg-config that find them (component `development`).
include(CMakePackageConfigHelpers)

if(PETAL_BUILD_COMMAND)
    install(TARGETS petal petal_bitcoind RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
    set(reference "${PROJECT_BINARY_DIR}/reference")
    install(DIRECTORY "${reference}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT command)
    install(FILES "${reference}/petal.bash" RENAME petal
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT command)
    install(FILES "${reference}/_petal"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT command)
    install(FILES "${reference}/petal.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT command)
endif()

foreach(component IN ITEMS net regtest)
    if(TARGET petal_${component})
        install(TARGETS petal_${component} EXPORT petal-targets COMPONENT development)
    endif()
endforeach()
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/petal" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    COMPONENT development)
# As they lie in the repository, so that links lead to each other. CMAKE_INSTALL_DOCDIR may be the
# folder of a project that petal is a part of.
set(doc_dir "${CMAKE_INSTALL_DATADIR}/doc/petal")
install(FILES CHANGELOG.md LICENSE README.md DESTINATION "${doc_dir}" COMPONENT development)
install(DIRECTORY docs examples DESTINATION "${doc_dir}" COMPONENT development
    PATTERN __pycache__ EXCLUDE PATTERN node_modules EXCLUDE)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/petal")
configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/petal-config.cmake.in" "${PROJECT_BINARY_DIR}/petal-config.cmake"
    INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/petal-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(EXPORT petal-targets NAMESPACE petal:: DESTINATION "${config_dir}" COMPONENT development)
install(FILES
    "${PROJECT_BINARY_DIR}/petal-config.cmake"
    "${PROJECT_BINARY_DIR}/petal-config-version.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/PetalComponents.cmake"
    DESTINATION "${config_dir}" COMPONENT development)

# petal_pkg_config(NAME DESCRIPTION LIBS library... REQUIRES module...): describes petal-NAME to
# pkg-config. The libraries are static, so that their users link all that they need.
function(petal_pkg_config NAME DESCRIPTION)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBS;REQUIRES")
    list(TRANSFORM arg_LIBS PREPEND "-l")
    list(JOIN arg_LIBS " " libs)
    list(JOIN arg_REQUIRES " " requires)
    set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    # From the file's own folder, so that the prefix of `cmake --install` counts.
    file(RELATIVE_PATH up "/prefix/${folder}" "/prefix")
    string(REGEX REPLACE "/$" "" up "${up}")
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/petal.pc.in"
        "${PROJECT_BINARY_DIR}/petal-${NAME}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/petal-${NAME}.pc" DESTINATION "${folder}"
        COMPONENT development)
endfunction()

petal_pkg_config(chain-primitives "Bitcoin's transactions and scripts; a part of petal-chain"
    LIBS petal_chain_primitives REQUIRES libcrypto)
if(TARGET petal_chain)
    petal_pkg_config(chain "Bitcoin's transactions, blocks and validated headers"
        LIBS petal_chain REQUIRES petal-chain-primitives libcrypto libsecp256k1)
endif()
if(TARGET petal_bloom)
    petal_pkg_config(bloom "BIP37 Bloom filters, and what they reveal"
        LIBS petal_bloom REQUIRES petal-chain-primitives)
endif()
if(TARGET petal_wallet)
    petal_pkg_config(wallet "Bitcoin wallets: descriptors, ledger, payments, PSBTs"
        LIBS petal_wallet petal_chain_storage SQLiteCpp
        REQUIRES petal-chain libcrypto libsecp256k1 libutf8proc sqlite3)
endif()
if(TARGET petal_net)
    petal_pkg_config(net "A BIP37 client"
        LIBS petal_net_io petal_net_sync petal_net_discovery petal_net_broadcast petal_net_peer
             petal_net_wire petal_chain_storage SQLiteCpp pthread
        REQUIRES petal-bloom petal-chain libcrypto libsecp256k1 sqlite3)
endif()
if(TARGET petal_client)
    petal_pkg_config(client "Wallets that sync, pay and announce"
        LIBS petal_client REQUIRES petal-wallet petal-net)
endif()
if(TARGET petal_regtest)
    petal_pkg_config(regtest "A regtest node for tests"
        LIBS petal_regtest_serve petal_regtest_node
        REQUIRES petal-net petal-chain libsecp256k1)
endif()
