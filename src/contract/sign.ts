import { createHmac, randomBytes } from 'node:crypto';

/**
 * The exact bytes of a delivery's body without its signature. They are fixed when the event commits, and the same in every
 * retry.
 */
export function unsignedBody(event: string, data: unknown, timestamp: string): string {
  return JSON.stringify({ event, data, timestamp });
}

/**
 * The body as sent. The signature is the last member, so a receiver recovers the signed bytes by cutting off a fixed number
 * of bytes, without parsing the data.
 */
export function signedBody(unsigned: string, secret: string): string {
  const digest = createHmac('sha256', secret).update(unsigned).digest('hex');
  return `${unsigned.slice(0, -1)},"signature":"sha256=${digest}"}`;
}

/** Standard Webhooks headers over the raw body. During a rotation, there is one signature per secret. */
export function standardHeaders(options: {
  id: string;
  body: string;
  secrets: string[];
  now: Date;
}): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(options.now.getTime() / 1000));
  const content = `${options.id}.${timestamp}.${options.body}`;
  const signatures = options.secrets.map(
    (secret) => `v1,${createHmac('sha256', standardKey(secret)).update(content).digest('base64')}`,
  );
  return {
    'webhook-id': options.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

// As in the Standard Webhooks libraries of most languages, padding is optional. Anything else is refused: Buffer.from would
// silently skip characters that are not base64, which would weaken the key.
const encodedSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

function standardKey(secret: string): Buffer {
  const encoded = encodedSecret.exec(secret)?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}
