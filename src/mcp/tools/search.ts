import { Type } from 'typebox';
import { strictObject } from '../../contract/envelope.ts';
import { PartnerSchema } from '../../contract/partner.ts';
import { searchAccounts, searchOpportunities, searchPartners } from '../../store/facts/search.ts';
import { textLimits } from '../../vocabulary.ts';
import { Account, CrmOpportunity, Link, limit } from '../shapes.ts';
import { tool } from '../tool.ts';

export const searchTool = tool({
  name: 'search',
  title: 'Find partners, accounts and deals',
  description:
    'Finds partners, accounts and deals by name, part of a name, domain or CRM ID. Use it to get the ID that other tools accept.',
  scope: 'read',
  input: strictObject({
    query: Type.String({
      minLength: 2,
      maxLength: textLimits.search,
      pattern: '\\S',
      description: 'Words of the name, a domain, or a CRM ID.',
    }),
    limit: limit(5, 25),
  }),
  output: Type.Object({
    partners: Type.Array(Type.Object({ ...PartnerSchema.properties, link: Link })),
    accounts: Type.Array(Type.Object({ ...Account.properties, link: Link })),
    deals: Type.Array(CrmOpportunity, { description: 'Open deals first.' }),
  }),
  run: async ({ db, orgId, link }, { query, limit }) => {
    const text = query.trim();
    const partners = await searchPartners(db, orgId, text, limit);
    const accounts = await searchAccounts(db, orgId, text, limit);
    const accountIds = accounts.map((account) => account.id);
    const opportunities = await searchOpportunities(db, orgId, text, accountIds, limit);
    return {
      partners: partners.map((partner) => ({ ...partner, link: link(`partners/${partner.id}`) })),
      accounts: accounts.map((account) => ({ ...account, link: link(`accounts/${account.id}`) })),
      deals: opportunities,
    };
  },
});
