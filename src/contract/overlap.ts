import { Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { AccountSummary } from './signal.ts';

export const OverlapSchema = Type.Object({
  account: AccountSummary,
  partner_account: Type.Object({
    external_id: Type.String(),
    name: Type.String(),
    relationship: Type.String(),
  }),
  matched_by: Type.String({ description: 'registry_number, domain, extra_domain or name' }),
  key: Type.String({ description: 'What the two have in common.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  matched_at: Timestamp,
});
