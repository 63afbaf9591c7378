// Does a page get slower as the list grows? One organization has 10,000 signals, one a million, and one ten million. The rows
// are created in the database, as unevenly distributed as in the tests of plans. Measures the CPU time of a page of 25 in the
// service and in PostgreSQL: the first page of each list, and one near the end of the larger ones.
import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeCursor } from '../src/store/db/cursor.ts';
import { createKeyring } from '../src/store/keys/keyring.ts';
import { fillSignals, id } from '../test/store/large-store.ts';
import { cpuSeconds } from './cpu.ts';
import { encryptionKey, startInstallation } from './installation.ts';
import { get, sendAll, uncached } from './reads.ts';
import type { Say, Section } from './section.ts';

const dayMs = 86_400_000;
/** Requests per list and minute: the plan allows an organization 300. */
const requests = 140;

type List = { name: string; url: string; key: string; seconds: number };

export async function measureGrowth(quick: boolean, say: Say): Promise<Section> {
  // Without a worker, which would process the new rows.
  const installation = await startInstallation({ ROLE: 'api' });
  try {
    const { host, port, database } = installation.connection;
    const databaseUrl = `postgresql://postgres@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    const lists: List[] = [];
    for (const signals of quick ? [10_000, 100_000] : [10_000, 1_000_000, 10_000_000]) {
      say(`making ${signals.toLocaleString('en-US')} signals`);
      const { orgId, key } = await installation.organizationWithKey(['read']);
      await fillSignals(databaseUrl, orgId, signals);
      const url = `${installation.url}/v1/signals`;
      const name = `${signals.toLocaleString('en-US')} signals`;
      lists.push({ name: `${name}, first page`, url, key, seconds: 0 });
      if (lists.length === 1) continue;
      // Signals fired half a minute apart; nine tenths of them are newer than this position.
      const at = new Date(Date.now() - 0.9 * signals * 30_000 - dayMs / 24);
      const scope = { orgId, route: JSON.stringify(['/v1/signals', {}]), filters: { sort: 'fired_at' } };
      const cursor = encodeCursor(createKeyring([encryptionKey]), scope, [at.toISOString(), id('sig', 0)]);
      lists.push({ name: `${name}, nine tenths in`, url: `${url}?cursor=${cursor}`, key, seconds: 0 });
    }
    const agent = new Agent({ ca: installation.ca, keepAlive: true, maxSockets: 8 });
    const spent = () => cpuSeconds([installation.pid]) + installation.postgresSeconds();
    const rounds = quick ? 1 : 5;
    for (let round = 0; round <= rounds; round++) {
      if (round > 0) await delay(60_000); // for the rate limit of the plan
      for (const list of lists) {
        const before = spent();
        await sendAll(requests, () => get(agent, list.url, list.key, uncached));
        if (round > 0) list.seconds += spent() - before;
      }
      say(`round ${round} of ${rounds}`);
    }
    const small = lists[0]?.seconds ?? Number.NaN;
    return {
      name: 'growth',
      title: 'A page of a growing list',
      rows: lists.map(({ name, seconds }) => ({
        list: name,
        'CPU, ms': (seconds / (rounds * requests)) * 1_000,
        'times the smallest list': seconds / small,
      })),
      notes: ['The CPU time is that of the service and of PostgreSQL together.'],
      chart: { label: 'list', value: 'CPU, ms', better: 'lower' },
    };
  } finally {
    await installation.stop();
  }
}
