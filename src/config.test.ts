import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const shared = { DATABASE_URL: 'postgres://localhost/x' };

test.each([
  [{ PORT: 'http' }, 'PORT must be a whole number'],
  [{ PORT: '70000' }, 'PORT must be a whole number'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
  [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT must be one of: text, json'],
  [{ ROLE: 'boss' }, 'ROLE must be one of'],
  [{ TRUST_PROXY: 'everyone' }, 'TRUST_PROXY must be addresses'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a URL'],
  [{ DATABASE_URL: 'postgres://one:5432,two:x/db' }, 'DATABASE_URL must use ports'],
  [{ DATABASE_DIRECT_URL: 'postgres://localhost/x' }, 'DATABASE_DIRECT_URL is set without DATABASE_URL'],
  [shared, 'OPERATOR_KEY'],
  [{ ...shared, OPERATOR_KEY: 'operator-key-for-the-tests' }, 'ENCRYPTION_KEYS'],
  [{ ENCRYPTION_KEYS: 'k1:short' }, 'ENCRYPTION_KEYS must be id:base64'],
  [{ OPERATOR_KEY: 'short' }, 'OPERATOR_KEY: a key must have 16'],
  [{ REDIS_URL: 'http://localhost' }, 'REDIS_URL must be a URL'],
  [{ TLS_CERT_FILE: '/nowhere.pem' }, 'Set TLS_KEY_FILE too'],
  [{ REVOKE_EXPOSED_KEYS: 'yes' }, 'REVOKE_EXPOSED_KEYS must be one of'],
])('%j is refused in one line that says what to do', (env: Record<string, string>, line) => {
  const read = () => readConfig(env);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(line);
  expect(read).not.toThrow('\n');
});

test.each([
  [{}, false, 'json', 'info'],
  [{}, true, 'text', 'warn'],
  [{ LOG_FORMAT: 'json' }, true, 'json', 'info'],
  [{ LOG_FORMAT: 'text' }, false, 'text', 'warn'],
  [{ LOG_LEVEL: 'info' }, true, 'text', 'info'],
])(
  'with %j, in a terminal: %j, the log is %s at %s',
  (env: Record<string, string>, isTerminal, format, level) => {
    expect(readConfig(env, isTerminal)).toMatchObject({ logFormat: format, logLevel: level });
  },
);
