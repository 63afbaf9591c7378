import type { Client, Sent } from './client.ts';
import type { Installation } from './installation.ts';
import { Ledger } from './ledger.ts';
import { Organization } from './organization.ts';

/** Enough that none reaches the limit of its plan (300 requests per minute). */
const organizations = 24;
/** Lower on a slow or busy machine, because an overloaded service refuses requests. */
const mostPerSecond = 40;
const shareOfCapacity = 0.5;
/** How often each feed is read, in addition. */
const followEveryMs = 2_000;
/** Requests beyond this are not sent. */
const mostUnderWay = 1_500;

const mix: { share: number; act: (organization: Organization) => Promise<void> }[] = [
  { share: 35, act: (organization) => organization.read() },
  { share: 15, act: (organization) => organization.list() },
  { share: 15, act: (organization) => organization.change() },
  { share: 35, act: (organization) => organization.ingest() },
];

/** A steady mixed load, sent by the clock whatever the outcome of earlier requests. */
export class Load {
  readonly ledger: Ledger;
  readonly organizations: Organization[];
  readonly perSecond: number;
  /** Unexpected results, e.g. a fact rejected because another that it needs is gone. */
  readonly surprises: string[] = [];
  readonly #client: Client;
  #timers: NodeJS.Timeout[] = [];

  private constructor(client: Client, ledger: Ledger, made: Organization[], perSecond: number) {
    this.perSecond = perSecond;
    this.#client = client;
    this.ledger = ledger;
    this.organizations = made;
  }

  static async prepare(client: Client, { receiver }: Installation): Promise<Load> {
    const ledger = new Ledger();
    const make = () => Organization.create(client, ledger, receiver);
    const startedAt = performance.now();
    const made = await Promise.all(Array.from({ length: organizations }, make));
    const capacity = client.sent.length / ((performance.now() - startedAt) / 1_000);
    return new Load(client, ledger, made, Math.min(mostPerSecond, capacity * shareOfCapacity));
  }

  get sent(): Sent[] {
    return this.#client.sent;
  }

  start(): void {
    let turn = 0;
    const act = () => {
      if (this.#client.underWay > mostUnderWay) return;
      const organization = this.#organization(turn++);
      this.#watch(draw()(organization));
    };
    this.#timers.push(setInterval(act, 1_000 / this.perSecond));
    let reader = 0;
    const follow = () => this.#watch(this.#organization(reader++).follow());
    this.#timers.push(setInterval(follow, followEveryMs / organizations));
  }

  /** Resolves when no request is in flight. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    while (this.#client.underWay > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  #organization(turn: number): Organization {
    return this.organizations[turn % this.organizations.length] as Organization;
  }

  #watch(acting: Promise<void>): void {
    acting.catch((error: Error) => this.surprises.push(error.message));
  }
}

function draw(): (organization: Organization) => Promise<void> {
  let left = Math.random() * mix.reduce((sum, { share }) => sum + share, 0);
  for (const { share, act } of mix) {
    left -= share;
    if (left < 0) return act;
  }
  throw new Error('the shares do not add up');
}
