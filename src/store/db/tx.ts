import type pg from 'pg';
import type { DeliveryId, EventId, OrganizationId, PartnerId, WebhookId } from '../../contract/ids.ts';
import type { SignalState, SignalType } from '../../vocabulary.ts';
import type { Table, UnshownTable } from './tables.ts';

/** A statement and the tables that it writes, which `checkWrites` compares with those that it really wrote. */
export type Statement<Writes extends Table = Table> = {
  name?: string;
  text: string;
  values?: unknown[];
  writes?: readonly Writes[];
};

type Query<Writes extends Table> = <Row extends pg.QueryResultRow = pg.QueryResultRow>(
  statement: Statement<Writes>,
) => Promise<Pick<pg.QueryResult<Row>, 'rows' | 'rowCount'>>;

/** Can read. */
export type Reader = { query: Query<never> };
/** Can also write what nobody is shown. */
export type Upkeep = { query: Query<UnshownTable> };
/** The same in one transaction. */
export type UpkeepTx = Upkeep & { last: LastWrites };
/** A transaction that can write everything. */
export type Tx = { query: Query<Table>; last: LastWrites; holdsFacts: boolean };
/** One that holds the lock of the organization's facts: nobody else derives signals or credit from them meanwhile. */
export type FactsTx = Tx & { holdsFacts: true };

/** The transaction runs again, in the organization's queue and with the lock of its facts. */
export class FactsNeeded extends Error {}

/** For what only turns out on the way to need the lock of the facts, which has to be the first lock of a transaction. */
export function requireFacts(tx: Tx): asserts tx is FactsTx {
  if (!tx.holdsFacts) throw new FactsNeeded();
}

type Asked = [Tx, Statement] | [Upkeep, Statement<UnshownTable>] | [Reader, Statement<never>];

export async function all<Row extends pg.QueryResultRow>(...[db, statement]: Asked): Promise<Row[]> {
  return (await (db as Tx).query<Row>(statement)).rows;
}

export async function first<Row extends pg.QueryResultRow>(...asked: Asked): Promise<Row | undefined> {
  return (await all<Row>(...asked))[0];
}

/** A signal of a partner that came into a state, from another or new. */
export type SignalMove = {
  partner_id: PartnerId;
  type: SignalType;
  from: SignalState | null;
  to: SignalState;
};

export type NewDelivery = { id: DeliveryId; webhook_id: WebhookId; event_id: EventId };

/** Which of an organization's turns: that of a webhook, or the one for everything else. */
export type TurnOf = WebhookId | '';

/**
 * Collected during the transaction and written right before its commit: others wait for these rows, so they are locked
 * as briefly as possible, always in the same order.
 */
export type LastWrites = {
  orgId: OrganizationId;
  moves: SignalMove[];
  deliveries: NewDelivery[];
  /** When to look at the latest; null is now. */
  turns: Map<TurnOf, Date | null>;
  events: EventId[];
  /** Of what the organization is shown. */
  isChange: boolean;
};

export function noLastWrites(orgId: OrganizationId): LastWrites {
  return { orgId, moves: [], deliveries: [], turns: new Map(), events: [], isChange: false };
}

export function lastWritesOf({ last }: UpkeepTx, orgId: OrganizationId): LastWrites {
  if (last.orgId !== orgId) throw new Error('A transaction writes for one organization only.');
  return last;
}

/** Runs `run` so that all it did can be undone, when it throws, without ending the transaction. */
export async function savepoint<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
  const { last } = tx;
  tx.last = {
    ...last,
    moves: [...last.moves],
    deliveries: [...last.deliveries],
    turns: new Map(last.turns),
    events: [...last.events],
  };
  await tx.query({ text: 'savepoint operation' });
  try {
    const done = await run();
    // Else one around this one would be undone only to here.
    await tx.query({ text: 'release savepoint operation' });
    return done;
  } catch (error) {
    await tx.query({ text: 'rollback to savepoint operation; release savepoint operation' });
    tx.last = last;
    throw error;
  }
}
