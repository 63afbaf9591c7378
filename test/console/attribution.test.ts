import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../src/vocabulary.ts';
import {
  detailOf,
  done,
  type OldOrganization,
  openDispute,
  recordOf,
  resolveDispute,
  wonByThree,
  wonOpportunity,
} from '../attribution/requests.ts';
import { startTestService, type TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('attribution in the console', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];

  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });

  /** Three partners on one deal, p3 with evidence that came after the closing; and p1 alone on another, in euros. */
  async function organization(): Promise<OldOrganization> {
    const org = await wonByThree(service);
    await org.load('2024-03-20T00:00:00Z', { activities: [done('joint_meeting', '2024-03-07', 'p3')] });
    await org.load('2024-05-01T20:00:00Z', {
      accounts: [{ crm_id: 'a2' }],
      opportunities: [
        {
          ...wonOpportunity,
          crm_id: 'o2',
          account_crm_id: 'a2',
          closed_date: '2024-05-01',
          value: 2500,
          currency: 'EUR',
        },
      ],
      activities: [{ ...done('joint_meeting', '2024-04-20', 'p1'), account_crm_id: 'a2' }],
    });
    return org;
  }

  async function anotherKey({ orgId }: OldOrganization, name: string, scope: Scope): Promise<string> {
    const body = { name, scopes: [scope] };
    return (await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, body)).body.data.key;
  }

  const openAt = (org: OldOrganization, path: string, key = org.key) =>
    signIn(page, `${service.url}/console${path}`, key);
  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const rows = () =>
    page
      .getByRole('table')
      .getByRole('row')
      .filter({ has: page.getByRole('link') });
  const evidence = () => section('Evidence').getByRole('listitem');
  const button = (name: string) => section('Disputes').getByRole('button', { name, exact: true });
  const search = () => Object.fromEntries(new URL(page.url()).searchParams);

  test('lists who is credited for what, and totals follow the filters, which the URL keeps', async () => {
    const org = await organization();
    await openAt(org, '/');
    await page.getByRole('link', { name: 'Attribution', exact: true }).click();
    await eventually(() => rows().count()).toBe(4);
    expect(await page.title()).toBe('Attribution · Partner Signals');
    expect(await rows().first().innerText()).toMatch(/Opportunity o2.*Partner p1.*€2,500.*1 May 2024/s);
    await section('Totals').getByText('2 deals').first().waitFor();
    expect(await section('Totals').innerText()).toContain('€2,500');

    await page.getByRole('group', { name: 'Tier' }).getByRole('link', { name: 'Sourced' }).click();
    await eventually(() => rows().count()).toBe(1);
    await section('Totals').getByText('1,000 (no currency)').waitFor();
    expect(await section('Totals').innerText()).not.toContain('€');
    await page.getByRole('group', { name: 'Tier' }).getByRole('link', { name: 'All' }).click();
    // Both days are in the period, but the API excludes the days that it is given.
    await page.getByLabel('From', { exact: true }).fill('2024-05-01');
    await eventually(() => rows().count()).toBe(1);
    await page.getByLabel('Partner', { exact: true }).first().click();
    await page.getByRole('option', { name: 'Partner p2' }).click();
    await page.getByText('No records match these filters.').waitFor();
    expect(search()).toEqual({ from: '2024-05-01', partner_id: expect.stringMatching(/^prt_/) });
    await page.reload();
    await page.getByText('No records match these filters.').waitFor();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2024-05-01');
    await page.getByRole('link', { name: 'Show all records' }).click();
    await eventually(() => rows().count()).toBe(4);

    // A half-typed year sends no request.
    const days: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) days.push(new URL(request.url()).searchParams.get('closed_before'));
    });
    await page.getByLabel('To', { exact: true }).pressSequentially('04302024');
    await eventually(() => rows().count()).toBe(3);
    expect(new Set(days)).toEqual(new Set(['2024-05-01']));
    await rows().first().getByRole('link').first().click();
    await section('Evidence').waitFor();
    await page.getByRole('link', { name: 'Attribution' }).nth(1).click();
    await eventually(() => rows().count()).toBe(3);
    expect(search()).toEqual({ to: '2024-04-30' });
  });

  test('what did not count is told apart from what did, and each says why', async () => {
    const org = await organization();
    const { id, evidence_log } = await recordOf(org, 'p3');
    expect(evidence_log.map(({ counted }) => counted)).toEqual([true, false]);
    await openAt(org, `/attribution/${id}`);
    await page.getByRole('heading', { name: 'Opportunity o1' }).waitFor();
    await section('Evidence').getByText('1 of 2 counted').waitFor();
    for (const [index, { counted, reason }] of evidence_log.entries()) {
      const line = await evidence().nth(index).innerText();
      expect(line).toContain(counted ? 'Counted as co-sell' : 'Did not count');
      expect(line).toContain(`${counted ? 'Why it counted:' : 'Why it did not count:'} ${reason}`);
    }
    expect(await evidence().nth(1).innerText()).toContain(
      'Recorded 10 days after the deal closed; counts only if a dispute is accepted.',
    );
  });

  test('a dispute is opened and accepted: tier, evidence, history and the other partner follow, at two requests a step', async () => {
    const org = await organization();
    const { id } = await recordOf(org, 'p3');
    await openAt(org, '/attribution');
    await rows().filter({ hasText: 'Partner p3' }).getByRole('link').first().click();
    await section('Evidence').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));

    await button('Open a dispute').click();
    await page.getByRole('radio', { name: 'Sourced' }).check();
    await button('Open dispute').click();
    await section('Disputes').getByText('Enter a justification.').waitFor();
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('400')]);
    sent.length = 0;
    await page.getByLabel('Justification').fill('We brought the buyer.\nSee the minutes.');
    await button('Open dispute').click();
    await section('Disputes').getByText('Dispute opened.').waitFor();
    await section('Disputes').getByText('We brought the buyer.').waitFor();
    await page.getByRole('link', { name: 'A dispute is open' }).waitFor();
    expect(sent).toEqual([`POST /v1/attribution/${id}/disputes`, `GET /v1/attribution/${id}`]);

    await section('Disputes').getByText('You opened this dispute with this key').waitFor();
    expect(await button('Accept').isDisabled()).toBe(true);
    expect(await button('Reject').isDisabled()).toBe(true);
    expect(await button('Withdraw').isDisabled()).toBe(false);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await openAt(org, `/attribution/${id}`, await anotherKey(org, 'decider', 'admin'));
    await section('Disputes').getByText('Opened by key test').waitFor();

    sent.length = 0;
    await page.getByLabel('Note').fill('The minutes bear it out.');
    await button('Accept').click();
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe(
      'Accepted. The tier is now sourced.',
    );
    await page.getByText('Sourced credit for Partner p3').waitFor();
    await evidence().filter({ hasText: 'Dispute accepted' }).waitFor();
    const history = section('Disputes').getByRole('list').getByRole('listitem');
    expect(await history.innerText()).toMatch(/Accepted.*Sourced instead of co-sell.*bear it out/s);
    expect(sent).toEqual([
      expect.stringMatching(`^PATCH /v1/attribution/${id}/disputes/dsp_`),
      `GET /v1/attribution/${id}`,
    ]);

    await page.getByRole('link', { name: 'Attribution' }).first().click();
    await eventually(() => rows().filter({ hasText: 'Partner p3' }).innerText()).toMatch(
      /Sourced.*Accepted/s,
    );
    expect(await rows().filter({ hasText: 'Partner p1' }).filter({ hasText: 'o1' }).innerText()).toContain(
      'Influenced',
    );
    expect((await detailOf(org, id)).dispute_history).toMatchObject([
      { status: 'accepted', resolution_note: 'The minutes bear it out.', claimed_tier: 'sourced' },
    ]);
  });

  test('a dispute starts at the next higher tier, and never at a lower one', async () => {
    const org = await organization();
    const { id } = await recordOf(org, 'p3');
    const key = await anotherKey(org, 'another', 'admin');
    const lowered = await openDispute(org, id, 'influenced', { key });
    await resolveDispute(org, lowered.body.data, { status: 'accepted' });
    await openAt(org, '/attribution');
    for (const [partner, tier, chosen] of [
      ['p3', 'influenced', ['Co-sell']],
      ['p2', 'co_sell', ['Sourced']],
      ['p1', 'sourced', []],
    ] as const) {
      const record = await recordOf(org, partner);
      expect(record.tier).toBe(tier);
      await page.goto(`${service.url}/console/attribution/${record.id}`);
      await button('Open a dispute').click();
      await eventually(() => page.getByRole('radio').count()).toBe(2);
      const checked = await page
        .getByRole('radio', { checked: true })
        .evaluateAll((radios) => radios.map((radio) => (radio as HTMLInputElement).labels?.[0]?.textContent));
      expect(checked).toEqual(chosen);
    }
    await button('Open dispute').click();
    await section('Disputes').getByText('Choose a tier.').waitFor();
  });

  test('a write key sees that it cannot decide a dispute, and can withdraw it', async () => {
    const org = await organization();
    const { id } = await recordOf(org, 'p2');
    await openDispute(org, id, 'sourced');
    await openAt(org, `/attribution/${id}`, await anotherKey(org, 'writer', 'write'));
    await section('Disputes')
      .getByText('To accept or reject, you need a key with the scope admin.')
      .waitFor();
    expect(await button('Accept').isDisabled()).toBe(true);
    expect(await button('Reject').isDisabled()).toBe(true);
    await button('Withdraw').click();
    await section('Disputes').getByText('Withdrawn. The tier has not changed.').waitFor();
    await section('Disputes').getByText('Withdrawn by key writer').waitFor();
    await button('Open a dispute').waitFor();
  });

  test('where the settings let whoever opened a dispute decide it, one key can do both', async () => {
    const org = await organization();
    const path = `/admin/v1/organizations/${org.orgId}/settings`;
    const { settings } = (await service.operator('GET', path)).body.data;
    await service.operator('PUT', path, { ...settings, disputes: { self_decision: 'always' } });
    const { id } = await recordOf(org, 'p2');
    await openDispute(org, id, 'influenced');
    await openAt(org, `/attribution/${id}`);
    await button('Accept').click();
    await section('Disputes').getByText('Accepted. The tier is now influenced.').waitFor();
  });

  test('a read-only key sees that it cannot open or withdraw a dispute', async () => {
    const org = await organization();
    const { id } = await recordOf(org, 'p2');
    await openAt(org, `/attribution/${id}`, await anotherKey(org, 'reader', 'read'));
    await section('Disputes').getByText('Your key is read-only.').waitFor();
    expect(await button('Open a dispute').isDisabled()).toBe(true);
    await openDispute(org, id, 'sourced');
    await page.reload();
    await button('Withdraw').waitFor();
    for (const name of ['Accept', 'Reject', 'Withdraw'])
      expect(await button(name).isDisabled(), name).toBe(true);
  });

  test('what somebody else was faster with is said, the record is shown as it stands, and nothing written is lost', async () => {
    const org = await organization();
    const { id } = await recordOf(org, 'p2');
    await openAt(org, `/attribution/${id}`);
    await button('Open a dispute').click();
    await page.getByLabel('Justification').fill('Mine');
    const key = await anotherKey(org, 'another', 'admin');
    const theirs = (await openDispute(org, id, 'influenced', { key })).body.data;
    await button('Open dispute').click();
    await section('Disputes').getByRole('alert').getByText('already has an open dispute').waitFor();
    await section('Disputes').getByText('We were there first').waitFor();

    await resolveDispute(org, theirs, { status: 'withdrawn' });
    await button('Reject').click();
    await section('Disputes').getByRole('alert').getByText('This dispute is already withdrawn.').waitFor();
    await button('Open dispute').waitFor();
    expect(await page.getByLabel('Justification').inputValue()).toBe('Mine');

    const won = await openDispute(org, (await recordOf(org, 'p3')).id, 'sourced', { key });
    await resolveDispute(org, won.body.data, { status: 'accepted' });
    await openDispute(org, id, 'sourced', { key });
    await page.reload();
    await button('Accept').click();
    await section('Disputes')
      .getByRole('alert')
      .getByText('Another partner has the tier "sourced"')
      .waitFor();
    await button('Accept').waitFor();
    expect(misdeeds.splice(0)).toEqual(Array(3).fill(expect.stringContaining('409')));
  });

  test('an organization without won deals is told what to do, and a record that is not there is said to be so', async () => {
    const { key } = await service.organization({ scopes: ['read'] });
    await signIn(page, `${service.url}/console/attribution`, key);
    await page.getByText('No partner has been credited yet.').waitFor();
    await page.goto(`${service.url}/console/attribution/atr_00000000000000000000000000`);
    await page
      .getByRole('alert')
      .getByText('There is no attribution record with the ID atr_00000000000000000000000000.')
      .waitFor();
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  test('no page has a serious barrier or is wider than the screen, in light and dark, on large and small', async () => {
    const org = await organization();
    await openDispute(org, (await recordOf(org, 'p2')).id, 'influenced');
    await openAt(org, '/attribution');
    await rows().first().waitFor();
    await section('Totals').getByText('deals').first().waitFor();
    await expectNoBarrier(page);
    await rows().filter({ hasText: 'Partner p3' }).getByRole('link').first().click();
    await button('Open a dispute').click();
    await expectNoBarrier(page);
    await page.goBack();
    await rows().filter({ hasText: 'Partner p2' }).getByRole('link').first().click();
    await button('Accept').waitFor();
    await expectNoBarrier(page);
  });
});
