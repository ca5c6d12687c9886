"""Writes down who sends packets to whom on an isolated machine's loopback interface."""

import collections
import contextlib
import ipaddress
import socket
import struct
import threading

Packet = collections.namedtuple("Packet", "protocol source destination")  # each end: (host, port)

# linux/if_ether.h, linux/socket.h, linux/if_packet.h
ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 = 0x0003, 0x0800, 0x86DD
SOL_PACKET, PACKET_STATISTICS = 263, 6
PORTS_OF = {socket.IPPROTO_TCP: "tcp", socket.IPPROTO_UDP: "udp"}
HEAD = 128  # bytes: all headers that are read


def read_packet(kind, data):
    """What is no IP has no hosts, what is neither TCP nor UDP no ports."""
    if kind == ETH_P_IP:
        protocol, ends, start = data[9], (data[12:16], data[16:20]), 4 * (data[0] & 15)
    elif kind == ETH_P_IPV6:
        protocol, ends, start = data[6], (data[8:24], data[24:40]), 40
    else:
        return Packet(f"{kind:#06x}", ("", 0), ("", 0))
    ports = (0, 0)
    if protocol in PORTS_OF:
        ports = struct.unpack_from("!HH", data, start)
    source, destination = zip(map(str, map(ipaddress.ip_address, ends)), ports)
    return Packet(PORTS_OF.get(protocol, str(protocol)), source, destination)


class Sniffer:
    """The kinds of packets that were sent, in `packets` once stop() was called."""

    def __init__(self):
        self.packets = set()
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.socket.bind(("lo", ETH_P_ALL))
        # Gets the last one: all that were sent before have been read when it is.
        self.mark = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.mark.bind(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        end = self.mark.getsockname()
        while True:
            data, address = self.socket.recvfrom(HEAD)
            packet = read_packet(address[1], data)
            if packet.destination == end:
                return
            self.packets.add(packet)

    def stop(self):
        self.mark.sendto(b"", self.mark.getsockname())
        self.thread.join()
        statistics = self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
        self.mark.close()
        self.socket.close()
        _, dropped = struct.unpack("II", statistics)
        if dropped:
            raise OSError(f"{dropped} packets came too fast to be seen")


@contextlib.contextmanager
def sniffing():
    """The set of packets, filled in at the end."""
    sniffer = Sniffer()
    try:
        yield sniffer.packets
    finally:
        sniffer.stop()
