"""Signatures by the key of petal_process.ADDRESS. Only for tests: the code is short and slow."""

import hashlib
import itertools

# The private key m/84h/1h/0h/0/0 of petal_process.WORDS, its public key, and the HASH160 of that.
PRIVATE_KEY = 0xA9C4134B73560F43FC5C081E5C1DAA7CE068ADC806D80E1F37CB658E0FEA4C8D
PUBLIC_KEY = bytes.fromhex("02e7ab2537b5d49e970309aae06e9e49f36ce1c9febbd44ec8e0d1cca0b4f9c319")
KEY_HASH = bytes.fromhex("d0c4a3ef09e997b6e99e397e518fe3e41a118ca1")

# secp256k1 (SEC 2, 2.4.1)
FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
             0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add(a, b):
    """The sum of two points, neither of which is the negative of the other."""
    if a is None or b is None:
        return a or b
    if a == b:
        slope = 3 * a[0] ** 2 * pow(2 * a[1], -1, FIELD)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, FIELD)
    x = (slope**2 - a[0] - b[0]) % FIELD
    return x, (slope * (a[0] - x) - a[1]) % FIELD


def multiply(number, point=GENERATOR):
    result = None
    while number:
        if number & 1:
            result = add(result, point)
        point = add(point, point)
        number >>= 1
    return result


def integer(number):
    """The DER encoding of an integer."""
    data = number.to_bytes(number.bit_length() // 8 + 1, "big")
    return b"\x02" + bytes([len(data)]) + data


def sign(digest):
    """The DER signature of a digest, always of 71 bytes, with a low S."""
    number = int.from_bytes(digest, "big")
    for attempt in itertools.count():
        nonce = int.from_bytes(hashlib.sha256(digest + attempt.to_bytes(4, "big")).digest(), "big")
        r = multiply(nonce)[0]
        s = pow(nonce, -1, ORDER) * (number + r * PRIVATE_KEY) % ORDER
        body = integer(r) + integer(min(s, ORDER - s))
        if len(body) == 69:
            return b"\x30" + bytes([len(body)]) + body
