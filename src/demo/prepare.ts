import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResolveDispute } from '../contract/attribution.ts';
import { newId, type OrganizationId } from '../contract/ids.ts';
import type { FactRow } from '../contract/ingest.ts';
import type { ApiKey } from '../contract/key.ts';
import { defaultSettings } from '../contract/settings.ts';
import type { ChangeSignal } from '../contract/signal.ts';
import { createKey, hashKey, mintKey } from '../domain/api-keys.ts';
import { openDispute, resolveDispute } from '../domain/disputes.ts';
import { expireStep, recheckStep } from '../domain/due-signals.ts';
import { ingest } from '../domain/ingest/ingest.ts';
import { createOrganization, replaceSettings } from '../domain/organizations.ts';
import { rescoreAll } from '../domain/priority.ts';
import { changeSignal } from '../domain/signals.ts';
import { readOrMake } from '../secret-files.ts';
import { listAttribution } from '../store/credit/attribution.ts';
import type { Db } from '../store/db/db.ts';
import type { FactsTx, Tx } from '../store/db/tx.ts';
import { findKeyOwner } from '../store/keys/api-keys.ts';
import type { ChangedBy } from '../store/signals/signal-changes.ts';
import { listSignals } from '../store/signals/signal-items.ts';
import { bodyLimits, type FactKind, type Scope, signalTypes } from '../vocabulary.ts';
import { dataset, demoSize } from './dataset.ts';
import { demoHistory } from './history.ts';

/**
 * Creates the demo organization unless it exists; returns whether it did. The keys are written to their files before the
 * database knows them: after a crash in between, the next start uses them. Organization, keys and facts are created in
 * one transaction, so a demo is never incomplete.
 *
 * There are two keys because nobody decides their own dispute: one with scope `write` opens disputes, one with scope
 * `admin` decides them.
 */
export async function prepareDemo(db: Db, dataDir: string, now: Date): Promise<boolean> {
  const adminKey = await readOrMake(dataDir, 'demo.key', mintKey);
  if (await findKeyOwner(db.global, hashKey(adminKey))) return false;
  // The file can be left over from a demo whose demo.key was deleted; a key belongs to one organization only.
  await rm(join(dataDir, 'demo-write.key'), { force: true });
  const writeKey = await readOrMake(dataDir, 'demo-write.key', mintKey);
  const id = newId('org');
  await db.facts(id, async (tx) => {
    await createOrganization(tx, id, { name: 'Demo (invented companies)', plan: 'enterprise' }, 'demo');
    const keyFor = (name: string, scopes: Scope[], key: string) =>
      createKey(tx, id, { name, scopes, expires_at: null }, key);
    const admin = await keyFor('demo', ['admin', 'ingest'], adminKey);
    const writer = await keyFor('partner desk', ['write'], writeKey);
    await replaceSettings(tx, id, { ...defaultSettings, reporting_currency: 'EUR' }, 'demo');
    const facts = dataset({ size: demoSize, seed: 1, now, batchRows: bodyLimits.rows });
    for (const { at, batches } of demoHistory(facts, now)) {
      while (await expireStep(tx, id, at, false));
      while (await recheckStep(tx, id, at, false));
      for (const { kind, rows } of batches) await load(tx, id, kind, rows, at);
      if (at < now) await workOnSignals(tx, id, writer, at);
    }
    await rescoreAll(tx, id, now);
    await disputeRecords(tx, id, writer, admin);
  });
  return true;
}

async function load(
  tx: FactsTx,
  orgId: OrganizationId,
  kind: FactKind,
  rows: FactRow<FactKind>[],
  now: Date,
): Promise<void> {
  const batch = rows.map((row, index) => ({ index, form: 'full', row }));
  const { errors } = await ingest(tx, orgId, kind, batch as never, { now, backfill: true });
  if (errors.length > 0) throw new Error(`the demo data was rejected: ${JSON.stringify(errors[0])}`);
}

/** What a sales team does about the signals of a month: picks up some, handles some, dismisses some. */
const work: ChangeSignal[] = [
  { state: 'in_progress', note: 'Called the partner manager. They are setting up a joint meeting.' },
  { state: 'handled', note: 'The partner joined the call and will bring a reference customer.' },
  {
    ...{ state: 'expired', dismiss_reason: 'not_relevant' },
    note: 'Not a fit: the customer does not want a partner on this project.',
  },
  { state: 'handled', note: 'Met the customer together.' },
  { state: 'expired', dismiss_reason: 'already_known' },
  { note: 'Waiting for the account owner to come back from leave.' },
];

/** In the days after; the most urgent ones are left, so that there is something to do today. */
async function workOnSignals(tx: Tx, orgId: OrganizationId, key: ApiKey, since: Date): Promise<void> {
  for (const type of signalTypes) {
    const filters = { type, state: 'new', sort: 'priority' } as const;
    const signals = await listSignals(tx, orgId, filters, work.length * 2, null);
    for (const [i, signal] of signals.slice(work.length).entries()) {
      const change = work[i % work.length] as ChangeSignal;
      const at = new Date(since.getTime() + (3 + 19 * i) * 3_600_000);
      await changeSignal(tx, orgId, signal.id, change, person(key, 'Account executive'), () => {}, at);
    }
  }
}

/** One dispute stays open; the others show each way a dispute can end. */
const resolutions: (ResolveDispute | null)[] = [
  null,
  { status: 'accepted', note: 'The workshop minutes show the joint work.' },
  { status: 'rejected', note: 'The activity was part of another project of the same customer.' },
  { status: 'withdrawn' },
];

async function disputeRecords(
  tx: FactsTx,
  orgId: OrganizationId,
  opener: ApiKey,
  decider: ApiKey,
): Promise<void> {
  const records = await listAttribution(tx, orgId, { tier: 'influenced' }, resolutions.length, null);
  const justification = 'Our team worked on the proposal with the customer before the deal closed.';
  const manager = person(opener, 'Partner manager');
  for (const [i, record] of records.entries()) {
    const dispute = await openDispute(
      tx,
      orgId,
      record.id,
      { claimed_tier: 'co_sell', justification },
      manager,
    );
    const resolution = resolutions[i];
    if (!resolution) continue;
    const by = resolution.status === 'withdrawn' ? manager : person(decider, 'Head of partnerships');
    await resolveDispute(tx, orgId, record.id, dispute.id, resolution, by);
  }
}

function person({ id, name }: ApiKey, actor: string): ChangedBy {
  return { key_id: id, key_name: name, actor };
}
