import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeDomain } from './domain-name.ts';
import { sharedDomains } from './webmail-domains.ts';

describe('normalizeDomain', () => {
  it.each([
    ['acme.com', 'acme.com'],
    ['ACME.com', 'acme.com'],
    ['  acme.com \n', 'acme.com'],
    ['acme.com.', 'acme.com'],
    ['www.acme.com', 'acme.com'],
    ['https://www.Acme.example/path', 'acme.example'],
    ['http://acme.com/a b?c=d@other.com#e', 'acme.com'],
    ['//acme.com/x', 'acme.com'],
    ['acme.com?utm=x@other.com', 'acme.com'],
    ['acme.com\\x', 'acme.com'],
    ['acme.com:8443', 'acme.com'],
    ['https://user:secret@shop.acme.com:8443/x', 'acme.com'],
    ['jane.doe+crm@acme.com', 'acme.com'],
    ['mailto:jane@acme.com?cc=joe@other.com', 'acme.com'],
    ['@acme.com', 'acme.com'],
    ['a.b.c.acme.co.uk', 'acme.co.uk'],
    ['acme.example', 'acme.example'],
    ['eu.acme.test', 'acme.test'],
    ['acme.github.io', 'acme.github.io'],
    ['docs.acme.github.io', 'acme.github.io'],
    ['_sip.acme.com', 'acme.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.DE', 'xn--mnchen-3ya.de'],
    ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['www.食狮.公司.cn', 'xn--85x722f.xn--55qx5d.cn'],
    ['ａｃｍｅ。com', 'acme.com'],
    ['ac\u200bme.com', 'acme.com'],
    ['google.com', 'google.com'],
    ['gmail.com', 'gmail.com'],
  ])('reads %j as %s', (input, domain) => {
    expect(normalizeDomain(input)).toBe(domain);
  });

  it.each([
    ['nothing', ''],
    ['a bare word', 'acme'],
    ['a company name', 'Acme B.V.'],
    ['a placeholder', 'n.a.'],
    ['a placeholder with a slash', 'n/a'],
    ['a file', 'index.html'],
    ['localhost', 'http://localhost:3000/'],
    ['a name of a private network', 'server.acme.local'],
    ['an IPv4 address', '10.0.0.1'],
    ['a short IPv4 address', '127.1'],
    ['a hexadecimal IPv4 address', 'http://0x7f000001/'],
    ['an IPv6 address', 'http://[::1]:80/'],
    ['a top-level domain', 'com'],
    ['a public suffix', 'co.uk'],
    ['a private suffix', 'github.io'],
    ['the front page of a private suffix', 'https://www.github.io/'],
    ['two domains', 'acme.com, other.com'],
    ['two domains without a space', 'acme.com;other.com'],
    ['two lines', 'acme.com\nother.com'],
    ['two addresses', 'jane@acme.com,joe@other.com'],
    ['a domain and an address', 'acme.com,joe@other.com'],
    ['an address of an address', 'jane@acme.com@other.com'],
    ['an address with a name', 'Jane Doe <jane@acme.com>'],
    ['an empty label', 'acme..com'],
    ['a label that begins with a hyphen', '-acme.com'],
    ['a label that is too long', `${'a'.repeat(64)}.com`],
    ['a registrable label with an underscore', 'ac_me.com'],
    ['broken punycode', 'xn--a.com'],
    ['a port out of range', 'acme.com:99999'],
    ['a wildcard', '*.acme.com'],
    ['a lone surrogate', '\ud800.com'],
    ['a control character', 'ac\u0000me.com'],
    ['a page on a site of another company', 'https://sites.google.com/view/acme'],
    ['10,000 characters', `${'a.'.repeat(5000)}com`],
  ])('finds no domain in %s', (_, input) => {
    expect(normalizeDomain(input)).toBeNull();
  });

  const hostLike = fc
    .array(
      fc.constantFrom(
        'acme',
        'www',
        'mail',
        'co',
        'uk',
        'com',
        'de',
        'github',
        'io',
        'example',
        'ß',
        'ü',
        '食狮',
        'xn--',
        '7',
        '',
      ),
      { maxLength: 6 },
    )
    .map((labels) => labels.join('.'));
  const junk = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    hostLike,
    fc
      .tuple(
        fc.constantFrom('', 'https://', '//', 'mailto:', 'x@'),
        hostLike,
        fc.constantFrom('', '.', ':80', '/x', '?y@z'),
      )
      .map((parts) => parts.join('')),
    fc.webUrl(),
    fc.emailAddress(),
  );

  it('never throws, gives a lower-case ASCII host or null, and maps its own result to itself', () => {
    fc.assert(
      fc.property(junk, (input) => {
        const domain = normalizeDomain(input);
        if (domain === null) return;
        expect(domain).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
        expect(normalizeDomain(domain)).toBe(domain);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('sharedDomains', () => {
  it('holds hundreds of domains in the very form that normalizeDomain gives, or they would never be found', () => {
    expect(sharedDomains.size).toBeGreaterThan(500);
    expect([...sharedDomains].filter((domain) => normalizeDomain(domain) !== domain)).toEqual([]);
  });
});
