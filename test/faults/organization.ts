import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import { operatorKey } from './installation.ts';
import type { AcknowledgedFact, Ledger } from './ledger.ts';
import type { Receiver } from './receiver.ts';

type Step = { fact: Omit<AcknowledgedFact, 'org'>; row: Record<string, unknown> };
type KnownSignal = { id: string; state: string };

const partners = ['p1', 'p2', 'p3'];

/** One tenant of the load: what it knows, what it sends next, and its position in the event feed. */
export class Organization {
  readonly id: string;
  readonly key: string;
  /** In the order of the feed. */
  readonly seen: string[] = [];
  readonly #client: Client;
  readonly #ledger: Ledger;
  #story: Step[] = [];
  #stories = 0;
  #ingesting = false;
  #signals: KnownSignal[] = [];
  readonly #changing = new Set<string>();
  #cursor: string | undefined;
  #following: Promise<void> | undefined;

  private constructor(id: string, key: string, client: Client, ledger: Ledger) {
    this.id = id;
    this.key = key;
    this.#client = client;
    this.#ledger = ledger;
  }

  static async create(client: Client, ledger: Ledger, receiver: Receiver): Promise<Organization> {
    const setUp = async (path: string, key: string, body: unknown) =>
      (await client.mustCall({ method: 'POST', path, key, body })).body.data;
    const { id } = await setUp('/admin/v1/organizations', operatorKey, {
      name: 'Load',
      plan: 'enterprise',
    });
    const keys = `/admin/v1/organizations/${id}/keys`;
    const scopes = ['admin', 'ingest'];
    const { key } = await setUp(keys, operatorKey, { name: 'load', scopes });
    const url = `${receiver.url}/${id}`;
    const events = ['signal.created', 'attribution.created', 'attribution.updated'];
    const { secret } = await setUp('/v1/webhooks', key, { url, events });
    receiver.secrets.set(id, secret);
    const rows = partners.map((name) => ({
      external_id: name,
      name: `Partner ${name}`,
      type: 'gsi',
      tier: 2,
    }));
    await setUp('/ingest/v1/partners', key, rows);
    return new Organization(id, key, client, ledger);
  }

  /** Sends the next fact. One that was not acknowledged is sent again next time, as a new request. */
  async ingest(): Promise<void> {
    if (this.#ingesting) return void (await this.read());
    this.#ingesting = true;
    if (this.#story.length === 0) this.#story = story(this.#stories++);
    const { fact, row } = this.#story[0] as Step;
    const path = `/ingest/v1/${fact.kind}`;
    const answer = await this.#client.call({ method: 'POST', path, key: this.key, body: [row] });
    this.#ingesting = false;
    if (!answer) return;
    if (answer.body.data.rejected > 0)
      throw new Error(`a fact was rejected: ${JSON.stringify(answer.body.data.errors)}`);
    this.#story.shift();
    this.#ledger.fact({ org: this.id, ...fact });
  }

  /** Moves a signal back and forth between new and in_progress, each time with a unique note. */
  async change(): Promise<void> {
    const signal = pick(this.#signals.filter(({ id }) => !this.#changing.has(id)));
    if (!signal) return void (await this.read());
    this.#changing.add(signal.id);
    const state = signal.state === 'new' ? 'in_progress' : 'new';
    const note = randomUUID();
    const path = `/v1/signals/${signal.id}`;
    const what = 'PATCH /v1/signals/:id';
    const answer = await this.#client.call({
      method: 'PATCH',
      path,
      key: this.key,
      body: { state, note },
      what,
    });
    this.#changing.delete(signal.id);
    if (answer?.status === 200) {
      signal.state = state;
      this.#ledger.change({ org: this.id, signal: signal.id, note, state });
    } else {
      this.#signals = this.#signals.filter(({ id }) => id !== signal.id);
    }
  }

  async read(): Promise<void> {
    const signal = pick(this.#signals);
    const [path, what] = pick([
      ['/v1/signals/summary'],
      ['/v1/partners'],
      ['/v1/attribution'],
      ['/v1/signals?type=co_sell'],
      signal ? [`/v1/signals/${signal.id}`, 'GET /v1/signals/:id'] : ['/v1/signals'],
    ]) as [string, string?];
    await this.#client.call({ method: 'GET', path, key: this.key, ...(what && { what }) });
  }

  /** Overlaps, which no deal ends, are the signals to change. */
  async list(): Promise<void> {
    const path = '/v1/signals?type=overlap';
    const answer = await this.#client.call({ method: 'GET', path, key: this.key });
    const listed = (answer?.body.data ?? []) as KnownSignal[];
    const changing = this.#signals.filter(({ id }) => this.#changing.has(id));
    const fresh = listed.filter(({ state, id }) => /new|in_progress/.test(state) && !this.#changing.has(id));
    if (fresh.length > 0) this.#signals = [...changing, ...fresh];
  }

  /** Reads the feed from the last position to its end; only one reader at a time. */
  follow(): Promise<void> {
    this.#following ??= this.#readOn().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #readOn(): Promise<void> {
    for (let more = true; more; ) {
      const page = await this.#page(this.#cursor);
      if (!page) return;
      this.seen.push(...page.ids);
      this.#cursor = page.cursor;
      more = page.more;
    }
  }

  /** The whole feed, from the start. */
  async readFromStart(): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.#page(cursor);
      if (!page) throw new Error(`the feed of ${this.id} could not be read`);
      ids.push(...page.ids);
      if (!page.more) return ids;
      cursor = page.cursor;
    }
  }

  async #page(
    cursor: string | undefined,
  ): Promise<{ ids: string[]; cursor: string; more: boolean } | undefined> {
    const path = `/v1/events?limit=100${cursor ? `&cursor=${cursor}` : ''}`;
    const answer = await this.#client.call({ method: 'GET', path, key: this.key });
    if (!answer) return undefined;
    const { data, resume_cursor, has_more } = answer.body;
    return { ids: data.map(({ id }: { id: string }) => id), cursor: resume_cursor, more: has_more };
  }
}

/** An account that a partner also has, a deal on it, the partner's work on the deal, and the won deal. */
function story(number: number): Step[] {
  const account = `a${number}`;
  const crmId = `o${number}`;
  const partner = pick(partners) as string;
  const now = new Date().toISOString();
  const domain = `${account}.example`;
  const opportunity = {
    ...{ crm_id: crmId, account_crm_id: account, name: `Deal ${crmId}`, value: 1_000, stage: 'proposal' },
    opened_at: now,
  };
  const activity = (key: string, kind: string): Step => ({
    fact: { kind: 'activities', key },
    row: {
      ...{
        external_id: key,
        partner_external_id: partner,
        account_crm_id: account,
        opportunity_crm_id: crmId,
      },
      ...{ kind, occurred_at: now, summary: 'Met the buyer together' },
    },
  });
  return [
    {
      fact: { kind: 'accounts', key: account },
      row: { crm_id: account, name: `Account ${account}`, domain },
    },
    {
      fact: { kind: 'partner_accounts', key: account },
      row: {
        ...{ partner_external_id: partner, external_id: account, name: `Account ${account}`, domain },
        relationship: 'customer',
      },
    },
    { fact: { kind: 'opportunities', key: crmId, status: 'open' }, row: { ...opportunity, status: 'open' } },
    activity(`meeting-${number}`, 'joint_meeting'),
    activity(`validation-${number}`, 'technical_validation'),
    {
      fact: { kind: 'opportunities', key: crmId, status: 'won' },
      row: { ...opportunity, status: 'won', closed_date: now.slice(0, 10) },
    },
  ];
}

function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
