import { type Command, Option } from 'commander';
import type * as api from '../../client/types.ts';
import { opportunityStatuses } from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { field, money, opportunityValue, utc } from '../terminal/values.ts';
import { activityColumns } from '../terminal/words.ts';

const search = (what: string) => new Option('--q <text>', `only those whose ${what} begins with this`);

export function accountsCommand(): Command {
  return group('accounts', 'See the accounts loaded from your CRM.', {
    examples: `partner-signals accounts list --q harbour
    partner-signals accounts show acc_01h…`,
    commands: [
      clientCommands.list('list', 'List accounts by name.', {
        options: [search('name, domain or CRM ID')],
        examples: 'partner-signals accounts list --q harbour',
        columns,
        rows: (client, query: api.AccountQuery) => client.accounts.list(query),
      }),
      clientCommands.one('show', 'Show an account.', {
        arguments: { '<id>': 'ID of the account (acc_…)' },
        examples: 'partner-signals accounts show acc_01h…',
        get: (client, _, id) => client.accounts.get(id),
        lines: detail,
      }),
      clientCommands.list('activities', 'List what all partners did on an account, newest first.', {
        arguments: { '<id>': 'ID of the account (acc_…)' },
        examples: 'partner-signals accounts activities acc_01h…',
        columns: activityColumns<api.AccountActivity>({
          head: 'PARTNER',
          value: ({ partner }) => partner.name,
          shrink: true,
        }),
        rows: (client, { limit }, id) => client.accounts.activities(id, { limit }),
      }),
    ],
  });
}

export function opportunitiesCommand(): Command {
  return group('opportunities', 'See the deals loaded from your CRM.', {
    examples: `partner-signals opportunities list --q harbour --status open
    partner-signals opportunities show opp_01h…`,
    commands: [
      clientCommands.list('list', 'List deals by name.', {
        options: [
          search('name, CRM ID or account domain'),
          field('account_id', '--account <id>', 'only deals of this account'),
          new Option('--status <status>', 'only deals with this status').choices(opportunityStatuses),
        ],
        examples: 'partner-signals opportunities list --status won',
        columns: opportunityColumns,
        rows: (client, query: api.OpportunityQuery) => client.opportunities.list(query),
      }),
      clientCommands.one('show', 'Show a deal.', {
        arguments: { '<id>': 'ID of the deal (opp_…)' },
        examples: 'partner-signals opportunities show opp_01h…',
        get: (client, _, id) => client.opportunities.get(id),
        lines: opportunityLines,
      }),
    ],
  });
}

const columns: Column<api.Account>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'CRM ID', value: ({ crm_id }) => crm_id },
  { head: 'DOMAIN', value: ({ domain }) => domain, shrink: true, optional: true },
  { head: 'COUNTRY', value: ({ country }) => country, optional: true },
];

function detail(account: api.AccountDetail): string {
  return formatRecord([
    ['account', account.id],
    ['name', account.name],
    ['CRM ID', account.crm_id],
    ['domains', [account.domain, ...account.extra_domains].filter(Boolean).join(', ')],
    ['country', account.country],
    ['registry number', account.registry_number],
    ['merged into', account.merged_into],
    ['owner', account.owner?.name],
    ['partners', account.overlaps.map(({ partner }) => partner.name).join(', ')],
    ['created (UTC)', utc(account.created_at)],
    ['updated (UTC)', utc(account.updated_at)],
  ]);
}

const opportunityColumns: Column<api.Opportunity>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'ACCOUNT', value: ({ account }) => account.name, shrink: true },
  { head: 'STATUS', value: ({ status }) => status },
  { head: 'VALUE', value: opportunityValue, right: true },
  { head: 'STAGE', value: ({ stage }) => stage, shrink: true, optional: true },
  { head: 'CLOSE', value: ({ closed_date }) => closed_date, optional: true },
  { head: 'CRM ID', value: ({ crm_id }) => crm_id, optional: true },
];

export function opportunityLines(opportunity: api.OpportunityDetail): string {
  const { converted } = opportunity;
  return formatRecord([
    ['deal', opportunity.id],
    ['name', opportunity.name],
    ['CRM ID', opportunity.crm_id],
    ['account', `${opportunity.account.name} (${opportunity.account.crm_id}, ${opportunity.account.id})`],
    ['status', opportunity.status],
    ['stage', opportunity.stage],
    ['value', opportunityValue(opportunity)],
    ['owner', opportunity.owner?.name],
    converted && [
      `value in ${converted.currency}`,
      `${money(converted.value, converted.currency)} (rate ${converted.rate} of ${converted.rate_date})`,
    ],
    ['opened (UTC)', utc(opportunity.opened_at)],
    [opportunity.status === 'open' ? 'expected close' : 'closed', opportunity.closed_date],
    ['updated (UTC)', utc(opportunity.updated_at)],
  ]);
}
