import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const shared = { DATABASE_URL: 'postgres://localhost/x' };

test.each([
  [{ PORT: 'http' }, 'PORT takes a whole number'],
  [{ PORT: '70000' }, 'PORT takes a whole number'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL takes one of'],
  [{ ROLE: 'boss' }, 'ROLE takes one of'],
  [{ TRUST_PROXY: 'everyone' }, 'TRUST_PROXY takes addresses'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL takes a URL'],
  [{ DATABASE_URL: 'postgres://one:5432,two:x/db' }, 'DATABASE_URL takes ports'],
  [{ DATABASE_DIRECT_URL: 'postgres://localhost/x' }, 'DATABASE_DIRECT_URL goes with DATABASE_URL'],
  [shared, 'OPERATOR_KEY'],
  [{ ...shared, OPERATOR_KEY: 'operator-key-for-the-tests' }, 'ENCRYPTION_KEYS'],
  [{ ENCRYPTION_KEYS: 'k1:short' }, 'ENCRYPTION_KEYS takes id:base64'],
  [{ OPERATOR_KEY: 'short' }, 'OPERATOR_KEY takes keys of 16'],
  [{ REDIS_URL: 'http://localhost' }, 'REDIS_URL takes an address'],
  [{ TLS_CERT_FILE: '/nowhere.pem' }, 'TLS_KEY_FILE is missing'],
  [{ REVOKE_EXPOSED_KEYS: 'yes' }, 'REVOKE_EXPOSED_KEYS takes one of'],
])('%j is refused in one line that says what to do', (env: Record<string, string>, line) => {
  const read = () => readConfig(env);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(line);
  expect(read).not.toThrow('\n');
});
