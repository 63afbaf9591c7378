import { type Static, Type } from 'typebox';
import { matchKinds, relationships } from '../vocabulary.ts';
import { AccountSummary } from './signal.ts';
import { moment, number, text } from './values/field.ts';

export const RelationshipSchema = Type.Enum(relationships, {
  type: 'string',
  description: 'Relationship between the partner and the account.',
});

export const OverlapSchema = Type.Object(
  {
    account: AccountSummary,
    partner_account: Type.Object(
      {
        external_id: text("Identifier in the partner's data.", 'zc-4471'),
        name: text('Name in the partner’s data.', 'Harbour Mills Ltd'),
        relationship: RelationshipSchema,
      },
      { description: "The account in the partner's data." },
    ),
    matched_by: Type.Enum(matchKinds, {
      type: 'string',
      description: 'Strongest kind of match.',
      examples: ['domain'],
    }),
    key: text('Key that both records share, for programs.', 'domain:harbourmills.example'),
    confidence: number('Confidence of this kind of match.', 0.95, { minimum: 0, maximum: 1 }),
    matched_at: moment('When the match began.', '2026-02-11T10:05:00.000Z'),
  },
  { title: 'Overlap', description: 'An account that you and the partner share.' },
);
export type Overlap = Static<typeof OverlapSchema>;
