import type { OrganizationId, PartnerId } from '../../contract/ids.ts';
import type { SignalState, SignalType } from '../../vocabulary.ts';
import { rowsOf } from '../db/statement.ts';
import { lastWritesOf, type SignalMove, type Tx } from '../db/tx.ts';

/**
 * Counts signals by partner, type and state, so that a count costs the same however many signals there are. Every write of
 * signals reports its changes here, and the transaction updates the counts right before its commit.
 */
export function moveSignalCounts(tx: Tx, orgId: OrganizationId, moves: SignalMove[]): void {
  for (const move of moves) if (move.from !== move.to) lastWritesOf(tx, orgId).moves.push(move);
}

/** In one statement and a fixed order, so that two transactions cannot deadlock. */
export async function countMoves(tx: Tx, orgId: OrganizationId, moves: SignalMove[]): Promise<void> {
  const changes = new Map<string, { partner_id: PartnerId; type: string; state: string; count: number }>();
  const add = ({ partner_id, type }: SignalMove, state: SignalState, count: number) => {
    const key = `${partner_id} ${type} ${state}`;
    const known = changes.get(key);
    if (known) known.count += count;
    else changes.set(key, { partner_id, type, state, count });
  };
  for (const move of moves) {
    add(move, move.to, 1);
    if (move.from) add(move, move.from, -1);
  }
  await tx.query({
    name: 'count_moves',
    writes: ['signal_counts'],
    text: `
      insert into signal_counts as c (org_id, partner_id, type, state, count)
      select $1, partner_id, type, state, count
      from jsonb_to_recordset($2) as r (partner_id text, type text, state text, count bigint)
      where count <> 0 order by partner_id collate "C", type, state
      on conflict (org_id, partner_id, type, state) do update set count = c.count + excluded.count`,
    values: [orgId, JSON.stringify([...changes.values()])],
  });
}

export type SignalCount = { type: SignalType; state: SignalState; count: number };

export const countSignals = rowsOf<SignalCount>({
  name: 'count_signals',
  text: `select type, state, sum(count) as count from signal_counts where org_id = $1 group by type, state`,
});

/** Where the counts of an organization disagree with its signals; one statement, so one snapshot. */
export const findWrongCounts = rowsOf<
  Omit<SignalCount, 'count'> & { partner_id: PartnerId; kept: number; real: number }
>({
  name: 'find_wrong_counts',
  text: `
    select partner_id, type, state, coalesce(k.count, 0) as kept, coalesce(r.count, 0) as real
    from (select partner_id, type, state, count from signal_counts where org_id = $1) k
    full join (
      select partner_id, type, state, count(*) from signals where org_id = $1 group by partner_id, type, state
    ) r using (partner_id, type, state)
    where coalesce(k.count, 0) <> coalesce(r.count, 0)`,
});
