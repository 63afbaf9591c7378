import type { WebhookPayload } from './types.ts';

export type VerifyOptions = {
  /** The headers of the request. With them, the age of the attempt is checked too, which prevents replays. */
  headers?: Headers | Record<string, string | string[] | undefined> | undefined;
  /** How far the time of the attempt may differ from now; five minutes by default. */
  toleranceSeconds?: number | undefined;
  now?: Date | undefined;
};

/** The body was not signed with the secret, was modified, or is too old. Respond with 400. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

const ending = /,"signature":"sha256=([0-9a-f]{64})"\}$/;

/**
 * Verifies the body of a webhook request and returns it parsed; throws a WebhookVerificationError if it is not authentic.
 * Pass the raw body, before any parser has touched it. During a rotation, pass several secrets; one must match.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  secret: string | readonly string[],
  { headers, toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookPayload> {
  const body = typeof rawBody === 'string' ? rawBody : decode(rawBody);
  const signature = ending.exec(body);
  if (!signature) throw new WebhookVerificationError('The body does not end with a signature.');
  const signed = encode(`${body.slice(0, signature.index)}}`);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (!(await someFits(secrets.map(encode), bytesOfHex(signature[1] ?? ''), signed)))
    throw new WebhookVerificationError('Signature mismatch: wrong secret or modified body.');
  if (headers) await verifyHeaders(body, secrets, reader(headers), toleranceSeconds, now);
  return JSON.parse(body);
}

/** The Standard Webhooks headers, whose signature also covers the ID and time of the attempt. */
async function verifyHeaders(
  body: string,
  secrets: readonly string[],
  header: (name: string) => string,
  toleranceSeconds: number,
  now: Date,
): Promise<void> {
  const timestamp = header('webhook-timestamp');
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp || Number.NaN)) <= toleranceSeconds))
    throw new WebhookVerificationError(
      'webhook-timestamp is missing, or differs too much from the current time.',
    );
  const signed = encode(`${header('webhook-id')}.${timestamp}.${body}`);
  const keys = secrets.map(standardKey);
  for (const one of header('webhook-signature').split(' ')) {
    const bytes = one.startsWith('v1,') ? bytesOfBase64(one.slice(3)) : undefined;
    if (bytes && (await someFits(keys, bytes, signed))) return;
  }
  throw new WebhookVerificationError(
    'webhook-signature mismatch: wrong secret, or modified headers or body.',
  );
}

/** `verify` takes constant time. */
async function someFits(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const bytes of keys) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
  }
  return false;
}

function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const decoded = secret.startsWith('whsec_') ? bytesOfBase64(secret.slice(6)) : undefined;
  return decoded?.length ? decoded : encode(secret);
}

function reader(headers: NonNullable<VerifyOptions['headers']>): (name: string) => string {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? '';
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => [all.get(name)].flat().join(' ');
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new WebhookVerificationError('The body is not valid UTF-8.');
  }
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
