import { parse } from 'tldts';

/**
 * The registrable domain (ASCII, lower case) of a CRM field that contains a host, a URL or an email address. `null` if there
 * is none or more than one is possible: a guess could join two companies.
 */
export function normalizeDomain(input: string): string | null {
  const host = hostOf(input);
  if (host === null || pageHosts.has(host)) return null;
  const { domain, isIcann, isPrivate, publicSuffix } = parse(host, { allowPrivateDomains: true });
  if (domain === null || !/^[a-z0-9.-]+$/.test(domain)) return null;
  // For an unlisted name, tldts returns the last label as its suffix. Without this check, `n.a`, `index.html` and
  // `server.local` would count as domains that many companies share.
  const isListed = isIcann || isPrivate || publicSuffix === 'example' || publicSuffix === 'test';
  // `www.github.io` is the home page of a public suffix, not one of its customers.
  return isListed && !domain.startsWith('www.') ? domain : null;
}

const maxInputLength = 2048;

/** Hosts of other companies' pages, on a domain that otherwise belongs to its owner. */
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

/** The common case: a host that needs no normalization. */
const plainHost = /^(?!.*xn--)[a-z0-9.-]+$/;

function hostOf(input: string): string | null {
  if (plainHost.test(input)) return input;
  if (input.length > maxInputLength) return null;
  const afterScheme = input.trim().replace(/^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/|mailto:)/i, '');
  const [authority = ''] = afterScheme.split(/[/\\?#]/, 1);
  const [first = '', second, ...more] = authority.split('@');
  const host = second ?? first;
  const user = second === undefined ? '' : first;
  // The URL parser would drop tabs and line breaks and join two names.
  if (more.length > 0 || /[\s,;|<>]/.test(user) || /[\s\p{Cc}]/u.test(host)) return null;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : null;
}
