import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type FactKind, factKinds } from '../vocabulary.ts';
import { crossFieldErrors, formOf, rowSchemas } from './ingest.ts';
import { isDate, parseTimestamp } from './values/time.ts';

const ajv = new Ajv({ allErrors: true, strict: false, useDefaults: true, verbose: true });
ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
ajv.addFormat('date', isDate);

type Row = Record<string, unknown>;

/** Every required field and nothing else. */
const least: Record<FactKind, Row> = {
  partners: { external_id: 'p-1', name: 'Lantern Quay', type: 'gsi', tier: 1 },
  accounts: { crm_id: 'a-1', name: 'Amberwick Foods' },
  opportunities: {
    crm_id: 'o-1',
    account_crm_id: 'a-1',
    name: 'Network renewal',
    value: 0,
    stage: 'discovery',
    status: 'open',
    opened_at: '2026-01-31',
  },
  partner_accounts: {
    partner_external_id: 'p-1',
    external_id: 'pa-1',
    name: 'Amberwick',
    relationship: 'customer',
  },
  activities: {
    external_id: 'act-1',
    partner_external_id: 'p-1',
    account_crm_id: 'a-1',
    kind: 'referral',
    occurred_at: '2026-01-31T12:00:00Z',
    summary: 'Sent us a lead',
  },
  exchange_rates: { date: '2026-01-30', base: 'EUR', quote: 'USD', rate: 1.0823 },
};

/** Every optional field. */
const more: Record<FactKind, Row> = {
  partners: { domain: 'https://www.lantern-quay.example/about' },
  accounts: {
    domain: 'amberwick.example',
    extra_domains: ['amberwick-group.example'],
    country: 'DE',
    registry_number: 'HRB 4711',
    merged_into: 'a-2',
  },
  opportunities: { currency: 'EUR', closed_date: '2026-02-28' },
  partner_accounts: { domain: 'amberwick.example', country: 'DE', registry_number: 'HRB 4711' },
  activities: {
    domain: 'amberwick.example',
    opportunity_crm_id: 'o-1',
    recorded_at: '2026-02-01T08:00:00+02:00',
    actor: 'Partner manager',
    source: 'crm',
  },
  exchange_rates: {},
};

const keys: Record<FactKind, string[]> = {
  partners: ['external_id'],
  accounts: ['crm_id'],
  opportunities: ['crm_id'],
  partner_accounts: ['partner_external_id', 'external_id'],
  activities: ['external_id'],
  exchange_rates: ['date', 'base', 'quote'],
};

describe.each(factKinds)('a row of %s', (kind) => {
  const versioned = { source_updated_at: '2026-02-01T00:00:00Z', deleted: false };

  it('is taken with its required fields alone, and with all', () => {
    expect(faults(kind, least[kind])).toEqual([]);
    expect(faults(kind, { ...least[kind], ...more[kind], ...versioned })).toEqual([]);
  });

  it('is refused without a required field, or with null for it', () => {
    for (const name of Object.keys(least[kind]).filter((field) => !isOptional(kind, field))) {
      const { [name]: _, ...rest } = least[kind];
      expect(faults(kind, rest), name).toEqual([`${name} required`]);
      expect(faults(kind, { ...rest, [name]: null })[0], name).toMatch(new RegExp(`^${name} (type|enum)$`));
    }
  });

  it('takes null for every optional field, as if it were absent', () => {
    for (const name of [...Object.keys(more[kind]), ...Object.keys(versioned)]) {
      expect(faults(kind, { ...least[kind], [name]: null }), name).toEqual([]);
    }
  });

  it('has no blank text', () => {
    for (const [name, value] of Object.entries({ ...least[kind], ...more[kind] })) {
      if (typeof value !== 'string') continue;
      expect(faults(kind, { ...least[kind], [name]: '' }), name).not.toEqual([]);
      expect(faults(kind, { ...least[kind], [name]: '  ' }), name).not.toEqual([]);
    }
  });

  it('is refused with a field that does not exist', () => {
    expect(faults(kind, { ...least[kind], nmae: 'x' })).toEqual(['nmae additionalProperties']);
    expect(faults(kind, { ...keyOf(kind), deleted: true, source_updatedat: 'x' })).toEqual([
      'source_updatedat additionalProperties',
    ]);
  });

  it('needs only its key to be withdrawn, and every part of that', () => {
    expect(faults(kind, { ...keyOf(kind), deleted: true })).toEqual([]);
    for (const name of keys[kind]) {
      const { [name]: _, ...rest } = keyOf(kind);
      expect(faults(kind, { ...rest, deleted: true }), name).toEqual([`${name} required`]);
    }
  });

  it('is withdrawn whatever the other fields hold, but not without a sound version', () => {
    const { merged_into: _, ...others } = { ...least[kind], ...more[kind] };
    const spoilt = Object.fromEntries(Object.keys(others).map((name) => [name, 42]));
    const row = { ...spoilt, ...keyOf(kind), deleted: true };
    expect(faults(kind, row)).toEqual([]);
    expect(faults(kind, { ...row, source_updated_at: 'yesterday' })).toEqual(['source_updated_at format']);
  });

  it('is not withdrawn by anything but true', () => {
    for (const deleted of ['true', 1, 'yes']) {
      expect(faults(kind, { ...least[kind], deleted })).toEqual(['deleted type']);
    }
    for (const row of [null, undefined, 'deleted', 7, [], [true]]) expect(formOf(row)).toBe('full');
  });
});

describe('bounds', () => {
  const text = (length: number) => 'x'.repeat(length);
  const cases: [FactKind, string, unknown[], unknown[]][] = [
    ['partners', 'external_id', [text(255), '🙂'.repeat(255)], [text(256), 7]],
    ['partners', 'name', [text(500)], [text(501)]],
    ['partners', 'tier', [1, 4], [0, 5, 1.5, '1']],
    ['partners', 'type', ['hyperscaler'], ['reseller', 'GSI']],
    ['partners', 'domain', [text(2048)], [text(2049)]],
    ['accounts', 'crm_id', [text(255)], [text(256)]],
    ['accounts', 'merged_into', [text(255)], [text(256)]],
    ['accounts', 'country', ['DE'], ['de', 'DEU', 'D', 'DE\n']],
    ['accounts', 'registry_number', [text(100)], [text(101), 4711]],
    [
      'accounts',
      'extra_domains',
      [[], Array(100).fill('a.example'), [text(2048)]],
      [Array(101).fill('a.example'), [text(2049)], [''], [null], 'a.example'],
    ],
    ['opportunities', 'value', [0, 0.01, 1e15], [-0.01, 1.1e15, '5']],
    ['opportunities', 'currency', ['USD'], ['usd', 'EU', 'EURO', '€']],
    ['opportunities', 'stage', [text(100)], [text(101)]],
    ['opportunities', 'status', ['lost'], ['Won', 'closed']],
    [
      'opportunities',
      'opened_at',
      ['2026-02-28', '2026-02-28T23:59:59Z', '2026-02-28T23:59:59.123+05:30'],
      ['2026-02-30', '2026-02-28T23:59:59', '28.02.2026', 1_700_000_000],
    ],
    ['opportunities', 'closed_date', ['2024-02-29'], ['2026-02-29', '2026-02-28T00:00:00Z']],
    ['partner_accounts', 'relationship', ['open_opportunity'], ['partner']],
    ['activities', 'kind', ['exec_intro'], ['meeting']],
    ['activities', 'occurred_at', ['2026-02-28T23:59:59Z'], ['2026-02-28', '2026-02-28 23:59:59Z']],
    ['activities', 'recorded_at', ['2026-02-28T23:59:59Z'], ['2026-02-28']],
    ['activities', 'summary', [text(2000)], [text(2001)]],
    ['activities', 'actor', [text(200)], [text(201)]],
    ['activities', 'source', [text(200)], [text(201)]],
  ];

  it.each(cases)('of %s.%s hold', (kind, field, good, bad) => {
    for (const value of good) {
      expect(faults(kind, { ...least[kind], [field]: value }), String(value)).toEqual([]);
    }
    for (const value of bad) {
      const [fault = ''] = faults(kind, { ...least[kind], [field]: value });
      expect(fault.split(/[ .]/)[0], String(value)).toBe(field);
    }
  });
});

describe('across fields', () => {
  it('a won deal needs its closing date, others do not', () => {
    const opportunity = { ...least.opportunities, status: 'won' };
    const missing = [{ field: 'closed_date', code: 'required', message: 'is required when status is won' }];
    expect(errors('opportunities', opportunity)).toEqual(missing);
    expect(errors('opportunities', { ...opportunity, closed_date: null })).toEqual(missing);
    expect(errors('opportunities', { ...opportunity, closed_date: '2026-02-28' })).toEqual([]);
    expect(errors('opportunities', { ...opportunity, status: 'lost' })).toEqual([]);
    expect(errors('opportunities', { crm_id: 'o-1', status: 'won', deleted: true })).toEqual([]);
  });

  it('an activity needs an account or a domain', () => {
    const { account_crm_id: _, ...activity } = least.activities;
    const missing = [{ field: 'account_crm_id', code: 'required' }];
    expect(errors('activities', activity)).toMatchObject(missing);
    expect(errors('activities', { ...activity, account_crm_id: null, domain: null })).toMatchObject(missing);
    expect(errors('activities', { ...activity, domain: 'amberwick.example' })).toEqual([]);
    expect(errors('activities', { external_id: 'act-1', deleted: true })).toEqual([]);
  });

  it('an account is never merged into itself, deleted or not', () => {
    for (const row of [least.accounts, { crm_id: 'a-1', deleted: true }]) {
      expect(errors('accounts', { ...row, merged_into: 'a-1' })).toMatchObject([{ field: 'merged_into' }]);
      expect(errors('accounts', { ...row, merged_into: 'a-2' })).toEqual([]);
      expect(faults('accounts', { ...row, merged_into: 7 })).toEqual(['merged_into type']);
    }
  });
});

/** What the schema that applies to the row finds: the field and the keyword. */
function faults(kind: FactKind, row: Row): string[] {
  const validate = ajv.compile(rowSchemas[kind][formOf(row)]);
  if (validate(row)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) => {
    const field = instancePath.slice(1).replaceAll('/', '.');
    return `${field || params.missingProperty || params.additionalProperty} ${keyword}`;
  });
}

function errors(kind: FactKind, row: Row) {
  expect(faults(kind, row)).toEqual([]);
  return crossFieldErrors(kind, row as never);
}

function keyOf(kind: FactKind): Row {
  return Object.fromEntries(keys[kind].map((name) => [name, least[kind][name]]));
}

function isOptional(kind: FactKind, field: string): boolean {
  return kind === 'activities' && field === 'account_crm_id';
}
