"""A machine of its own for the tests of a module: a network namespace whose only interface is
loopback, where every address is this machine's, and where names are asked of 127.0.0.1 alone.
Whatever is sent there stays there, and can be listened to."""

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
    # The C library's patience is endless, as far as these tests go. The domain is there whatever
    # this machine's own name is: a name that there is not may be searched for below it.
    "/etc/resolv.conf": "nameserver 127.0.0.1\nsearch local.example\noptions timeout:30\n",
    "/etc/nsswitch.conf": "hosts: files dns\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}

# linux/sched.h, sys/mount.h
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 1 << 12, 1 << 14, 1 << 18
# linux/if.h, linux/sockios.h
IFF_UP, SIOCSIFFLAGS = 1, 0x8914
LOOPBACK = 1  # the interface's number in every namespace
# linux/netlink.h, linux/rtnetlink.h
NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE = 0x1, 0x4, 0x400
RTM_NEWROUTE, RTM_DELROUTE, RTA_OIF = 24, 25, 4
RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL = 255, 3, 254, 2

libc = ctypes.CDLL(None, use_errno=True)


@functools.cache  # once for all modules of a process
def enter():
    """For setUpModule: moves this process there for good; the tests are skipped where it may not."""
    try:
        make_namespaces()
        for path, text in FILES.items():
            put_over(path, text)
        raise_loopback()
        change_routes(RTM_NEWROUTE)
    except OSError as error:
        raise unittest.SkipTest(f"no network namespace of its own here: {error}") from error


def has_ipv6():
    """Whether loopback has an address of it."""
    addresses = pathlib.Path("/proc/self/net/if_inet6")
    return addresses.exists() and addresses.read_text(encoding="ascii") != ""


@contextlib.contextmanager
def offline():
    """Meanwhile, nothing but loopback's own addresses can be reached."""
    change_routes(RTM_DELROUTE)
    try:
        yield
    finally:
        change_routes(RTM_NEWROUTE)


def call(function, *arguments):
    if function(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def make_namespaces():
    """As a user who is root in them, and nowhere else."""
    user, group = os.geteuid(), os.getegid()
    call(libc.unshare, CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS)
    process = pathlib.Path("/proc/self")
    (process / "setgroups").write_text("deny", encoding="ascii")
    (process / "uid_map").write_text(f"0 {user} 1", encoding="ascii")
    (process / "gid_map").write_text(f"0 {group} 1", encoding="ascii")
    call(libc.mount, None, b"/", None, MS_REC | MS_PRIVATE, None)


def put_over(path, text):
    """This process and its children see a file with this text there, if they saw any."""
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
    """Makes all addresses this machine's own, or no longer."""
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
