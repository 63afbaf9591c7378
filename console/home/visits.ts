/** The state at a visit; comparing two of them shows what has changed. */
export type Snapshot = {
  at: string;
  fired: number;
  handled: number;
  expired: number;
  deals: number;
  credits: number;
};
type Visits = { before?: Snapshot | undefined; latest: Snapshot };

/** Reloading the page within this time is not a new visit. */
const pauseMs = 2 * 3_600_000;

/** Remembers this visit in this browser, and returns the one before it. */
export function rememberVisit(organizationId: string, now: Snapshot): Snapshot | undefined {
  const name = `partner-signals.visits.${organizationId}`;
  const known = read(name);
  const isNew = known && Date.parse(now.at) - Date.parse(known.latest.at) > pauseMs;
  const before = isNew ? known.latest : known?.before;
  localStorage.setItem(name, JSON.stringify({ before, latest: now } satisfies Visits));
  return before;
}

function read(name: string): Visits | undefined {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
