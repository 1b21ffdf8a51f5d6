# Runs verify.py over cases that come line by line, see tests/data/receivers_test.ts.
import base64
import sys

from verify import verify_ed25519, verify_hmac


def text(word):
    return base64.b64decode(word).decode()


def texts(word):
    return [text(part) for part in word.split(",") if part]


for line in sys.stdin:
    header, body, now, secrets, keys = line.rstrip("\n").split("\t")
    given = (None if header == "-" else text(header), base64.b64decode(body))
    v1 = verify_hmac(*given, texts(secrets), int(now))
    try:
        jwks = [{"crv": "Ed25519", "x": x} for x in texts(keys)]
        v1a = str(verify_ed25519(*given, jwks, int(now))).lower()
    except ImportError:
        v1a = "-"
    print(str(v1).lower(), v1a)
