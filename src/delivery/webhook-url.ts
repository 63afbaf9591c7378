import { isPublicAddress, literalAddress } from './address-guard.ts';
import { lookupInDns } from './lookup-name.ts';

/** What is wrong with the address of a webhook, in the words of the person who gave it; null where nothing is. */
export type CheckUrl = (url: string) => Promise<string | null>;

const lookupMs = 3_000;
/** What a name can have in the DNS. A longer one cannot be put into a TLS handshake, and breaks others in the process. */
export const maxHostname = 253;

/**
 * The first of two looks: the second is at the socket of every attempt. A name that does not resolve yet is accepted; its
 * deliveries fail, and are logged, until it does.
 */
export function createUrlCheck({ allowPrivate }: { allowPrivate: boolean }): CheckUrl {
  return async (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url?.protocol !== 'https:') return 'must be an https:// address';
    if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
    if (url.hostname.length > maxHostname) return `must name a host of at most ${maxHostname} characters`;
    if (url.hash !== '') return 'must not contain a fragment (#…)';
    if (allowPrivate) return null;
    const literal = literalAddress(url.hostname);
    const addresses = literal ? [literal] : await resolve(url.hostname);
    return addresses.every(isPublicAddress) ? null : 'must not lead to a private, local or reserved address';
  };
}

async function resolve(hostname: string): Promise<string[]> {
  const late = new Promise<string[]>((done) => {
    setTimeout(done, lookupMs, []).unref();
  });
  return Promise.race([lookupInDns(hostname).catch(() => []), late]);
}
