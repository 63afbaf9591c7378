import { readFile } from 'node:fs/promises';
import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { AttributionDetailSchema } from '../contract/attribution.ts';
import { isId } from '../contract/ids.ts';
import { SettingsVersionSchema } from '../contract/settings.ts';
import { SignalDetailSchema } from '../contract/signal.ts';
import { readAttribution } from '../domain/explain-credit.ts';
import { listSettings } from '../store/keys/settings.ts';
import { findSignal } from '../store/signals/signal-items.ts';
import { wholeText } from './answer.ts';
import type { Ask } from './tool.ts';

const scheme = 'partner-signals://';

/** The pages of the documentation that help an assistant to answer. */
const guides: Record<string, { title: string; folder: string }> = {
  concepts: { title: 'Facts, signals, tiers, evidence and disputes', folder: 'understand' },
  signals: { title: 'How facts become signals', folder: 'understand' },
  attribution: { title: 'Who gets credit', folder: 'understand' },
  'limits-and-errors': { title: 'Limits and errors', folder: 'reference' },
  assistants: { title: 'Using an assistant', folder: 'guides' },
};

type Kind = {
  name: string;
  title: string;
  description: string;
  /** The name of the last part of the URI. */
  variable: string;
  schema: object;
  read: (ask: Ask, id: string) => Promise<unknown>;
};

/** By the first part of the URI. */
const kinds: Record<string, Kind> = {
  signals: {
    name: 'signal',
    title: 'Signal',
    description: 'A signal with its reasons, history and the newest 100 activities.',
    variable: 'signal_id',
    schema: SignalDetailSchema,
    read: async ({ db, orgId }, id) => {
      const signal = isId('sig', id) ? await findSignal(db, orgId, id) : undefined;
      return signal && { ...signal.head, activity_log: signal.log };
    },
  },
  attribution: {
    name: 'attribution_record',
    title: 'Attribution record',
    description: 'A record with all its evidence and disputes.',
    variable: 'record_id',
    schema: AttributionDetailSchema,
    read: async ({ db, orgId }, id) => (isId('atr', id) ? readAttribution(db, orgId, id) : undefined),
  },
  policies: {
    name: 'settings_version',
    title: 'Settings version',
    description:
      'A version of the settings of the signal rules and the attribution policy. Signals and records name the version they used.',
    variable: 'version',
    schema: SettingsVersionSchema,
    read: async ({ db, orgId }, id) =>
      (await listSettings(db, orgId)).find(({ version }) => String(version) === id),
  },
};

export function listResources(): Resource[] {
  return Object.entries(guides).map(([name, { title }]) => ({
    uri: `${scheme}guides/${name}`,
    name,
    title,
    mimeType: 'text/markdown',
  }));
}

export function listResourceTemplates(): ResourceTemplateType[] {
  return Object.entries(kinds).map(([folder, { name, title, description, variable }]) => ({
    uriTemplate: `${scheme}${folder}/{${variable}}`,
    name,
    title,
    description,
    mimeType: 'application/json',
  }));
}

export async function readResource(ask: Ask, uri: string): Promise<ReadResourceResult> {
  const [folder = '', id = '', ...rest] = uri.startsWith(scheme) ? uri.slice(scheme.length).split('/') : [];
  if (rest.length > 0) throw new ResourceNotFoundError(uri);
  const guide = folder === 'guides' && Object.hasOwn(guides, id) ? guides[id] : undefined;
  if (guide) {
    const text = await readFile(new URL(`../../docs/${guide.folder}/${id}.md`, import.meta.url), 'utf8');
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  }
  const kind = Object.hasOwn(kinds, folder) ? kinds[folder] : undefined;
  const data = kind && (await ask.report((db) => kind.read({ ...ask, db }, id)));
  if (!kind || data === undefined) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: 'application/json', text: wholeText(kind.schema, data) }] };
}
