import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import type { Scope } from '../../src/vocabulary.ts';
import { startTestService, type TestService } from '../harness.ts';
import { everythingOf } from '../ingest/requests.ts';
import {
  detailOf,
  emittedBy,
  eventsOf,
  type ListedDispute,
  type OldOrganization,
  openDispute,
  recordOf,
  recordsOf,
  resolveDispute,
  wonByThree,
} from './requests.ts';

let service: TestService;
/** For tests that change nothing. */
let untouched: OldOrganization;
beforeAll(async () => {
  service = await startTestService();
  untouched = await wonByThree(service);
});
afterAll(() => service.close());

async function keyWith(org: OldOrganization, scopes: Scope[]): Promise<string> {
  const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
    name: `with ${scopes}`,
    scopes,
  });
  return issued.body.data.key as string;
}

describe('opening a dispute', () => {
  test('answers 201 with the dispute, shows it on the record, and tells of it', async () => {
    const org = await wonByThree(service);
    const before = await recordOf(org, 'p3');
    const emitted = await emittedBy(service, org, async () => {
      const answer = await openDispute(org, before.id, 'sourced');
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body).toEqual({
        data: {
          id: expect.stringMatching(/^dsp_[0-9a-z]{26}$/),
          record_id: before.id,
          status: 'open',
          claimed_tier: 'sourced',
          tier_at_opening: 'co_sell',
          justification: 'We were there first',
          opened_by: { key_id: org.keyId, key_name: 'test', actor: null },
          opened_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          resolved_by: null,
          resolved_at: null,
          resolution_note: null,
        },
        meta: { request_id: expect.stringMatching(/^req_/), timestamp: expect.any(String) },
      });
      const { dispute_history, ...after } = await detailOf(org, before.id);
      expect(dispute_history).toEqual([answer.body.data]);
      // The claim alone changes nothing.
      const { dispute_history: none, ...rest } = before;
      expect(none).toEqual([]);
      expect(after).toEqual({
        ...rest,
        dispute_status: 'open',
        updated_at: answer.body.data.opened_at,
      });
    });
    expect(emitted).toEqual(['updated p3 on o1: co_sell']);
    const event = (await eventsOf(service, org)).at(-1);
    expect(event).toMatchObject({ deliverable: true, data: { dispute_status: 'open' } });
    expect(event?.data).toEqual((await recordsOf(org)).find(({ id }) => id === before.id));
    const { rows } = await service.pool.query(
      `select xmin::text as written_in from disputes where org_id = $1`,
      [org.orgId],
    );
    expect(rows).toEqual([{ written_in: event?.written_in }]);
  });

  test('names the person whom X-Actor gives', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    const actor = (name: string) => ({ headers: { 'x-actor': name } });
    const opened = await openDispute(org, id, 'sourced', actor('Zoe of sales'));
    expect(opened.body.data.opened_by.actor).toBe('Zoe of sales');
    const body = { status: 'rejected', note: 'Not so' };
    const rejected = await resolveDispute(org, opened.body.data, body, actor('Li of finance'));
    expect(rejected.body.data.resolved_by).toEqual({
      key_id: (await org.second()).id,
      key_name: 'second',
      actor: 'Li of finance',
    });
    expect((await detailOf(org, id)).dispute_history).toEqual([rejected.body.data]);
  });

  test.each([
    ['the present tier', { claimed_tier: 'co_sell', justification: 'x' }, 'claimed_tier'],
    ['an unknown tier', { claimed_tier: 'gold', justification: 'x' }, 'claimed_tier'],
    ['no tier', { justification: 'x' }, 'claimed_tier'],
    ['no justification', { claimed_tier: 'sourced' }, 'justification'],
    ['an empty justification', { claimed_tier: 'sourced', justification: '' }, 'justification'],
    ['a blank justification', { claimed_tier: 'sourced', justification: ' \n\t' }, 'justification'],
    [
      'a justification of 5,001 characters',
      { claimed_tier: 'sourced', justification: 'x'.repeat(5001) },
      'justification',
    ],
    ['a NUL character', { claimed_tier: 'sourced', justification: 'a\0b' }, 'justification'],
    ['half a character', { claimed_tier: 'sourced', justification: 'a\ud800' }, 'justification'],
    ['a number', { claimed_tier: 'sourced', justification: 5 }, 'justification'],
    ['an unknown field', { claimed_tier: 'sourced', justification: 'x', status: 'accepted' }, 'status'],
  ])('with %s is 400 and names the field', async (_, body, field) => {
    const { id } = await recordOf(untouched, 'p3');
    const answer = await untouched.call('POST', `/v1/attribution/${id}/disputes`, { body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error.code).toBe('invalid_request');
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).toEqual([field]);
    expect(await detailOf(untouched, id)).toMatchObject({ dispute_status: 'none', dispute_history: [] });
  });

  test.each([
    ['1 character', 'x'],
    ['5,000 characters, however many bytes they take', '🎉'.repeat(5000)],
  ])('takes a justification of %s', async (_, justification) => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    const answer = await openDispute(org, id, 'influenced', {
      body: { claimed_tier: 'influenced', justification },
    });
    expect(answer.status, answer.text).toBe(201);
    expect((await detailOf(org, id)).dispute_history[0]?.justification).toBe(justification);
  });

  test('is 409 while another is open, and possible again once that is resolved', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    const first = await openDispute(org, id, 'sourced');
    const before = await everythingOf(service.pool, org.orgId);
    const second = await openDispute(org, id, 'influenced');
    expect([second.status, second.body.error?.code]).toEqual([409, 'dispute_already_open']);
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
    await resolveDispute(org, first.body.data, { status: 'withdrawn' });
    const third = await openDispute(org, id, 'influenced');
    expect(third.status).toBe(201);
    const { dispute_history, dispute_status } = await detailOf(org, id);
    expect(dispute_history.map(({ status, claimed_tier }) => `${status} ${claimed_tier}`)).toEqual([
      'withdrawn sourced',
      'open influenced',
    ]);
    expect(dispute_status).toBe('open');
  });

  test('needs the scope write', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    for (const [scope, status] of [
      ['read', 403],
      ['ingest', 403],
      ['write', 201],
    ] as const) {
      const answer = await openDispute(org, id, 'sourced', { key: await keyWith(org, [scope]) });
      expect(answer.status, scope).toBe(status);
      if (status === 403) expect(answer.body.error.message).toContain('write');
    }
  });

  test('with an Idempotency-Key replays the first answer, and opens one dispute', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    const headers = { 'idempotency-key': randomUUID() };
    const emitted = await emittedBy(service, org, async () => {
      const first = await openDispute(org, id, 'sourced', { headers });
      const again = await openDispute(org, id, 'sourced', { headers });
      expect(first.status).toBe(201);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      const other = await openDispute(org, id, 'influenced', { headers });
      expect([other.status, other.body.error?.code]).toEqual([409, 'idempotency_conflict']);
    });
    expect(emitted).toHaveLength(1);
    expect((await detailOf(org, id)).dispute_history).toHaveLength(1);
  });

  test('with an Idempotency-Key also replays a refusal', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    const headers = { 'idempotency-key': randomUUID() };
    const opened = await openDispute(org, id, 'sourced');
    const refused = await openDispute(org, id, 'influenced', { headers });
    await resolveDispute(org, opened.body.data, { status: 'withdrawn' });
    const again = await openDispute(org, id, 'influenced', { headers });
    expect([again.status, again.text]).toEqual([409, refused.text]);
  });
});

describe('resolving a dispute', () => {
  const open = async (org: OldOrganization, partner = 'p3', tier: 'sourced' | 'influenced' = 'sourced') => {
    const answer = await openDispute(org, (await recordOf(org, partner)).id, tier);
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data as ListedDispute;
  };

  test.each(['rejected', 'withdrawn'] as const)(
    '%s leaves the credit as it was, and tells of it',
    async (status) => {
      const org = await wonByThree(service);
      const before = await recordOf(org, 'p3');
      const dispute = await open(org);
      const emitted = await emittedBy(service, org, async () => {
        const answer = await resolveDispute(org, dispute, { status, note: 'Looked at it' });
        expect(answer.status, answer.text).toBe(200);
        expect(answer.body.data).toEqual({
          ...dispute,
          status,
          resolved_by: { key_id: (await org.second()).id, key_name: 'second', actor: null },
          resolved_at: expect.any(String),
          resolution_note: 'Looked at it',
        });
        const after = await detailOf(org, before.id);
        expect(after).toEqual({
          ...before,
          dispute_status: status,
          updated_at: answer.body.data.resolved_at,
          dispute_history: [answer.body.data],
        });
      });
      expect(emitted).toEqual(['updated p3 on o1: co_sell']);
    },
  );

  test('withdrawing takes the scope write; accepting and rejecting take admin, and the refusal says so', async () => {
    const org = await wonByThree(service);
    const key = await keyWith(org, ['write']);
    const dispute = await open(org);
    for (const status of ['accepted', 'rejected']) {
      const answer = await resolveDispute(org, dispute, { status }, { key });
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toContain('"admin"');
    }
    const reader = await resolveDispute(
      org,
      dispute,
      { status: 'withdrawn' },
      { key: await keyWith(org, ['read']) },
    );
    expect(reader.status).toBe(403);
    expect((await detailOf(org, dispute.record_id)).dispute_status).toBe('open');
    expect((await resolveDispute(org, dispute, { status: 'withdrawn' }, { key })).status).toBe(200);
  });

  test('the key that opened it can withdraw it but not decide it, whatever person it names', async () => {
    const org = await wonByThree(service);
    const dispute = await open(org);
    const own = { key: org.key, headers: { 'x-actor': 'Somebody else' } };
    for (const status of ['accepted', 'rejected']) {
      const answer = await resolveDispute(org, dispute, { status }, own);
      expect([answer.status, answer.body.error?.code]).toEqual([403, 'forbidden']);
    }
    expect((await detailOf(org, dispute.record_id)).dispute_status).toBe('open');
    expect((await resolveDispute(org, dispute, { status: 'withdrawn' }, own)).status).toBe(200);
  });

  test('unless the settings allow it', async () => {
    const org = await wonByThree(service);
    const path = `/admin/v1/organizations/${org.orgId}/settings`;
    const { settings } = (await service.operator('GET', path)).body.data;
    expect(settings.disputes).toEqual({ self_decision: 'never' });
    await service.operator('PUT', path, { ...settings, disputes: { self_decision: 'always' } });
    const dispute = await open(org);
    const answer = await resolveDispute(org, dispute, { status: 'rejected' }, { key: org.key });
    expect(answer.status, answer.text).toBe(200);
  });

  test.each(['accepted', 'rejected', 'withdrawn'])(
    'is final: one that is %s is 409 dispute_closed',
    async (status) => {
      const org = await wonByThree(service);
      const dispute = await open(org);
      await resolveDispute(org, dispute, { status });
      const before = await everythingOf(service.pool, org.orgId);
      for (const next of ['accepted', 'rejected', 'withdrawn']) {
        const answer = await resolveDispute(org, dispute, { status: next });
        expect([answer.status, answer.body.error?.code], next).toEqual([409, 'dispute_closed']);
      }
      expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
    },
  );

  test.each([
    ['no status', {}, 'status'],
    ['the status open', { status: 'open' }, 'status'],
    ['an empty note', { status: 'rejected', note: '' }, 'note'],
    ['a blank note', { status: 'rejected', note: '  ' }, 'note'],
    ['a note of 5,001 characters', { status: 'rejected', note: 'x'.repeat(5001) }, 'note'],
    ['an unknown field', { status: 'rejected', tier: 'sourced' }, 'tier'],
  ])('with %s is 400 and names the field', async (_, body, field) => {
    const record = await recordOf(untouched, 'p2');
    const dispute = record.dispute_history[0] ?? (await open(untouched, 'p2'));
    const answer = await resolveDispute(untouched, dispute, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).toEqual([field]);
    expect((await detailOf(untouched, record.id)).dispute_history).toEqual([dispute]);
  });

  test('is 404 for unknown ids, and for a dispute of another record', async () => {
    const org = await wonByThree(service);
    const dispute = await open(org);
    const { id: other } = await recordOf(org, 'p2');
    for (const ids of [
      { record_id: other, id: dispute.id },
      { record_id: dispute.record_id, id: newId('dsp') },
      { record_id: newId('atr'), id: dispute.id },
      { record_id: dispute.record_id, id: 'nonsense' },
      { record_id: 'nonsense', id: dispute.id },
      { record_id: dispute.id, id: dispute.record_id },
    ]) {
      for (const status of ['accepted', 'withdrawn']) {
        const answer = await resolveDispute(org, ids, { status });
        expect([answer.status, answer.body.error?.code], JSON.stringify(ids)).toEqual([404, 'not_found']);
      }
    }
    for (const id of [newId('atr'), 'nonsense', dispute.id]) {
      expect((await openDispute(org, id, 'sourced')).status).toBe(404);
      expect((await org.get(`/v1/attribution/${id}`)).status).toBe(404);
    }
    expect((await detailOf(org, dispute.record_id)).dispute_status).toBe('open');
  });
});
