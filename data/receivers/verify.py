"""Checks that a webhook is from Wattkeeper: Python 3.8 or later, standard library alone.

`body` is the request's bytes as they came, before any parsing. The standard library has no
Ed25519: verify_ed25519 needs the package cryptography, verify_hmac needs nothing.
"""

import base64
import hashlib
import hmac
import re
import time

TOLERANCE_S = 300


def verify_hmac(header, body, secrets, now_s=None):
    """Whether one of the subscription's secrets signed it (HMAC-SHA256, v1)."""
    t, values = _parse(header, "v1", 64, now_s)
    if t is None:
        return False
    found = False
    for secret in secrets:
        own = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).digest()
        for value in values:
            found |= hmac.compare_digest(own, value)
    return found


def verify_ed25519(header, body, keys, now_s=None):
    """Whether a key of GET /webhooks/jwks.json signed it (Ed25519, v1a); keys as they are there."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    t, values = _parse(header, "v1a", 128, now_s)
    if t is None:
        return False
    for key in keys:
        if key["crv"] != "Ed25519":
            continue
        public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key["x"] + "="))
        for value in values:
            try:
                public.verify(value, t.encode() + b"." + body)
                return True
            except InvalidSignature:
                pass
    return False


def _parse(header, kind, digits, now_s):
    """The text of t and all values of a kind; no t where the header or the clock is wrong."""
    entries = [entry.strip(" ").partition("=") for entry in (header or "").split(",")]
    times = [value for name, _, value in entries if name == "t"]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]):
        return None, []
    if abs(int(time.time() if now_s is None else now_s) - int(times[0])) > TOLERANCE_S:
        return None, []
    form = re.compile("[0-9a-fA-F]{%d}" % digits)
    values = [value for name, _, value in entries if name == kind and form.fullmatch(value)]
    return times[0], [bytes.fromhex(value) for value in values]
