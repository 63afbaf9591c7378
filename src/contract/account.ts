import { type Static, Type } from 'typebox';
import { pageLimits } from '../vocabulary.ts';
import { PageQuery, searchField, strictObject } from './envelope.ts';
import { OverlapSchema } from './overlap.ts';
import { PartnerSummary } from './partner.ts';
import { nullablePerson } from './person.ts';
import { AccountSummary } from './signal.ts';
import { moment, nullableId, nullableText, text } from './values/field.ts';

const fields = {
  ...AccountSummary.properties,
  domain: nullableText('Domain, as loaded.', 'harbourmills.example'),
  country: nullableText('ISO 3166-1 alpha-2 code.', 'NO'),
};

export const AccountSchema = Type.Object(fields, {
  title: 'Account',
  description: 'A company in your CRM.',
});
export type Account = Static<typeof AccountSchema>;

const { account: _account, ...overlap } = OverlapSchema.properties;
const AccountOverlapSchema = Type.Object(
  { partner: PartnerSummary, ...overlap },
  { title: 'AccountOverlap', description: 'A partner that has this account in its own data.' },
);

const stored = {
  ...fields,
  owner: nullablePerson('Owner of the account in the CRM.'),
  extra_domains: Type.Array(text('Host name, URL or e-mail address.', 'harbourmills-group.example'), {
    description: 'Additional domains of the same company.',
  }),
  registry_number: nullableText('Number in the country’s company register.', '918273645'),
  merged_into: nullableId('account', 'The account that this one was merged into.'),
  created_at: moment('When the account was first loaded.', '2026-01-12T08:30:00.000Z'),
  updated_at: moment('When its data last changed.', '2026-02-20T16:45:00.000Z'),
};
export const StoredAccountSchema = Type.Object(stored);
export type StoredAccount = Static<typeof StoredAccountSchema>;

export const AccountDetailSchema = Type.Object(
  {
    ...stored,
    overlaps: Type.Array(AccountOverlapSchema, {
      description: `Partners that share the account, strongest match first, up to ${pageLimits.most}.`,
    }),
  },
  { title: 'AccountDetail', description: 'An account in full.', examples: [{ merged_into: null }] },
);

export const AccountQuerySchema = strictObject({
  q: searchField(
    'Only accounts whose name, domain or CRM ID begins with this text. Case and accents matter in CRM IDs, but not in names. A URL or an e-mail address is searched by its domain, unless that is a free e-mail provider. At most 100 domains and 100 CRM IDs are found.',
    'harbour',
  ),
  ...PageQuery,
});
