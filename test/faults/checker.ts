import { until } from './child.ts';
import type { Installation } from './installation.ts';
import type { AcknowledgedFact } from './ledger.ts';
import type { Load } from './load.ts';

export type Findings = {
  /** Acknowledged data that is gone, and events that a reader or receiver never got. */
  lost: string[];
  /** Violated invariants: the order of the feed, one active signal per kind, correct counts. */
  wrong: string[];
  /** Work that no longer progresses. */
  stuck: string[];
  /** Deliveries that arrived more than once, which is allowed. */
  duplicated: number;
};

/** How long something may wait before it counts as stuck; a lease lasts 20 seconds, and retries start at 5. */
const stuckSeconds = 60;

/** Compares what was acknowledged and seen with the database. Each finding is reported once. */
export class Checker {
  readonly #installation: Installation;
  readonly #load: Load;
  readonly #told = new Set<string>();
  #countedArrivals = 0;
  readonly #arrived = new Set<string>();

  constructor(installation: Installation, load: Load) {
    this.#installation = installation;
    this.#load = load;
  }

  async check(): Promise<Findings> {
    const lost = [
      ...(await this.acknowledgedAndLost()),
      ...(await this.#undelivered()),
      ...(await this.#skipped()),
    ];
    const fresh = (findings: string[]) => findings.filter((one) => !this.#told.has(one));
    const findings = {
      lost: fresh(lost),
      wrong: fresh(await this.#contradictions()),
      stuck: fresh(await this.#stuck()),
      duplicated: this.#duplicated(),
    };
    for (const one of [...findings.lost, ...findings.wrong, ...findings.stuck]) this.#told.add(one);
    return findings;
  }

  async acknowledgedAndLost(): Promise<string[]> {
    // Read before the database: what is acknowledged after this may not be in its snapshot.
    const facts = this.#load.ledger.facts();
    const changes = this.#load.ledger.changes.map((change) => Object.values(change));
    const of = (kind: AcknowledgedFact['kind'], status?: string) =>
      facts.filter((fact) => fact.kind === kind && fact.status === status).map(({ org, key }) => [org, key]);
    const checks: [what: string, keys: string[][], held: string][] = [
      ['account', of('accounts'), 'select org_id, crm_id from accounts'],
      ['partner account', of('partner_accounts'), 'select org_id, external_id from partner_accounts'],
      ['activity', of('activities'), 'select org_id, external_id from activities'],
      ['opportunity', of('opportunities', 'open'), 'select org_id, crm_id from opportunities'],
      [
        'won opportunity',
        of('opportunities', 'won'),
        `select org_id, crm_id from opportunities where status = 'won'`,
      ],
      ['state change', changes, 'select org_id, signal_id, note, to_state from signal_changes'],
    ];
    return (await Promise.all(checks.map((check) => this.#missing(...check)))).flat();
  }

  /** Waits until every delivery is made: those of a dead worker wait for the end of its lease. */
  async settled(): Promise<void> {
    const pending = `select 1 from deliveries where status = 'pending' limit 1`;
    await until('the last deliveries', 90, async () => (await this.#query(pending)).length === 0);
  }

  /** The keys that are missing in the database. */
  async #missing(what: string, keys: string[][], held: string): Promise<string[]> {
    const there = new Set((await this.#query(held)).map((row) => Object.values(row).join(' ')));
    return keys.flatMap((key) => (there.has(key.join(' ')) ? [] : [`${what} ${key.join(' ')}`]));
  }

  /** Events without a delivery, and deliveries that are marked as delivered but that the receiver never got. */
  async #undelivered(): Promise<string[]> {
    const rows = await this.#query<{ org_id: string; event_id: string; status: string | null }>(
      `select e.org_id, e.id as event_id, d.status from events e
       left join deliveries d on d.org_id = e.org_id and d.event_id = e.id
       where e.kind <> 'signal.updated' and (d.status is null or d.status <> 'pending')`,
    );
    const arrived = new Set(this.#installation.receiver.arrivals.map(({ eventId }) => eventId));
    return rows.flatMap(({ org_id, event_id, status }) => {
      if (status === 'delivered' && arrived.has(event_id)) return [];
      return [`delivery of ${org_id} ${event_id} (${status ?? 'never queued'})`];
    });
  }

  /** Events that a reader who follows the feed from the start has not seen. */
  async #skipped(): Promise<string[]> {
    const rows = await this.#query<{ org_id: string; ids: string[] }>(
      'select org_id, array_agg(id) as ids from events group by org_id',
    );
    const written = new Map(rows.map(({ org_id, ids }) => [org_id, ids]));
    const missed = () =>
      this.#load.organizations.flatMap((organization) => {
        const seen = new Set(organization.seen);
        const ids = (written.get(organization.id) ?? []).filter((id) => !seen.has(id));
        return ids.length > 0 ? [{ organization, ids }] : [];
      });
    // Events of a running transaction come a moment later; those that never come were skipped.
    await until('the readers of the feed', 20, async () => {
      const behind = missed();
      await Promise.all(behind.map(({ organization }) => organization.follow()));
      return behind.length === 0;
    }).catch(() => {});
    return missed().flatMap(({ organization, ids }) =>
      ids.map((id) => `event of the feed ${organization.id} ${id}`),
    );
  }

  /** Readers who followed a feed must have seen what it contains now, in the same order and without duplicates. */
  async reordered(): Promise<string[]> {
    const findings = await Promise.all(
      this.#load.organizations.map(async (organization) => {
        const feed = await organization.readFromStart();
        const { id, seen } = organization;
        return seen.join() === feed.join() ? [] : [`the feed of ${id} was given in another order, or twice`];
      }),
    );
    return findings.flat();
  }

  async #contradictions(): Promise<string[]> {
    const doubled = await this.#query<{ org_id: string; account_id: string }>(
      `select org_id, account_id from signals where state in ('new', 'in_progress')
       group by org_id, account_id, partner_id, type, opportunity_id having count(*) > 1`,
    );
    const miscounted = await this.#query<{ org_id: string; partner_id: string }>(
      `select org_id, partner_id from (
         select org_id, partner_id, type, state, count(*) as n from signals group by 1, 2, 3, 4) s
       full join (select org_id, partner_id, type, state, sum(count) as n from signal_counts group by 1, 2, 3, 4) c
       using (org_id, partner_id, type, state) where coalesce(s.n, 0) <> coalesce(c.n, 0)`,
    );
    const { forged } = this.#installation.receiver;
    return [
      ...doubled.map(({ org_id, account_id }) => `two active signals of a kind: ${org_id} ${account_id}`),
      ...miscounted.map(({ org_id, partner_id }) => `counts and signals disagree: ${org_id} ${partner_id}`),
      ...this.#load.surprises,
      ...(forged > 0 ? [`${forged} deliveries with a wrong signature`] : []),
    ];
  }

  async #stuck(): Promise<string[]> {
    const late = await this.#query<{ org_id: string; id: string }>(
      `select org_id, id from deliveries
       where status = 'pending' and next_attempt_at < now() - make_interval(secs => $1)`,
      [stuckSeconds],
    );
    const open = await this.#query<{ pid: number; query: string }>(
      `select pid, left(query, 60) as query from pg_stat_activity
       where datname = current_database() and usename = 'signals' and xact_start < now() - make_interval(secs => $1)`,
      [stuckSeconds],
    );
    return [
      ...late.map(({ org_id, id }) => `delivery ${org_id} ${id} has been due for a minute`),
      ...open.map(({ pid, query }) => `the transaction of ${pid} has been open for a minute: ${query}`),
    ];
  }

  /** Those that arrived again since the last check. */
  #duplicated(): number {
    const { arrivals } = this.#installation.receiver;
    let again = 0;
    for (; this.#countedArrivals < arrivals.length; this.#countedArrivals++) {
      const { eventId } = arrivals[this.#countedArrivals] as { eventId: string };
      if (this.#arrived.has(eventId)) again++;
      this.#arrived.add(eventId);
    }
    return again;
  }

  #query<T extends Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.#installation.database.query<T>(sql, values);
  }
}
