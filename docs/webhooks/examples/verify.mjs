// Usage: WEBHOOK_SECRET=... node verify.mjs < body    (exit status 0: the signature is valid)
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const tailLength = 87; // ,"signature":"sha256=<64 hex>"}

/** `body` is a Buffer with the raw request body. */
export function verify(body, secret) {
  const hmac = createHmac('sha256', secret).update(body.subarray(0, -tailLength)).update('}');
  const expected = Buffer.from(`,"signature":"sha256=${hmac.digest('hex')}"}`);
  const received = body.subarray(-tailLength);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

const secret = process.env.WEBHOOK_SECRET;
process.exitCode = secret && verify(readFileSync(0), secret) ? 0 : 1;
