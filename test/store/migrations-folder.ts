import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Makes a database look like one from before the first version. */
export const oldSchema = `
  update schema_migrations set name = '0001_organizations_keys_partners.sql', checksum = '' where version = 1`;

/** Passes a folder with the migrations of this version and one more, like that of a later version, to `run`. */
export async function withMigration<T>(
  name: string,
  sql: string,
  run: (directory: URL) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ps-migrations-'));
  try {
    await cp(new URL('../../migrations/', import.meta.url), folder, { recursive: true });
    await writeFile(join(folder, name), sql);
    return await run(pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true });
  }
}
