"""A network namespace for the tests of a module. Its only interface is loopback, every address belongs to this machine,
and names are looked up only at 127.0.0.1. Packets cannot leave it, and can be sniffed."""

import contextlib
import ctypes
import fcntl
import functools
import os
import pathlib
import socket
import struct
import tempfile
import unittest

FILES = {
    # The C library's timeout is longer than these tests. The search domain is set whatever the name of this machine is,
    # because a name that is not found may be searched for below it.
    "/etc/resolv.conf": "nameserver 127.0.0.1\nsearch local.example\noptions timeout:30\n",
    "/etc/nsswitch.conf": "hosts: files dns\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}

# linux/sched.h, sys/mount.h
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
# linux/if.h, linux/sockios.h
IFF_UP, SIOCSIFFLAGS = 1, 0x8914
LOOPBACK = 1  # the index of the interface in every namespace
# linux/netlink.h, linux/rtnetlink.h
NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE = 0x1, 0x4, 0x400
RTM_NEWROUTE, RTM_DELROUTE, RTA_OIF = 24, 25, 4
RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL = 255, 3, 254, 2

libc = ctypes.CDLL(None, use_errno=True)


@functools.cache  # only once for all modules of a process
def enter():
    """For setUpModule: moves this process into the namespace for good. The tests are skipped if this is not
    permitted."""
    try:
        make_namespaces()
        for path, text in FILES.items():
            put_over(path, text)
        raise_loopback()
        change_routes(RTM_NEWROUTE)
    except OSError as error:
        raise unittest.SkipTest(f"no network namespace of its own here: {error}") from error


def has_ipv6():
    """Whether loopback has an IPv6 address."""
    addresses = pathlib.Path("/proc/self/net/if_inet6")
    lines = addresses.read_text(encoding="ascii").splitlines() if addresses.exists() else []
    return any(line.split()[-1] == "lo" for line in lines)


@contextlib.contextmanager
def offline():
    """In this context, only loopback's own addresses can be reached."""
    change_routes(RTM_DELROUTE)
    try:
        yield
    finally:
        change_routes(RTM_NEWROUTE)


def call(function, *arguments):
    if function(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def make_namespaces():
    """Makes the namespaces, in which the user is root."""
    user, group = os.geteuid(), os.getegid()
    call(libc.unshare, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS)
    process = pathlib.Path("/proc/self")
    (process / "setgroups").write_text("deny", encoding="ascii")
    (process / "uid_map").write_text(f"0 {user} 1", encoding="ascii")
    (process / "gid_map").write_text(f"0 {group} 1", encoding="ascii")
    call(libc.mount, None, b"/", None, MS_REC | MS_PRIVATE, None)


def put_over(path, text):
    """Makes this process and its children see a file with this text in place of an existing file."""
    if not os.path.exists(path):
        return
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.chmod(file.name, 0o644)
        call(libc.mount, file.name.encode(), path.encode(), None, MS_BIND, None)


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


def change_routes(kind):
    """Makes all addresses belong to this machine, or undoes this."""
    flags = NLM_F_REQUEST | NLM_F_ACK | (NLM_F_CREATE if kind == RTM_NEWROUTE else 0)
    for family in [socket.AF_INET] + [socket.AF_INET6] * has_ipv6():
        message = struct.pack("=8BI", family, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST,
                              RTN_LOCAL, 0)
        message += struct.pack("=HHI", 8, RTA_OIF, LOOPBACK)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
            netlink.send(struct.pack("=IHHII", 16 + len(message), kind, flags, 1, 0) + message)
            (error,) = struct.unpack_from("=i", netlink.recv(4096), 16)
        if error != 0:
            raise OSError(-error, os.strerror(-error))
