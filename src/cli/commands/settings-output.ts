import { type Command, Option } from 'commander';
import type { One, Settings, SettingsVersion } from '../../client/types.ts';
import type { JsonOption } from '../terminal/output.ts';
import { readJsonFile, utc } from '../terminal/values.ts';

/** The output of `show`, in `settings` and for operators. */
export const shownSettings = {
  json: 'include version, time and author',
  lines: ({ settings }: SettingsVersion) => JSON.stringify(settings, null, 2),
  remark: ({ data: { version, created_at, created_by } }: One<SettingsVersion>, { json }: JsonOption) =>
    json ? undefined : `Version ${version}, ${utc(created_at)} UTC, by ${created_by}.`,
};

export const savedSettings = {
  options: [new Option('--file <file>', 'settings as JSON; - reads standard input').makeOptionMandatory()],
  lines: ({ version }: SettingsVersion) => `Saved as version ${version}.`,
};

/** For people who try to change a single setting. */
export function wholeFile(set: Command, settings: string): Command {
  return set.showHelpAfterError(
    `Settings are replaced as a whole. Save them, edit the file, and send it back:\n` +
      `  partner-signals ${settings.replace('…', 'show')} > settings.json\n` +
      `  partner-signals ${settings.replace('…', 'set')} --file settings.json`,
  );
}

export type FileOption = { file: string };

/** The settings alone, or a whole version of them. */
export async function readSettingsFile(file: string): Promise<Settings> {
  const given = await readJsonFile(file);
  const { settings = given } = (given ?? {}) as { settings?: unknown };
  return settings as Settings;
}
