import { isPublicAddress, literalAddress } from './address-guard.ts';
import { lookupInDns } from './lookup-name.ts';

/** What is wrong with the address of a webhook, in the words of the person who gave it; null where nothing is. */
export type CheckUrl = (url: string) => Promise<string | null>;

const lookupMs = 3_000;
/** What a name can have in the DNS. A longer one cannot be put into a TLS handshake, and breaks others in the process. */
export const maxHostname = 253;

/** Those of other protocols, which no receiver listens on: https://fetch.spec.whatwg.org/#port-blocking, of May 2025. */
const badPorts = new Set(
  [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ].map(String),
);

/** They answer an event with 400. Flows of Power Automate and Logic Apps can receive one, so they are not here. */
const chats: [name: string, place: RegExp][] = [
  ['Slack', /^hooks\.slack\.com\/services\//],
  ['Discord', /^([a-z]+\.)?discord(app)?\.com\/api\/(v\d+\/)?webhooks\//],
  ['Microsoft Teams', /^[^/]+\.webhook\.office\.com\//],
];

/** Whether this is the port of another protocol than HTTPS; as a URL has it, empty for 443. */
export function isBadPort(port: string): boolean {
  return badPorts.has(port);
}

/**
 * The first of two checks; the second happens at the socket of every attempt. A name that does not resolve yet is accepted; its
 * deliveries fail, and are logged, until it does.
 */
export function createUrlCheck({ allowPrivate }: { allowPrivate: boolean }): CheckUrl {
  return async (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url?.protocol !== 'https:') return 'must be an https:// address';
    if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
    if (url.hostname.length > maxHostname) return `must name a host of at most ${maxHostname} characters`;
    if (isBadPort(url.port)) return `must not use port ${url.port}, which belongs to another protocol`;
    if (url.hash !== '') return 'must not contain a fragment (#…)';
    const chat = chats.find(([, place]) => place.test(`${url.hostname.replace(/\.$/, '')}${url.pathname}`));
    if (chat)
      return `must not be an incoming webhook of ${chat[0]}, which accepts only its own messages; use a receiver of yours that turns events into such messages`;
    if (allowPrivate) return null;
    const literal = literalAddress(url.hostname);
    const addresses = literal ? [literal] : await resolve(url.hostname);
    return addresses.every(isPublicAddress)
      ? null
      : 'must not lead to a private, local or reserved address; for development, start the service with WEBHOOK_ALLOW_PRIVATE=true';
  };
}

async function resolve(hostname: string): Promise<string[]> {
  const late = new Promise<string[]>((done) => {
    setTimeout(done, lookupMs, []).unref();
  });
  return Promise.race([lookupInDns(hostname).catch(() => []), late]);
}
