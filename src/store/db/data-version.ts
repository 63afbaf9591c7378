import { cellOf } from './statement.ts';

/**
 * The version of the data that an organization can see. Every commit that changes the data replaces it with a random value.
 * A version is never reused, not even after a backup was restored.
 */
export const findVersion = cellOf<string | null | undefined>({
  name: 'find_version',
  text: `select version from event_counters where org_id = $1`,
});
