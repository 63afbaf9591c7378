import { type Static, Type } from 'typebox';
import { dismissReasons, type SignalType, signalTypes } from '../vocabulary.ts';
import { strictObject } from './envelope.ts';
import { PartnerSummary } from './partner.ts';
import { integer, nullable, nullableText, number, optionalDay, text } from './values/field.ts';

export const defaultPeriodDays = 90;
export const maxPeriodDays = 366;
/** Only the partners with the most signals are listed. */
export const maxListedPartners = 1_000;

export const PerformanceQuerySchema = strictObject({
  fired_after: optionalDay(
    `Signals that fired after this date (exclusive); ${defaultPeriodDays} days before the end of the period by default.`,
    '2025-12-31',
  ),
  fired_before: optionalDay(
    'Signals that fired before this date (exclusive); tomorrow by default.',
    '2026-04-01',
  ),
});

const reasons = Type.Object(
  {
    ...(Object.fromEntries(
      dismissReasons.map((reason) => [reason, Type.Integer({ examples: [1] })]),
    ) as Record<(typeof dismissReasons)[number], ReturnType<typeof Type.Integer>>),
    no_reason: integer('Dismissed without a reason.', 0),
  },
  { title: 'DismissReasons', description: 'Dismissed signals by reason.' },
);

const Outcome = Type.Object(
  {
    open: integer('Open and prospective deals.', 5),
    won: integer('Deals won.', 3),
    lost: integer('Deals lost.', 1),
    won_value: Type.Array(
      Type.Object({
        currency: nullableText('ISO 4217 code; null if the CRM gave none.', 'EUR'),
        value: number('Value of the won deals.', 144_000),
      }),
      { description: 'Value of the won deals by currency.' },
    ),
    converted_won_value: nullable<number>(
      'number',
      'The won value in the reporting currency, each deal at the rate of its closing date; null if no reporting currency is set.',
      144_000,
    ),
  },
  { title: 'DealOutcome', description: 'Outcome of the deals, each counted once.' },
);

const results = {
  fired: integer('Signals that fired in the period.', 40),
  active: integer('Signals of these that are new or in progress now.', 12),
  taken_up: integer(
    'Signals that somebody set to in_progress or handled, even if the state changed later.',
    18,
  ),
  handled: integer('Signals in state handled.', 11),
  dismissed: integer('Signals that somebody dismissed.', 6),
  dismissed_by_reason: reasons,
  expired_untouched: integer('Signals that expired before anybody acted on them.', 9),
  median_hours_to_first_action: nullable<number>(
    'number',
    'Median time until somebody set the state or assigned the signal, in hours; null if nobody did.',
    19.5,
  ),
  deals: Type.Object(
    { with_handled: Outcome, without_handled: Outcome },
    {
      description: 'Deals of these signals, with and without a handled signal.',
    },
  ),
};
const ResultsSchema = Type.Object(results);
export type PerformanceResults = Static<typeof ResultsSchema>;

export const PerformanceSchema = Type.Object(
  {
    fired_after: text('The period, exclusive.', '2025-12-31', { format: 'date' }),
    fired_before: text('The period, exclusive.', '2026-04-01', { format: 'date' }),
    currency: nullableText('The reporting currency; null if none is set.', 'EUR'),
    unconverted_deals: integer(
      'Won deals that are not in the converted values, because they have no currency or no exchange rate.',
      0,
    ),
    total: ResultsSchema,
    by_type: Type.Array(
      Type.Object({ type: Type.Enum<SignalType[]>(signalTypes, { title: 'SignalType' }), ...results }),
      { description: 'By type, all types.' },
    ),
    by_partner: Type.Array(Type.Object({ partner: PartnerSummary, ...results }), {
      description: `By partner, most signals first, up to ${maxListedPartners}.`,
    }),
  },
  { title: 'SignalPerformance', description: 'Outcome of the signals of a period.' },
);
export type Performance = Static<typeof PerformanceSchema>;
