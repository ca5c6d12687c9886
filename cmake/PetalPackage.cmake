# `cpack --config build/release/CPackConfig.cmake` makes two Debian packages of an optimised build:
# petal (the command) and libpetal-dev (the libraries). Configured with CMAKE_INSTALL_PREFIX=/usr,
# the libraries lie in the folder of their architecture, as Debian has it.
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_CONTACT "The petal developers <petal@petal.invalid>" CACHE STRING
    "Who maintains the packages.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/PetalDebian.cmake")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME petal)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "Bitcoin wallet that syncs with BIP37 Bloom filters
petal loads a Bloom filter onto a full node, receives filtered blocks with the
transactions that match, proves each transaction against the header chain, and
keeps the coins of its own addresses. It also makes and inspects filters, and
has a regtest node for the tests of other programs.")

# What petal-config.cmake and the pkg-config files require. Debian 12 has Boost 1.81 beside its
# default.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpetal-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libboost1.81-dev | libboost-dev (>= 1.81), \
libsecp256k1-dev, libsqlite3-dev, libsqlitecpp-dev, libssl-dev, libutf8proc-dev, \
pkg-config | pkgconf")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "BIP37 client, Bloom filters and Bitcoin wallets in C++20
Static libraries with headers, and the files by which CMake and pkg-config
find them: BIP37 Bloom filters and what they reveal, Bitcoin's transactions,
blocks and validated headers, wallets with descriptors and PSBTs, a BIP37
client, and a regtest node.")

if(PROJECT_IS_TOP_LEVEL)
    include(CPack)
endif()
