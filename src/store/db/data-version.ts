import { cellOf } from './statement.ts';

/**
 * The version of the data that an organization can see. Every commit that changes the data replaces it with a random value.
 * A version is never reused, not even after a backup was restored.
 */
export const findDataVersion = cellOf<string | null | undefined>({
  name: 'find_data_version',
  text: `select version from event_counters where org_id = $1`,
});
