/// Frames a message with a random nonce, and reads it back.
#include <petal/net/io/dial/system_random.h>
#include <petal/net/wire/codec.h>

#include <algorithm>
#include <cstdio>
#include <string>

int main() {
    using namespace petal;
    const net::Magic magic{0xfa, 0xbf, 0xb5, 0xda};
    const net::Message sent = net::Ping{net::random_seed()};
    const chain::Bytes bytes = net::encode_message(magic, sent);

    net::FrameDecoder decoder(magic);
    std::ranges::copy(bytes, decoder.prepare(bytes.size()).begin());
    decoder.commit(bytes.size());
    const auto frame = decoder.next();
    const auto received = net::decode_message(**frame);
    const std::string command((*frame)->command);
    std::printf("%s %d\n", command.c_str(), received.value() == sent);
}
