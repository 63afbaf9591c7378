import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, type EncryptionKey, type Operator, parseEncryptionKeys } from './config.ts';

/** Operator and encryption keys: from the environment, or generated once and stored in DATA_DIR. */
export async function loadSecrets(
  config: Config,
): Promise<{ operators: Operator[]; encryptionKeys: EncryptionKey[] }> {
  const operators = config.operators ?? [
    {
      name: 'operator',
      key: await readOrMake(config.dataDir, 'operator.key', () => `opk_${randomBytes(24).toString('hex')}`),
    },
  ];
  if (config.encryptionKeys) return { operators, encryptionKeys: config.encryptionKeys };
  const text = await readOrMake(
    config.dataDir,
    'encryption.keys',
    () => `k1:${randomBytes(32).toString('base64')}`,
  );
  return {
    operators,
    encryptionKeys: parseEncryptionKeys(join(config.dataDir, 'encryption.keys'), text),
  };
}

/** The file appears complete or not at all, and only its owner can read it from the first byte. */
export async function readOrMake(dir: string, name: string, make: () => string): Promise<string> {
  const file = join(dir, name);
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known.trim() !== '') {
    await chmod(file, 0o600);
    return known.trim();
  }
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${make()}\n`, { mode: 0o600, flush: true });
  await rm(file, { force: true });
  await link(temporary, file);
  await rm(temporary);
  return (await readFile(file, 'utf8')).trim();
}
