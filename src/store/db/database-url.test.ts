import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from './database-url.ts';

const servers = (url: string) =>
  parseDatabaseUrl(url).map(({ connectionString }) => {
    const { host, port, user, password, database } = new pg.Client({ connectionString });
    return { host, port, user, password, database };
  });

describe('the servers that DATABASE_URL names', () => {
  test.each([
    ['postgresql://u:p%40x@one/db', [['one', 5432]]],
    ['postgres://u:p%40x@one:5001,two:5002/db?target_session_attrs=read-write', [['one', 5001], ['two', 5002]]], // biome-ignore format: one case a line
    ['postgresql://u:p%40x@[::1]:5001/db', [['::1', 5001]]],
    ['postgresql://u:p%40x@/db?host=/run/a,/run/b&port=5001', [['/run/a', 5001], ['/run/b', 5001]]], // biome-ignore format: one case a line
    ['postgresql://u:p%40x@%2Frun%2Fa/db', [['/run/a', 5432]]],
  ] as [string, [string, number][]][])('%s', (url, expected) => {
    expect(servers(url)).toEqual(
      expected.map(([host, port]) => ({ host, port, user: 'u', password: 'p@x', database: 'db' })),
    );
  });

  test.each([
    ['mysql://x/y', 'must be a URL of the form'],
    ['postgresql://u:p@ss@h/db', 'percent-encode'],
    ['postgresql://h:99999/db', 'must use ports'],
    ['postgresql://h:port/db', 'must use ports'],
    ['postgresql://h/db?target_session_attrs=standby', 'because the service writes'],
    ['postgresql://h/db?sslrootcert=/nowhere.pem', 'no such file'],
  ])('%s is refused without repeating it', (url, reason) => {
    expect(() => parseDatabaseUrl(url)).toThrow(reason);
    expect(() => parseDatabaseUrl(url)).not.toThrow(url);
  });
});
