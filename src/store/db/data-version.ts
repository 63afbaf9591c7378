import { cellOf } from './statement.ts';

/**
 * What an organization is shown has a version: another one with every commit that changes any of it, and never one that
 * was there before, so that not even a restored backup lets two states pass for one.
 */
export const findVersion = cellOf<string | null | undefined>({
  name: 'find_version',
  text: `select version from event_counters where org_id = $1`,
});
