import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import { connect } from '../../src/store/db/connection.ts';
import { caller, startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('organizations', () => {
  test('are created, read, changed and listed newest first', async () => {
    const made = await service.operator('POST', '/admin/v1/organizations', {
      name: 'Åsa AB',
      plan: 'standard',
    });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Åsa AB',
      plan: 'standard',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await service.operator('GET', `/admin/v1/organizations/${id}`)).body.data).toEqual(
      made.body.data,
    );
    const changed = await service.operator('PATCH', `/admin/v1/organizations/${id}`, { plan: 'enterprise' });
    expect(changed.body.data).toMatchObject({ id, name: 'Åsa AB', plan: 'enterprise' });
    const listed = await service.operator('GET', '/admin/v1/organizations?limit=1');
    expect(listed.body.data[0].id).toBe(id);
  });

  test('a change of nothing is 400', async () => {
    const { orgId } = await service.organization();
    const answer = await service.operator('PATCH', `/admin/v1/organizations/${orgId}`, {});
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toEqual([
      { field: 'body', code: 'required', message: 'needs at least one of: name, plan' },
    ]);
  });

  test('pages through all of them exactly once', async () => {
    for (let i = 0; i < 5; i++) await service.organization();
    const seen = new Set<string>();
    let cursor = '';
    do {
      const { body } = await service.operator('GET', `/admin/v1/organizations?limit=3${cursor}`);
      for (const { id } of body.data) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      cursor = body.has_more ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);
    const { rows } = await service.pool.query('select count(*)::int as n from organizations');
    expect(seen.size).toBe(rows[0].n);
  });
});

describe('keys', () => {
  test('are shown once, have the documented form, and are stored as a hash', async () => {
    const { orgId } = await service.organization();
    const made = await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, { name: 'crm' });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'crm',
      scopes: ['write'],
      key: expect.stringMatching(/^psk_[0-9A-Za-z]{38}$/),
      created_at: expect.any(String),
      expires_at: null,
    });
    const listed = await service.operator('GET', `/admin/v1/organizations/${orgId}/keys`);
    expect(listed.body.data).toHaveLength(2);
    expect(listed.text).not.toContain('psk_');
    const { rows } = await service.pool.query('select * from api_keys where id = $1', [made.body.data.id]);
    expect(JSON.stringify(rows)).not.toContain(made.body.data.key);
    expect(service.logs.join('')).not.toContain(made.body.data.key);
  });

  test.each([
    [{ name: 'k', scopes: [] }, 'scopes'],
    [{ name: 'k', scopes: ['read', 'read'] }, 'scopes'],
    [{ name: 'k', scopes: ['root'] }, 'scopes.0'],
    [{ name: 'k', scopes: 'read' }, 'scopes'],
    [{ name: 'k', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'k', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'k', expires_at: '2099-02-30T00:00:00Z' }, 'expires_at'],
    [{ scopes: ['read'] }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'k', key: 'mine' }, 'key'],
  ])('%j is 400 and names %s', async (body, field) => {
    const { orgId } = await service.organization();
    const answer = await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].field).toBe(field);
  });

  test.each([
    ['read', 200],
    ['write', 200],
    ['admin', 200],
    ['ingest', 403],
  ] as const)('scope %s reads partners with %i', async (scope, status) => {
    const org = await service.organization({ scopes: [scope] });
    expect((await org.get('/v1/partners')).status).toBe(status);
  });

  test('an expiry in the future holds until then', async () => {
    const { orgId } = await service.organization();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { key } = (
      await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, { name: 'k', expires_at })
    ).body.data;
    expect((await service.call('GET', '/v1/partners', { key })).status).toBe(200);
  });

  test("another organization's key cannot be revoked through this one", async () => {
    const [one, two] = [await service.organization(), await service.organization()];
    expect(
      (await service.operator('DELETE', `/admin/v1/organizations/${one.orgId}/keys/${two.keyId}`)).status,
    ).toBe(404);
    expect((await two.get('/v1/partners')).status).toBe(200);
  });

  test('the last use is written at the latest when the service stops', async () => {
    const lone = await startTestService();
    const org = await lone.organization();
    await org.get('/v1/partners');
    await lone.close();
    const pool = connect({ connectionString: lone.databaseUrl }, () => {});
    const { rows } = await pool.query('select last_used_at from api_keys where id = $1', [org.keyId]);
    await pool.end();
    expect(Date.now() - rows[0].last_used_at.getTime()).toBeLessThan(60_000);
  });
});

describe('settings', () => {
  test('start as the defaults, version 1', async () => {
    const { orgId } = await service.organization();
    const { body } = await service.operator('GET', `/admin/v1/organizations/${orgId}/settings`);
    expect(body.data).toMatchObject({ version: 1, settings: defaultSettings });
  });

  test('every PUT makes a new version, also when several arrive at once', async () => {
    const { orgId } = await service.organization();
    const path = `/admin/v1/organizations/${orgId}/settings`;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.operator('PUT', path, defaultSettings)),
    );
    expect(answers.map((answer) => answer.body.data.version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await service.operator('GET', path)).body.data).toMatchObject({
      version: 9,
      created_by: 'operator',
    });
  });

  test('that were stored before a setting existed have its default', async () => {
    const org = await service.organization();
    const stored = `update organization_settings set settings = settings - 'disputes' where org_id = $1`;
    await service.pool.query(stored, [org.orgId]);
    const path = `/admin/v1/organizations/${org.orgId}/settings`;
    expect((await service.operator('GET', path)).body.data.settings).toEqual(defaultSettings);
    const { disputes: _, ...older } = defaultSettings;
    const put = await service.operator('PUT', path, older);
    expect([put.status, put.body.data.settings]).toEqual([200, defaultSettings]);
  });

  test('are taken whole: a missing, unknown or impossible number is named', async () => {
    const { orgId } = await service.organization();
    const path = `/admin/v1/organizations/${orgId}/settings`;
    const broken = structuredClone(defaultSettings) as unknown as {
      signals: Record<string, unknown>;
      surprise?: number;
    };
    broken.signals.overlap = { life_days: 0 };
    broken.surprise = 1;
    const answer = await service.operator('PUT', path, broken);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      'signals.overlap.life_days',
      'signals.overlap.return_days',
      'surprise',
    ]);
    expect((await service.operator('GET', path)).body.data.version).toBe(1);
  });
});

describe('the audit', () => {
  test('has who, what, when and from where, for reads and refusals too', async () => {
    const lone = await startTestService({
      OPERATOR_KEYS: 'ada:ada-key-0123456789,grace:grace-key-0123456789',
      OPERATOR_KEY: '',
    });
    const call = caller(lone.url, lone.ca);
    await call('GET', '/admin/v1/organizations', { key: 'ada-key-0123456789' });
    await call('POST', '/admin/v1/organizations', { key: 'grace-key-0123456789', body: { name: '' } });
    await call('GET', '/admin/v1/organizations', { key: 'nobody-key-0123456789' });
    await expect
      .poll(async () => {
        const { body } = await call('GET', '/admin/v1/audit', { key: 'ada-key-0123456789' });
        return body.data
          .slice(-2)
          .map(({ operator, method, path, address, status }: Record<string, unknown>) => ({
            operator,
            method,
            path,
            address,
            status,
          }));
      })
      .toEqual([
        {
          operator: 'grace',
          method: 'POST',
          path: '/admin/v1/organizations',
          address: '127.0.0.1',
          status: 400,
        },
        {
          operator: 'ada',
          method: 'GET',
          path: '/admin/v1/organizations',
          address: '127.0.0.1',
          status: 200,
        },
      ]);
    await lone.close();
  });
});

describe('GET /v1/me', () => {
  test('tells a key its scopes and its organization, and nothing of another', async () => {
    const org = await service.organization({ plan: 'standard', scopes: ['read'] });
    const other = await service.organization();
    const { status, body } = await org.get('/v1/me');
    expect([status, body.data]).toEqual([
      200,
      {
        id: org.keyId,
        name: 'test',
        scopes: ['read'],
        created_at: expect.any(String),
        expires_at: null,
        organization: {
          id: org.orgId,
          name: 'Test organization',
          plan: 'standard',
          self_decision: 'never',
        },
      },
    ]);
    expect((await other.get('/v1/me')).body.data.id).toBe(other.keyId);
  });

  test('is 403 for a key that can only ingest', async () => {
    const org = await service.organization({ scopes: ['ingest'] });
    expect((await org.get('/v1/me')).status).toBe(403);
  });
});
