import { parse } from 'tldts';

/**
 * The registrable domain (ASCII, lower case) of whatever a CRM holds as a domain: a host, a URL or an e-mail
 * address. `null` where there is none or more than one could be meant: a guess would join two companies.
 */
export function normalizeDomain(input: string): string | null {
  const host = hostOf(input);
  if (host === null || pageHosts.has(host)) return null;
  const { domain, isIcann, isPrivate, publicSuffix } = parse(host, { allowPrivateDomains: true });
  if (domain === null || !/^[a-z0-9.-]+$/.test(domain)) return null;
  // tldts takes the last label of any unlisted name for its suffix, so that `n.a`, `index.html` and
  // `server.local` would pass for domains that many companies share.
  const isListed = isIcann || isPrivate || publicSuffix === 'example' || publicSuffix === 'test';
  // `www.github.io` is the front page of a public suffix, not a customer of it.
  return isListed && !domain.startsWith('www.') ? domain : null;
}

const maxInputLength = 2048;

/** Pages of other companies under a domain that is otherwise its owner's. */
const pageHosts = new Set([
  'apps.apple.com',
  'itunes.apple.com',
  'docs.google.com',
  'drive.google.com',
  'maps.google.com',
  'play.google.com',
  'plus.google.com',
  'sites.google.com',
]);

/** What most lists hold: a host that is written as it is compared. */
const plainHost = /^(?!.*xn--)[a-z0-9.-]+$/;

function hostOf(input: string): string | null {
  if (plainHost.test(input)) return input;
  if (input.length > maxInputLength) return null;
  const afterScheme = input.trim().replace(/^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/|mailto:)/i, '');
  const [authority = ''] = afterScheme.split(/[/\\?#]/, 1);
  const [first = '', second, ...more] = authority.split('@');
  const host = second ?? first;
  const user = second === undefined ? '' : first;
  // The URL parser would drop tabs and line breaks and so glue two names together.
  if (more.length > 0 || /[\s,;|<>]/.test(user) || /[\s\p{Cc}]/u.test(host)) return null;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : null;
}
