import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { factsOf, now } from '../../test/demo/facts.ts';
import { crossFieldErrors, rowSchemas } from '../contract/ingest.ts';
import { compileValidator } from '../http/admission/validation.ts';
import { normalizeDomain } from '../rules/matching/domain-name.ts';
import { activityKinds, factKinds, opportunityStatuses, partnerTypes, relationships } from '../vocabulary.ts';
import { type DatasetSize, dataset, demoSize } from './dataset.ts';

const dayMs = 86_400_000;

describe('the demo dataset', () => {
  const facts = factsOf({ size: demoSize });

  it('has exactly the rows that were asked for', () => {
    expect({
      partners: facts.partners.length,
      accounts: facts.accounts.length,
      opportunities: facts.opportunities.length,
      activities: facts.activities.length,
    }).toEqual(demoSize);
  });

  it('holds something for every filter', () => {
    const values = <T, V>(rows: T[], of: (row: T) => V) => [...new Set(rows.map(of))].sort();
    expect(values(facts.partners, (row) => row.type)).toEqual([...partnerTypes].sort());
    expect(values(facts.partners, (row) => row.tier)).toEqual([1, 2, 3, 4]);
    expect(values(facts.opportunities, (row) => row.status)).toEqual([...opportunityStatuses].sort());
    expect(values(facts.opportunities, (row) => row.stage)).toHaveLength(7);
    expect(values(facts.partner_accounts, (row) => row.relationship)).toEqual([...relationships].sort());
    expect(values(facts.activities, (row) => row.kind)).toEqual([...activityKinds].sort());
    expect(values(facts.activities, (row) => row.partner_external_id)).toHaveLength(demoSize.partners);
    expect(values(facts.accounts, (row) => row.country).length).toBeGreaterThan(8);
    expect(values(facts.opportunities, (row) => row.currency)).toEqual(['EUR', 'USD']);
    expect(values(facts.accounts, (row) => row.owner?.email)).toHaveLength(3);
    expect(values(facts.activities, (row) => row.summary).length).toBeGreaterThan(1000);
  });

  it('lies in the past: activities and closed deals within a year, closed after they were opened', () => {
    for (const { occurred_at, recorded_at } of facts.activities) {
      expect(ageDays(occurred_at)).toBeGreaterThanOrEqual(0);
      expect(ageDays(occurred_at)).toBeLessThan(366);
      expect(ageDays(recorded_at ?? '')).toBeGreaterThanOrEqual(0);
      expect(Date.parse(recorded_at ?? '')).toBeGreaterThanOrEqual(Date.parse(occurred_at));
    }
    for (const { opened_at, closed_date, status } of facts.opportunities) {
      expect(ageDays(opened_at)).toBeGreaterThan(0);
      expect(ageDays(opened_at)).toBeLessThan(366 + 125);
      expect(ageDays(closed_date ?? '')).toBeLessThan(366);
      expect((closed_date ?? '') > opened_at).toBe(true);
      if (status === 'open') expect(ageDays(closed_date ?? '')).toBeLessThan(0);
      else expect(ageDays(closed_date ?? '')).toBeGreaterThan(0);
    }
  });

  it('is denser the nearer to now', () => {
    const perDay = (from: number, to: number) =>
      facts.activities.filter(({ occurred_at }) => ageDays(occurred_at) >= from && ageDays(occurred_at) < to)
        .length /
      (to - from);
    expect(perDay(0, 60)).toBeGreaterThan(3 * perDay(120, 365));
  });

  it('says what happened without naming the kind', () => {
    for (const { kind, summary } of facts.activities) {
      expect(summary.toLowerCase()).not.toContain(kind.replaceAll('_', ' '));
    }
  });

  it('names whom to call wherever a partner brings somebody at the customer', () => {
    const kinds = ['referral', 'introduction', 'exec_intro'];
    const contacts = facts.activities
      .filter((row) => kinds.includes(row.kind))
      .map(({ actor }) => actor ?? '');
    expect(new Set(contacts).size).toBeGreaterThan(20);
    // A role of the customer, short enough for the action of a signal.
    for (const contact of contacts) expect(contact).toMatch(/^(?!Partner|Alliance)[A-Z][\w -]{2,21}$/);
  });

  it('names invented companies only', () => {
    for (const { domain } of [...facts.partners, ...facts.accounts])
      expect(domain).toMatch(/^[a-z0-9-]+\.example$/);
    for (const { domain } of [...facts.partner_accounts, ...facts.activities])
      if (domain) expect(normalizeDomain(domain)).toMatch(/\.example$/);
  });
});

describe.each([1, 2, 2_000_000_011])('a dataset of seed %i', (seed) => {
  const sizes: DatasetSize[] = [
    demoSize,
    { partners: 1, accounts: 1, opportunities: 3, activities: 7 },
    { partners: 2, accounts: 5, opportunities: 0, activities: 23 },
    { partners: 500, accounts: 3000, opportunities: 1500, activities: 9000 },
  ];

  it.each(sizes)('satisfies the schemas of ingest: %o', (size) => {
    const validators = Object.fromEntries(
      factKinds.map((kind) => [kind, compileValidator(routeOf(rowSchemas[kind].full))]),
    );
    const bad: unknown[] = [];
    for (const { kind, rows } of dataset({ size, seed, now, batchRows: 1000 })) {
      for (const row of rows) {
        if (validators[kind]?.(row) !== true || crossFieldErrors(kind, row).length > 0) bad.push(row);
      }
    }
    expect(bad).toEqual([]);
  });

  it.each(sizes)('refers only to facts that came before, and has every key once: %o', (size) => {
    const accountByReference = new Map<string, string>();
    const known = new Set<string>();
    const bad: unknown[] = [];
    for (const { kind, rows } of dataset({ size, seed, now, batchRows: 100 })) {
      for (const row of rows as unknown[] as Partial<Record<string, string>>[]) {
        const key = row.crm_id ?? row.external_id ?? row.date ?? '';
        const account = row.account_crm_id ?? accountByReference.get(row.domain ?? '');
        const opportunity = row.opportunity_crm_id;
        const isGood =
          key !== '' &&
          !known.has(key) &&
          (row.partner_external_id === undefined || known.has(row.partner_external_id)) &&
          (!['opportunities', 'activities'].includes(kind) || known.has(account ?? '')) &&
          (!opportunity || (known.has(opportunity) && accountByReference.get(opportunity) === account));
        if (!isGood) bad.push(row);
        known.add(key);
        if (kind === 'accounts' && row.domain) accountByReference.set(row.domain, key);
        if (kind === 'opportunities' && account) accountByReference.set(key, account);
      }
    }
    expect(bad).toEqual([]);
    expect(known.size).toBeGreaterThan(0);
  });
});

describe('dataset', () => {
  it('gives the same rows for the same seed and now, in batches of any size', () => {
    expect(factsOf({ size: demoSize, batchRows: 7 })).toEqual(factsOf({ size: demoSize }));
  });

  it('names a later phase of a project only in activities on that deal', () => {
    const { opportunities, activities } = factsOf({ size: demoSize });
    const nameOf = new Map(opportunities.map(({ crm_id, name }) => [crm_id, name]));
    const wrong = activities.filter(({ opportunity_crm_id, summary }) => {
      const [, phase] = /the (second|third) phase of /.exec(summary) ?? [];
      const deal = nameOf.get(opportunity_crm_id ?? '') ?? '';
      return phase && !deal.endsWith(phase === 'second' ? ', phase 2' : ', phase 3');
    });
    expect(wrong).toEqual([]);
    expect(activities.some(({ summary }) => summary.includes('the second phase of the '))).toBe(true);
  });

  it('gives other rows for another seed', () => {
    const [one, other] = [factsOf({ size: demoSize }), factsOf({ size: demoSize, seed: 2 })];
    for (const kind of factKinds.filter((kind) => kind !== 'exchange_rates')) {
      const same = one[kind].filter(
        (row, index) => JSON.stringify(row) === JSON.stringify(other[kind][index]),
      );
      expect(same.length, kind).toBeLessThanOrEqual(one[kind].length / 10);
    }
  });

  it('moves with now, and lies in the past also on a weekend just after midnight', () => {
    const sunday = new Date('2026-03-29T00:00:01Z');
    const { activities } = factsOf({ size: demoSize, now: sunday });
    for (const { occurred_at } of activities) {
      expect(Date.parse(occurred_at)).toBeLessThanOrEqual(sunday.getTime());
      expect(Date.parse(occurred_at)).toBeGreaterThan(sunday.getTime() - 366 * dayMs);
    }
  });

  it('fills every batch but the last of its kind', () => {
    const sizes = [...dataset({ size: demoSize, seed: 1, now, batchRows: 64 })]
      .filter(({ kind }) => kind === 'accounts')
      .map(({ rows }) => rows.length);
    expect(sizes).toEqual([64, 64, 22]);
  });

  it('refuses sizes that cannot be', () => {
    const first = (size: Partial<DatasetSize>, batchRows = 10) =>
      dataset({ size: { ...demoSize, ...size }, seed: 1, now, batchRows }).next();
    expect(() => first({ accounts: 0 })).toThrow(RangeError);
    expect(() => first({ partners: 0 })).toThrow(RangeError);
    expect(() => first({ activities: -1 })).toThrow(RangeError);
    expect(() => first({ activities: 1.5 })).toThrow(RangeError);
    expect(() => first({}, 0)).toThrow(RangeError);
  });

  it('tells companies apart by words, and by a number only where the words are used up', () => {
    const count = 100_000;
    const size = { partners: 0, accounts: count, opportunities: 0, activities: 0 };
    const { accounts } = factsOf({ size });
    const domains = new Set(accounts.map(({ domain }) => domain));
    const registryNumbers = accounts.flatMap((row) => row.registry_number ?? []);
    const numbered = accounts.filter(({ name }) => /\d/.test(name));
    expect(domains.size).toBe(count);
    expect(new Set(registryNumbers).size).toBe(registryNumbers.length);
    expect(numbered).toEqual(accounts.slice(84_000));
  });

  it('makes nothing before it is asked for and keeps nothing after', () => {
    const collectGarbage = garbageCollector();
    const huge = 1_000_000_000;
    const size = { partners: 20, accounts: huge, opportunities: huge, activities: huge };
    const batches = dataset({ size, seed: 1, now, batchRows: 1000 });
    const take = (count: number) => {
      for (let taken = 0; taken < count; taken++) batches.next();
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = take(20);
    const after = take(200);
    // 200,000 accounts in memory would take at least 40 MB.
    expect(after - before).toBeLessThan(4e6);
  });
});

function ageDays(iso: string): number {
  return (now.getTime() - Date.parse(iso)) / dayMs;
}

function routeOf(schema: object) {
  return { schema: { ...schema }, method: 'POST', url: '/', httpPart: 'body' };
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
