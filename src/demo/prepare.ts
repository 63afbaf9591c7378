import type { ResolveDispute } from '../contract/attribution.ts';
import type { OrganizationId } from '../contract/ids.ts';
import type { ChangeSignal } from '../contract/signal.ts';
import { createKey, hashKey, mintKey } from '../domain/api-keys.ts';
import { openDispute, resolveDispute } from '../domain/disputes.ts';
import { ingest } from '../domain/ingest/ingest.ts';
import { createOrganization } from '../domain/organizations.ts';
import { changeSignal } from '../domain/signals.ts';
import { readOrMake } from '../secret-files.ts';
import { findKeyOwner, type KeyOwner } from '../store/api-keys.ts';
import { listAttribution } from '../store/attribution.ts';
import { type Pool, type Tx, transaction } from '../store/connection.ts';
import type { ChangedBy } from '../store/signal-changes.ts';
import { listSignals } from '../store/signals.ts';
import { dataset, demoSize } from './dataset.ts';

/**
 * The demo organization, found again by its key, which is written to its file before the database knows it: a crash in
 * between leaves a key that is simply used at the next start. Organization, key and facts come in one transaction, so
 * that there is no half a demo; true where it was made now.
 */
export async function prepareDemo(pool: Pool, dataDir: string, now: Date): Promise<boolean> {
  const key = await readOrMake(dataDir, 'demo.key', mintKey);
  if (await findKeyOwner(pool, hashKey(key))) return false;
  await transaction(pool, async (tx) => {
    const { id } = await createOrganization(
      tx,
      { name: 'Demo (invented companies)', plan: 'enterprise' },
      'demo',
    );
    await createKey(tx, id, { name: 'demo', scopes: ['admin', 'ingest'], expires_at: null }, key);
    for (const { kind, rows } of dataset({ size: demoSize, seed: 1, now, batchRows: 10_000 })) {
      const batch = rows.map((row, index) => ({ index, form: 'full', row }));
      const { errors } = await ingest(tx, id, kind, batch as never, { now, backfill: true });
      if (errors.length > 0) throw new Error(`the demo's own data was refused: ${JSON.stringify(errors[0])}`);
    }
    const owner = (await findKeyOwner(tx, hashKey(key))) as KeyOwner;
    await workOnSignals(tx, id, owner);
    // Whoever opens a dispute cannot decide it, so partners have a key of their own, which nobody keeps.
    const portal = await createKey(tx, id, { name: 'partner portal', scopes: ['write'], expires_at: null });
    await disputeRecords(tx, id, { key_id: portal.id, key_name: portal.name }, owner);
  });
  return true;
}

/** What a sales team would have done by now: some signals taken up, some handled, some dismissed. */
const work: ChangeSignal[] = [
  { state: 'in_progress', note: 'Called the partner manager; a joint meeting is being arranged.' },
  { state: 'handled', note: 'The partner joined the call and will bring a reference customer.' },
  { state: 'expired', note: 'Not a fit: the customer has asked for no partner on this one.' },
  { note: 'Waiting for the account owner to come back from leave.' },
];

async function workOnSignals(tx: Tx, orgId: OrganizationId, key: KeyOwner): Promise<void> {
  for (const type of ['co_sell', 'overlap', 'pre_intent'] as const) {
    const signals = await listSignals(tx, orgId, { type }, work.length * 2, null);
    for (const [i, signal] of signals.entries()) {
      const change = work[i % work.length] as ChangeSignal;
      await changeSignal(tx, orgId, signal.id, change, person(key, 'Account executive'), () => {});
    }
  }
}

/** One dispute left open, and one of each way in which a dispute ends. */
const resolutions: (ResolveDispute | null)[] = [
  null,
  { status: 'accepted', note: 'The minutes of the workshop show the joint work.' },
  { status: 'rejected', note: 'The activity was on another project of the same customer.' },
  { status: 'withdrawn' },
];

async function disputeRecords(tx: Tx, orgId: OrganizationId, opener: Key, decider: Key): Promise<void> {
  const records = await listAttribution(tx, orgId, { tier: 'influenced' }, resolutions.length, null);
  for (const [i, record] of records.entries()) {
    const claim = {
      claimed_tier: 'co_sell',
      justification: 'Our team worked on the proposal with the customer before the close.',
    } as const;
    const dispute = await openDispute(tx, orgId, record.id, claim, person(opener, 'Partner manager'));
    const resolution = resolutions[i];
    if (!resolution) continue;
    const resolver =
      resolution.status === 'withdrawn'
        ? person(opener, 'Partner manager')
        : person(decider, 'Head of partnerships');
    await resolveDispute(tx, orgId, record.id, dispute.id, resolution, resolver);
  }
}

type Key = Pick<KeyOwner, 'key_id' | 'key_name'>;

function person({ key_id, key_name }: Key, actor: string): ChangedBy {
  return { key_id, key_name, actor };
}
