import { join } from 'node:path';
import { freePort } from '../../test/faults/child.ts';
import type { Installation } from '../installation.ts';
import { ask, folder, program, type Reader, startAnswering } from './peer.ts';

const config = join(folder, 'graphile.config.mjs');

/** The fields of the service's list. */
const query = `query ($org: String!) {
  allSignals(condition: { orgId: $org }, orderBy: [FIRED_AT_DESC, ROW_ID_DESC], first: 25) {
    nodes {
      rowId type state priority firedAt assignee recommendedAction
      partnerByOrgIdAndPartnerId { rowId name type }
      accountByOrgIdAndAccountId { rowId name crmId owner }
      opportunityByOrgIdAndOpportunityId { rowId name value currency stage owner }
    }
  }
}`;

export async function startPostGraphile({ dir, databaseUrl }: Installation): Promise<Reader> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/graphql`;
  const child = await startAnswering(
    program('postgraphile', ['--config', config], dir, { DATABASE_URL: databaseUrl, PORT: String(port) }),
    () => ask(url, {}, { query: '{ __typename }' }),
  );
  return {
    name: 'PostGraphile',
    pid: child.pid,
    async page({ orgId }) {
      const text = await ask(url, {}, { query, variables: { org: orgId } });
      if (text.includes('"errors"')) throw new Error(text.slice(0, 500));
      return text;
    },
    stop: () => child.kill('SIGKILL'),
  };
}
