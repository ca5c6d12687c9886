/// Starts a regtest node, mines, and prints the height.
#include <petal/regtest/serve/embedded_node.h>

#include <cstdio>

int main() {
    using namespace petal;
    regtest::EmbeddedNode node;
    node.with_chain([](regtest::RegtestChain& chain) {
        chain.mine(3);
        return 0;
    });
    std::printf("%u\n",
                node.with_chain([](regtest::RegtestChain& chain) { return chain.height(); }));
}
