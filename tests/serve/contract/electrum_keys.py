"""Extended keys in base58, with another version."""
import hashlib

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def with_version(key, version):
    number = 0
    for letter in key:
        number = number * 58 + ALPHABET.index(letter)
    payload = version.to_bytes(4, "big") + number.to_bytes(82, "big")[4:78]
    number = int.from_bytes(payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4], "big")
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return text
