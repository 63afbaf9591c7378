import type { Checker } from './checker.ts';
import type { Installation } from './installation.ts';
import type { Load } from './load.ts';

type Spoiled = { what: string; expected: RegExp };

/**
 * Tests the checker itself. At the very end, when no process of the service is running, it corrupts one thing of each kind,
 * and each must be reported. Returns those that were not.
 */
export async function unnoticedLosses(
  { database, receiver }: Installation,
  load: Load,
  checker: Checker,
): Promise<string[]> {
  const one = async (sql: string, values: unknown[] = []) => {
    const [row] = await database.query<{ id: string }>(sql, values);
    if (!row) throw new Error(`nothing to spoil: ${sql}`);
    return row.id;
  };
  const spoiled: Spoiled[] = [];
  const spoil = (what: string, expected: string) => spoiled.push({ what, expected: new RegExp(expected) });

  const change = load.ledger.changes.at(-1);
  await one('delete from signal_changes where org_id = $1 and note = $2 returning note as id', [
    change?.org,
    change?.note,
  ]);
  spoil('a state change deleted', `^state change .*${change?.note}`);

  const won = load.ledger.facts().find(({ status }) => status === 'won');
  await one(`update opportunities set status = 'open' where org_id = $1 and crm_id = $2 returning id`, [
    won?.org,
    won?.key,
  ]);
  spoil('a won deal opened again', `^won opportunity .*${won?.org}.*${won?.key}`);

  const [count] = await database.query('select org_id, partner_id, type, state from signal_counts limit 1');
  const partner = await one(
    `update signal_counts set count = count + 1
     where org_id = $1 and partner_id = $2 and type = $3 and state = $4 returning partner_id as id`,
    Object.values(count ?? {}),
  );
  spoil('a wrong count', `^counts and signals disagree: .*${partner}`);

  const [unheard] = receiver.arrivals;
  receiver.arrivals = receiver.arrivals.filter(({ eventId }) => eventId !== unheard?.eventId);
  spoil('a delivery that never arrived', `^delivery of .*${unheard?.eventId} \\(delivered\\)`);

  const [event] = await database.query<{ row: object }>('select to_jsonb(e) as row from events e limit 1');
  const unseen = await one(
    'insert into events select * from jsonb_populate_record(null::events, $1) returning id',
    [JSON.stringify({ ...event?.row, id: 'evt_never_seen' })],
  );
  spoil('an event that its reader never saw', `^event of the feed .*${unseen}`);
  spoil('an event that was never queued', `^delivery of .*${unseen} \\(never queued\\)`);

  const [made] = await database.query(
    `select org_id, id from deliveries where status = 'delivered' and event_id <> $1 limit 1`,
    [unheard?.eventId],
  );
  const late = await one(
    `update deliveries set status = 'pending', next_attempt_at = to_timestamp($3)
     where org_id = $1 and id = $2 returning id`,
    [made?.org_id, made?.id, Date.now() / 1_000 - 120],
  );
  spoil('a delivery that nobody makes', `^delivery .*${late} has been due`);

  const { lost, wrong, stuck } = await checker.check();
  const found = [...lost, ...wrong, ...stuck];
  return spoiled
    .filter(({ expected }) => !found.some((finding) => expected.test(finding)))
    .map(({ what }) => `the checker did not notice: ${what}`);
}
