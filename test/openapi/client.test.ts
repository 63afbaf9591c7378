import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { expect, test } from 'vitest';

const file = new URL('../../docs/openapi.json', import.meta.url);

const program = `
import type { components, operations, paths, webhooks } from './api.ts';

type Body<T> = T extends { content: { 'application/json': infer B } } ? B : never;
type Page = Body<paths['/v1/signals']['get']['responses'][200]>;
type Failure = Body<paths['/v1/signals/{signal_id}']['patch']['responses'][409]>;
type Change = Body<NonNullable<operations['changeSignal']['requestBody']>>;

export const change: Change = { state: 'in_progress', note: 'Joint call on Thursday' };
export const query: NonNullable<operations['listSignals']['parameters']['query']> = { type: 'overlap', limit: 10 };

export function partnersOf(page: Page): string[] {
  const signals: components['schemas']['Signal'][] = page.data;
  return page.has_more && page.next_cursor ? [page.next_cursor] : signals.map(({ partner }) => partner.name);
}

export function isRefused(failure: Failure): boolean {
  return failure.error.code === 'invalid_transition';
}

export function dealOf(event: components['schemas']['Event']): string {
  return event.event === 'attribution.created' ? event.data.closed_date : event.data.opportunity.name;
}

export function received(payload: Body<NonNullable<webhooks['signal.created']['post']['requestBody']>>): string {
  return payload.data.recommended_action;
}

export const rows: Body<NonNullable<operations['ingestPartners']['requestBody']>> = [
  { external_id: 'zephyr-cloud', name: 'Zephyr Cloud', type: 'technology_partner', tier: 2 },
  { external_id: 'gone', deleted: true },
];

// @ts-expect-error
export const wrongState: Change = { state: 'done' };
// @ts-expect-error
export const wrongField: components['schemas']['RegisterWebhook'] = { url: 'https://receiver.example', events: [], secrets: '' };
`;

test('a client made of the document compiles, and tells right from wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ps-client-'));
  try {
    await writeFile(join(folder, 'api.ts'), astToString(await openapiTypes(file)));
    await writeFile(join(folder, 'program.ts'), program);
    expect(compile(join(folder, 'program.ts'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function compile(entry: string): string[] {
  const made = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  });
  return ts
    .getPreEmitDiagnostics(made)
    .map(
      ({ messageText, file, start }) =>
        `${file?.fileName}:${start} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}
