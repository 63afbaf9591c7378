import { Type } from 'typebox';
import { moment, number, text } from './field.ts';
import { relationships } from './ingest.ts';
import { AccountSummary } from './signal.ts';

export const OverlapSchema = Type.Object(
  {
    account: AccountSummary,
    partner_account: Type.Object(
      {
        external_id: text("The identifier in the partner's data.", 'zc-4471'),
        name: text('Its name there.', 'Harbour Mills Ltd'),
        relationship: Type.Unsafe<string>({
          type: 'string',
          enum: [...relationships],
          description: 'What the account is to the partner.',
        }),
      },
      { description: "The partner's own account." },
    ),
    matched_by: Type.Unsafe<string>({
      type: 'string',
      enum: ['registry_number', 'domain', 'extra_domain', 'name'],
      description: 'The kind of key that the two have in common, the strongest that holds.',
      examples: ['domain'],
    }),
    key: text('What the two have in common.', 'domain:harbourmills.example'),
    confidence: number('How sure that kind of match is.', 0.95, { minimum: 0, maximum: 1 }),
    matched_at: moment('Since when they match.', '2026-02-11T10:05:00.000Z'),
  },
  { title: 'Overlap', description: "An account of the organization that is also one of the partner's." },
);
