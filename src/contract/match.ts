import { type Static, Type } from 'typebox';
import {
  batchLimit,
  leastDecisionsForShare,
  type MatchKind,
  matchDecisionStatuses,
  matchDecisions,
  matchKinds,
  maxKeyLength,
  suggestionsOfPair,
  textLimits,
} from '../vocabulary.ts';
import { errorResponse, PageQuery, strictObject } from './envelope.ts';
import { RelationshipSchema } from './overlap.ts';
import { PartnerSummary } from './partner.ts';
import { AccountSummary } from './signal.ts';
import {
  exampleId,
  filledText,
  id,
  integer,
  moment,
  nullable,
  nullableId,
  nullableMoment,
  nullableObject,
  nullableText,
  number,
  reference,
  text,
} from './values/field.ts';

const externalId = "Identifier in the partner's data.";

const PartnerAccountSummary = Type.Object(
  {
    external_id: text(externalId, 'zc-4471'),
    name: text('Name in the partner’s data.', 'Harbour Mills Holding'),
    domain: nullableText('Domain in the partner’s data.', 'harbourmills.example'),
    country: nullableText('Country in the partner’s data, ISO 3166-1.', 'GB'),
    registry_number: nullableText('Number in the country’s company register.', '918273645'),
    relationship: RelationshipSchema,
  },
  { title: 'PartnerAccountSummary', description: "The company in the partner's data." },
);

export const MatchSuggestionSchema = Type.Object(
  {
    id: id('suggestion'),
    partner: PartnerSummary,
    account: AccountSummary,
    partner_account: PartnerAccountSummary,
    score: number('How likely it is that both are the same company.', 0.86, { minimum: 0, maximum: 1 }),
    reasons: Type.Array(text('In words.', 'same words, plus “Holding”'), {
      description: 'Why it is suggested.',
    }),
    suggested_at: moment('When it was first suggested.', '2026-02-11T10:05:00.000Z'),
  },
  {
    title: 'MatchSuggestion',
    description:
      'An account and a company in a partner’s data that may be the same. A suggestion never fires a signal. If somebody decides that they are the same, they match.',
  },
);
export type MatchSuggestion = Static<typeof MatchSuggestionSchema>;

const minScore = Type.Optional(
  number('Only suggestions with at least this score.', 0.5, { minimum: 0, maximum: 1 }),
);
export const SuggestionQuerySchema = strictObject({
  partner_id: Type.Optional(reference('partner', 'Only suggestions for this partner.')),
  account_id: Type.Optional(reference('account', 'Only suggestions for this CRM account.')),
  min_score: minScore,
  ...PageQuery,
});

const DecisionSchema = Type.Enum(matchDecisions, {
  title: 'MatchVerdict',
  description:
    'same: they are the same company and match. different: they never match, whatever data you load later.',
});

const maker = {
  key_id: nullableId('key', 'The API key.'),
  key_name: nullableText('Name of the key.', 'CRM integration'),
  actor: nullableText('The person behind the key, from the X-Actor header.', 'Noor Halvorsen'),
};

const said = {
  id: id('decision'),
  decision: DecisionSchema,
  status: Type.Enum(matchDecisionStatuses, {
    type: 'string',
    description:
      'current: it applies. superseded: a newer decision on the same pair replaced it. reverted: somebody reverted it.',
    examples: ['current'],
  }),
  note: nullableText('Note added with the decision.', 'Same registered office'),
  decided_by: Type.Object(maker, { description: 'Who decided.' }),
  decided_at: moment('When it was decided.', '2026-03-02T09:30:00.000Z'),
  ended_by: nullableObject(Type.Object(maker), 'Who replaced or reverted it.', { examples: [null] }),
  ended_at: nullableMoment('When it stopped applying.'),
};
/** A decision without its account, partner and company, where these are known from the context. */
export const PastDecisionSchema = Type.Object(said);
export const MatchDecisionSchema = Type.Object(
  {
    ...said,
    account: AccountSummary,
    partner: PartnerSummary,
    partner_account: PartnerAccountSummary,
    matched_by: nullable<MatchKind>(
      'string',
      'Kind of the match at the time of the decision; null if there was none.',
      'name',
      { enum: [...matchKinds, null] },
    ),
  },
  {
    title: 'MatchDecision',
    description: 'A person’s decision whether an account and a company in a partner’s data are the same.',
  },
);
export type MatchDecision = Static<typeof MatchDecisionSchema>;

export const MatchDecisionDetailSchema = Type.Object(
  {
    ...MatchDecisionSchema.properties,
    history: Type.Array(PastDecisionSchema, {
      description: 'Every decision on this pair, newest first.',
    }),
  },
  { title: 'MatchDecisionDetail', description: 'A decision with all others on the same pair.' },
);
export type MatchDecisionDetail = Static<typeof MatchDecisionDetailSchema>;

export const DecisionQuerySchema = strictObject({
  partner_id: Type.Optional(reference('partner', 'Only decisions for this partner.')),
  account_id: Type.Optional(reference('account', 'Only decisions for this CRM account.')),
  decision: Type.Optional(DecisionSchema),
  ...PageQuery,
});

export const DecideMatchSchema = strictObject(
  {
    account_id: reference('account', 'The account.'),
    partner_id: reference('partner', 'The partner.'),
    partner_account_external_id: text(externalId, 'zc-4471', { minLength: 1, maxLength: maxKeyLength }),
    decision: DecisionSchema,
    note: Type.Optional(filledText('Why you decided this way.', 'Same registered office', textLimits.note)),
  },
  { title: 'DecideMatch' },
);
export type DecideMatch = Static<typeof DecideMatchSchema>;

export const DecideMatchesSchema = strictObject(
  {
    items: Type.Array(DecideMatchSchema, {
      minItems: 1,
      maxItems: batchLimit,
      description: 'The decisions.',
    }),
  },
  { title: 'DecideMatches' },
);

export const MatchOutcomesSchema = Type.Object(
  {
    decided: integer('Items that were recorded.', 1),
    refused: integer('Items with an error.', 0),
    outcomes: Type.Array(
      Type.Object(
        {
          decision: nullableObject(MatchDecisionSchema, 'The decision; null if it was not recorded.', {
            title: undefined,
          }),
          error: errorResponse(
            'Why the decision was refused; null if it was recorded.',
            `There is no account with the ID ${exampleId('account')}.`,
          ),
        },
        { title: 'MatchOutcome' },
      ),
      { description: 'One for each item, in the same order.' },
    ),
  },
  { title: 'MatchOutcomes' },
);
export type MatchOutcomes = Static<typeof MatchOutcomesSchema>;

const judged = {
  decisions: integer('Current decisions on them.', 64),
  confirmed_share: nullable<number>(
    'number',
    `Share of these decisions that say “same”; null below ${leastDecisionsForShare} decisions.`,
    0.98,
  ),
};
export const MatchQualitySchema = Type.Object(
  {
    kinds: Type.Array(
      Type.Object({
        kind: Type.Enum(matchKinds, {
          type: 'string',
          description: 'Kind of match.',
          examples: ['name'],
        }),
        matches: integer('Matches of this kind now.', 312),
        ...judged,
      }),
      { description: 'One for each kind of match, strongest first.' },
    ),
    suggestions: Type.Object(
      {
        open: integer(`Suggestions now, at most ${suggestionsOfPair} for each account and partner.`, 140),
        waiting: integer(
          'Records that the service still has to compare. 0 when suggestions are complete.',
          0,
        ),
        ...judged,
      },
      { description: 'Pairs that do not match automatically.' },
    ),
  },
  {
    title: 'MatchQuality',
    description: 'Quality of matches and suggestions, measured by what people decided.',
  },
);
export type MatchQuality = Static<typeof MatchQualitySchema>;
