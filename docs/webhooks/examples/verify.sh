#!/bin/sh
# Usage: WEBHOOK_SECRET=... sh verify.sh < body    (exit status 0: the signature is valid)
# For manual checks only, not for a server: openssl shows the secret in the process list, and the shell does not compare
# in constant time.
[ -n "$WEBHOOK_SECRET" ] || exit 1

body=$(cat; printf .) # the dot keeps trailing newlines, which the substitution would drop
body=${body%.}
mark=',"signature":"sha256='
unsigned="${body%"$mark"*}}" # everything before the last mark, plus the closing brace
digest=$(printf %s "$unsigned" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/.*= //')

[ "$body" = "${unsigned%?}$mark$digest\"}" ]
