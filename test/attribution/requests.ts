import { expect } from 'vitest';
import type { AttributionRecord, Dispute, Evidence } from '../../src/contract/attribution.ts';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { formOf } from '../../src/contract/ingest.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import type { ActivityKind, FactKind, Tier } from '../../src/vocabulary.ts';
import { type Facts, loadFacts, readAll } from '../facts.ts';
import type { Answer, CallOptions, TestOrganization, TestService } from '../harness.ts';

/** JSON responses, where every time is text. */
type Wire<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
export type ListedRecord = Wire<AttributionRecord>;
export type ListedDispute = Wire<Dispute>;
export type RecordDetail = ListedRecord & {
  evidence_log: Wire<Evidence>[];
  dispute_history: ListedDispute[];
};

/**
 * An organization from long before 2024, so that the sourcing lock and the rule for late claims apply to its deals. Facts
 * are loaded as of a given day.
 */
export async function oldOrganization(service: TestService) {
  const org = await service.organization();
  for (const [table, key] of [
    ['organizations', 'id'],
    ['organization_settings', 'org_id'],
  ]) {
    await service.pool.query(`update ${table} set created_at = '2023-01-01' where ${key} = $1`, [org.orgId]);
  }
  const load = (now: string, facts: Facts, options?: { backfill: boolean }) =>
    loadFacts({ call: ingestAt(service, org, new Date(now)) }, facts, options);
  return { ...org, load };
}
export type OldOrganization = Awaited<ReturnType<typeof oldOrganization>>;

/** Calls the same use case as the route, with another time. */
function ingestAt(service: TestService, org: TestOrganization, now: Date) {
  return async (_: string, path: string, { body }: CallOptions = {}): Promise<Answer> => {
    const kind = path.replace('/ingest/v1/', '').replace(/\?.*/, '') as FactKind;
    const rows = (body as object[]).map((row, index) => ({ index, form: formOf(row), row }));
    const options = { now, backfill: path.includes('backfill=true') };
    const data = await service.db.facts(org.orgId as OrganizationId, (tx) =>
      ingest(tx, org.orgId as OrganizationId, kind, rows as never, options),
    );
    return { status: 200, headers: {}, body: { data }, text: JSON.stringify(data) };
  };
}

export const recordsOf = (org: Pick<TestOrganization, 'get'>, query = ''): Promise<ListedRecord[]> =>
  readAll(org, `/v1/attribution${query}`);

/** Credit in words, without our identifiers. */
export async function credits(org: Pick<TestOrganization, 'get'>, query = ''): Promise<string[]> {
  return (await recordsOf(org, query)).map(inWords).sort();
}

export function inWords({ tier, status, partner, opportunity }: ListedRecord): string {
  const who = partner.name.replace('Partner ', '');
  const what = opportunity.name.replace('Opportunity ', '');
  return `${who} on ${what}: ${tier}${status === 'active' ? '' : ` ${status}`}`;
}

export async function recordOf(
  org: Pick<TestOrganization, 'get'>,
  partner = 'p1',
  opportunity = 'o1',
): Promise<RecordDetail> {
  const records = await recordsOf(org);
  const record = records.find((one) => inWords(one).startsWith(`${partner} on ${opportunity}:`));
  return detailOf(org, record?.id ?? `no record of ${partner} on ${opportunity}`);
}

export async function detailOf(org: Pick<TestOrganization, 'get'>, id: string): Promise<RecordDetail> {
  const answer = await org.get(`/v1/attribution/${id}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as RecordDetail;
}

/** The log in short: `+` for a line that counts, `-` for another, and the tier that it supports. */
export function evidence({ evidence_log }: RecordDetail): string[] {
  return evidence_log.map(
    ({ counted, kind, tier_supported }) => `${counted ? '+' : '-'} ${kind} ${tier_supported}`,
  );
}

export type StoredEvent = {
  id: string;
  kind: string;
  data: ListedRecord;
  deliverable: boolean;
  /** The transaction ID in the database. */
  written_in: string;
};

/** Events of attribution, oldest first. */
export async function eventsOf(service: TestService, org: { orgId: string }): Promise<StoredEvent[]> {
  const { rows } = await service.pool.query(
    `select id, kind, data, deliverable, e.xmin::text as written_in
     from events e join event_numbers n on n.org_id = e.org_id and n.event_id = e.id
     where e.org_id = $1 and kind like 'attribution.%' order by number`,
    [org.orgId],
  );
  return rows;
}

/** Runs a step and returns the attribution events that it emitted, in words. */
export async function emittedBy(
  service: TestService,
  org: { orgId: string },
  step: () => Promise<unknown>,
): Promise<string[]> {
  const before = new Set((await eventsOf(service, org)).map(({ id }) => id));
  await step();
  return (await eventsOf(service, org))
    .filter(({ id }) => !before.has(id))
    .map(({ kind, data }) => `${kind.replace('attribution.', '')} ${inWords(data)}`)
    .sort();
}

export function openDispute(
  org: TestOrganization,
  recordId: string,
  claimed_tier: Tier,
  options: CallOptions = {},
): Promise<Answer> {
  return org.call('POST', `/v1/attribution/${recordId}/disputes`, {
    body: { claimed_tier, justification: 'We were there first' },
    ...options,
  });
}

/** With another key, because the key that opened a dispute may not decide it. */
export async function resolveDispute(
  org: TestOrganization,
  { record_id, id }: { record_id: string; id: string },
  body: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const { key } = await org.second();
  return org.call('PATCH', `/v1/attribution/${record_id}/disputes/${id}`, { body, key, ...options });
}

/** Opens and accepts a claim. */
export async function win(org: TestOrganization, recordId: string, tier: Tier): Promise<ListedDispute> {
  const opened = await openDispute(org, recordId, tier);
  expect(opened.status, opened.text).toBe(201);
  const accepted = await resolveDispute(org, opened.body.data, { status: 'accepted' });
  expect(accepted.status, accepted.text).toBe(200);
  return accepted.body.data as ListedDispute;
}

/** An activity at noon of a day. */
export function done(kind: ActivityKind, day: string, partner = 'p1') {
  return {
    external_id: `${partner} ${kind} ${day}`,
    partner_external_id: partner,
    kind,
    occurred_at: `${day}T12:00:00.000Z`,
    summary: `${kind} of ${day}`,
  };
}

/** Opened on 1 March 2024 and, by default, won at the end of that month. */
export const opportunity = { crm_id: 'o1', opened_at: '2024-03-01' };
export const wonOpportunity = { ...opportunity, status: 'won', closed_date: '2024-03-31' } as const;

/** A deal won with p1 as its source, p2 as the next candidate, and p3 co-selling. */
export async function wonByThree(service: TestService): Promise<OldOrganization> {
  const org = await oldOrganization(service);
  await org.load('2024-03-10T00:00:00Z', {
    partners: [{}, {}, {}],
    accounts: [{}],
    opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10' }],
    activities: [
      done('deal_registration', '2024-02-05', 'p1'),
      done('referral', '2024-02-06', 'p2'),
      done('joint_meeting', '2024-03-05', 'p2'),
      done('joint_meeting', '2024-03-06', 'p3'),
    ],
  });
  expect(await credits(org)).toEqual(['p1 on o1: sourced', 'p2 on o1: co_sell', 'p3 on o1: co_sell']);
  return org;
}
