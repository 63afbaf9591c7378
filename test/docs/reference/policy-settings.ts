import { defaultSettings, SettingsSchema } from '../../../src/contract/settings.ts';
import { code, table } from './markdown.ts';

type Schema = {
  properties?: Record<string, Schema>;
  description?: string;
  enum?: unknown[];
  type?: string | string[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
};

const introduction = `These settings are the policy of an organization: when signals fire, how long they stay, and who gets
credit. Each change creates a new version, and every signal and every attribution record shows the version that it was decided
under.

- In the console, open *Policy*. It shows the settings as a form, and previews the effect on past deals.
- On the command line, use \`partner-signals settings\` ([command line](command-line.md#partner-signals-settings)), or as an
  operator \`partner-signals orgs settings\`.
- In the API, use \`GET\` and \`PUT /v1/settings\`, or as an operator \`/admin/v1/organizations/{org_id}/settings\`. A \`PUT\`
  replaces all settings and needs the \`ETag\` of the \`GET\` as \`If-Match\`.

[How facts become signals](../understand/signals.md) and [who gets credit](../understand/attribution.md) explain what the rules
do with them. Days are whole days in UTC.`;

/** Each setting with its default and what it accepts, grouped as in the JSON document. */
export function policySettings(): string[] {
  const [others, ...groups] = groupsOf(SettingsSchema as Schema, []);
  return [
    introduction,
    ...[...groups, ...(others ? [others] : [])].map(({ path, description, rows }) =>
      section(path, description, rows),
    ),
  ];
}

type Group = { path: string[]; description: string | undefined; rows: string[][] };

/** The settings directly below each object, from top to bottom. */
function groupsOf({ properties = {}, description }: Schema, path: string[]): Group[] {
  const entries = Object.entries(properties);
  const leaves = entries.filter(([, child]) => child.properties === undefined);
  const own = leaves.map(([name, child]) => {
    const at = [...path, name];
    return [code(at.join('.')), code(defaultAt(at)), accepts(child), child.description ?? ''];
  });
  const below = entries.flatMap(([name, child]) =>
    child.properties ? groupsOf(child, [...path, name]) : [],
  );
  return own.length > 0 ? [{ path, description, rows: own }, ...below] : below;
}

function section(path: string[], description: string | undefined, rows: string[][]): string {
  const heading = path.length === 0 ? '## Other settings' : `## ${code(path.join('.'))}`;
  const about = path.length > 0 && description ? `\n\n${description}` : '';
  return `${heading}${about}\n\n${table(['setting', 'default', 'accepts', 'meaning'], rows)}`;
}

function accepts({ enum: values, type, minimum, maximum, pattern }: Schema): string {
  if (values) return values.map(code).join(', ');
  const types = [type].flat();
  if (types.includes('boolean')) return '`true`, `false`';
  if (pattern !== undefined) return 'three capital letters, such as `EUR`, or `null`';
  const kind = types.includes('integer') ? 'a whole number' : 'a number';
  return `${kind} from ${minimum} to ${maximum?.toLocaleString('en-US')}`;
}

function defaultAt(path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], defaultSettings);
}
