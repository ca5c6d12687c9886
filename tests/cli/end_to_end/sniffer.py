"""Records the endpoints of packets on the loopback interface of an isolated network namespace. Of TCP, it records only
packets that open a connection: no other packet goes where none of these went, and there are few enough to lose none."""

import collections
import contextlib
import ctypes
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

# linux/filter.h, linux/bpf_common.h. Each row: the opcode, how many rows to skip if true, how many if false, and an
# operand.
SO_ATTACH_FILTER = 26
LOAD_BYTE, LOAD_BYTE_FROM_X, LOAD_HEADER_SIZE, SHIFT_RIGHT = 0x30, 0x50, 0xB1, 0x74
JUMP_IF_EQUAL, JUMP_IF_SET, RETURN = 0x15, 0x45, 0x06
SYN = 2
NOT_TCP_OR_SYN = (
    (LOAD_BYTE, 0, 0, 0),  # the version is in the upper half of this byte
    (SHIFT_RIGHT, 0, 0, 4),
    (JUMP_IF_EQUAL, 0, 5, 4),  # if not 4: to the part for IPv6
    (LOAD_BYTE, 0, 0, 9),
    (JUMP_IF_EQUAL, 0, 8, socket.IPPROTO_TCP),  # if TCP fails: to the end, accepted
    (LOAD_HEADER_SIZE, 0, 0, 0),
    (LOAD_BYTE_FROM_X, 0, 0, 13),
    (JUMP_IF_SET, 5, 6, SYN),  # to the end: accepted, or refused
    (JUMP_IF_EQUAL, 0, 4, 6),
    (LOAD_BYTE, 0, 0, 6),
    (JUMP_IF_EQUAL, 0, 2, socket.IPPROTO_TCP),
    (LOAD_BYTE, 0, 0, 40 + 13),
    (JUMP_IF_SET, 0, 1, SYN),
    (RETURN, 0, 0, HEAD),
    (RETURN, 0, 0, 0),
)


def attach_filter(packets, program):
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    memory = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HP", len(program), ctypes.addressof(memory))
    packets.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, head)


def read_packet(kind, data):
    """The endpoints of a packet. A packet that is not IP has no hosts, and one that is neither TCP nor UDP has no
    ports."""
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
    """Collects the packets that are sent; `packets` is complete after stop()."""

    def __init__(self):
        self.packets = set()
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)  # does not receive packets yet
        attach_filter(self.socket, NOT_TCP_OR_SYN)
        self.socket.bind(("lo", ETH_P_ALL))
        # Receives a last packet. When it has been read, all packets before it have been read as well.
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
    """The set of packets, which is filled at the end."""
    sniffer = Sniffer()
    try:
        yield sniffer.packets
    finally:
        sniffer.stop()
