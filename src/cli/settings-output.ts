import type { Settings, SettingsVersion } from '../client/types.ts';
import { type JsonOption, note, writeOne } from './output.ts';
import { readJsonFile, utc } from './values.ts';

export async function writeSettings(version: SettingsVersion, options: JsonOption): Promise<void> {
  await writeOne(version, options, ({ settings }) => JSON.stringify(settings, null, 2));
  const { version: number, created_at, created_by } = version;
  if (!options.json) note(`Version ${number}, ${utc(created_at)} UTC, by ${created_by}.`);
}

export async function writeSaved(version: SettingsVersion, options: JsonOption): Promise<void> {
  await writeOne(version, options, ({ version: number }) => `Saved as version ${number}.`);
}

/** The settings alone, or a whole version of them. */
export async function readSettingsFile(file: string): Promise<Settings> {
  const given = await readJsonFile(file);
  const { settings = given } = (given ?? {}) as { settings?: unknown };
  return settings as Settings;
}
