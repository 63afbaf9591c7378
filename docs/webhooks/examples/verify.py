# Usage: WEBHOOK_SECRET=... python3 verify.py < body    (exit status 0: the signature is valid)
import hashlib
import hmac
import os
import sys

TAIL_LENGTH = 87  # ,"signature":"sha256=<64 hex>"}


def verify(body: bytes, secret: str) -> bool:
    unsigned = body[:-TAIL_LENGTH] + b"}"
    digest = hmac.new(secret.encode(), unsigned, hashlib.sha256).hexdigest()
    expected = b',"signature":"sha256=' + digest.encode() + b'"}'
    return hmac.compare_digest(body[-TAIL_LENGTH:], expected)


if __name__ == "__main__":
    secret = os.environ.get("WEBHOOK_SECRET")
    sys.exit(0 if secret and verify(sys.stdin.buffer.read(), secret) else 1)
