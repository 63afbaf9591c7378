import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { expect } from 'vitest';
import { type ListedSignal, loadFacts, readAll } from '../facts.ts';
import type { Answer, TestOrganization, TestService } from '../harness.ts';

type Entry = { id: string; occurred_at: string; summary: string };

/** A signal with this many activities in its log: the newest makes it fire, the others are too old for a rule. */
export async function signalWithLog(
  service: TestService,
  count: number,
): Promise<{ org: TestOrganization; path: string }> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}, {}], opportunities: [{}], activities: [{}] });
  const [signal] = await readAll<ListedSignal>(org, '/v1/signals');
  // Rows like those of ingest, with 2,000 characters each and three at the same time.
  await service.pool.query(
    `insert into activities (org_id, id, external_id, partner_id, account_id, kind, occurred_at, recorded_at, summary)
     select $1, 'act_' || lpad((i * 7919 % $4)::text, 26, '0'), 'v' || i, $2, $3, 'content_touch',
       date_trunc('milliseconds', now()) - interval '500 days' - i / 3 * interval '1 minute',
       date_trunc('milliseconds', now()), rpad(i || ' "activity_log":[],"é', 2000, md5(i::text))
     from generate_series(1, $4 - 1) i`,
    [org.orgId, signal?.partner.id, signal?.account.id, count],
  );
  return { org, path: `/v1/signals/${signal?.id}` };
}

export function expectComplete(answer: Answer, count: number): void {
  const log = answer.body.data.activity_log as Entry[];
  expect(log).toHaveLength(count);
  expect(new Set(log.map(({ id }) => id)).size).toBe(count);
  const isBefore = (a: Entry, b: Entry | undefined) =>
    !b || `${a.occurred_at} ${a.id}` > `${b.occurred_at} ${b.id}`;
  expect(log.filter((entry, index) => !isBefore(entry, log[index + 1]))).toEqual([]);
}

/** Starts to read a response and stops, so that the buffers in between fill up and no more arrives. */
export async function startReading(from: { url: string; ca: string }, key: string, path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const agent = new Agent({ ca: from.ca });
    const headers = { authorization: `Bearer ${key}` };
    request(`${from.url}${path}`, { agent, headers }, resolve).on('error', reject).end();
  });
  response.on('error', () => {});
  return {
    response,
    readToEnd: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
  };
}
