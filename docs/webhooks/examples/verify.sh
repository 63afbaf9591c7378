#!/bin/sh
# Usage: WEBHOOK_SECRET=... sh verify.sh < body    (exit status 0: the signature is right)
# For a look by hand, not for a server: openssl shows the secret in the list of processes, and a shell compares
# in a time that depends on the text.
[ -n "$WEBHOOK_SECRET" ] || exit 1

body=$(cat; printf .) # the dot keeps line ends that the substitution would drop
body=${body%.}
mark=',"signature":"sha256='
unsigned="${body%"$mark"*}}" # everything before the last mark, and the closing brace
digest=$(printf %s "$unsigned" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/.*= //')

[ "$body" = "${unsigned%?}$mark$digest\"}" ]
