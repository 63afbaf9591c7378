import { expect, test } from 'vitest';
import { createUrlCheck, isBadPort } from './webhook-url.ts';

const check = createUrlCheck({ allowPrivate: true });

test('the ports that are refused are those that fetch refuses, and port 0', async () => {
  const refused = Array.from({ length: 65_536 }, (_, port) => String(port)).filter(isBadPort);
  expect(refused).toHaveLength(83);
  for (const port of refused.filter((port) => port !== '0'))
    await expect(fetch(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
      cause: { message: 'bad port' },
    });
});

test.each(['', ':443', ':80', ':3000', ':8080', ':8443', ':9443', ':65535'])(
  'a receiver at port "%s" is accepted',
  async (port) => {
    expect(await check(`https://receiver.example${port}/hooks`)).toBeNull();
  },
);

test('what is wrong with a port is said with its number', async () => {
  expect(await check('https://example.com:22')).toBe(
    'must not use port 22, which belongs to another protocol',
  );
});
