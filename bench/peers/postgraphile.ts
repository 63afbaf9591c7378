import { createInterface } from 'node:readline';
import type { Installation } from '../installation.ts';
import { ask, startProgram } from './peer.ts';
import type { Reader } from './reader.ts';

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

export async function startPostGraphile({ connection }: Installation): Promise<Reader> {
  const { host, port, user, database } = connection;
  const child = startProgram('postgraphile', [], {
    DATABASE_URL: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
  });
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    const url = /(http:\S+\/graphql)/.exec(line)?.[1];
    if (!url) continue;
    return {
      name: 'PostGraphile',
      pid: child.pid as number,
      async page({ orgId }) {
        const text = await ask(url, {}, { query, variables: { org: orgId } });
        if (text.includes('"errors"')) throw new Error(text.slice(0, 500));
        return text;
      },
      stop: () => child.kill(),
    };
  }
  throw new Error('PostGraphile ended before it listened.');
}
