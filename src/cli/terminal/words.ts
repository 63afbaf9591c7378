import type { Activity, AttributionRecord } from '../../client/types.ts';
import {
  activityKinds,
  activityKindTable,
  dismissReasonWords,
  matchDecisionStatusWords,
  matchDecisionWords,
  matchKinds,
  matchKindTable,
  partnerTypeWords,
  relationshipWords,
  signalStateWords,
  signalTypeWords,
  tierWords,
} from '../../vocabulary.ts';
import type { Column } from './table.ts';
import { opportunityValue, utc } from './values.ts';

const words = new Map<string, string>([
  ...Object.entries({
    ...signalTypeWords,
    ...signalStateWords,
    ...tierWords,
    ...dismissReasonWords,
    ...partnerTypeWords,
    ...relationshipWords,
    ...matchDecisionWords,
    ...matchDecisionStatusWords,
  }),
  ...activityKinds.map((kind) => [kind, activityKindTable[kind].words] as const),
  ...matchKinds.map((kind) => [kind, matchKindTable[kind].words] as const),
]);

/** The words for a value of the API. A newer service may have values that this program does not know. */
export function inWords(value: string | null): string {
  return value === null ? '' : (words.get(value) ?? value.replaceAll('_', ' '));
}

type Subject = Pick<AttributionRecord, 'partner' | 'account' | 'opportunity'>;

export function opportunityFields({ partner, account, opportunity }: Subject): [string, string][] {
  const { name, stage } = opportunity;
  return [
    ['partner', `${partner.name} (${inWords(partner.type)}, ${partner.id})`],
    ['account', `${account.name} (${account.crm_id}, ${account.id})`],
    ['opportunity', [name, opportunityValue(opportunity), stage].filter(Boolean).join(', ')],
  ];
}

/** Columns of activities, with one column specific to the list. */
export function activityColumns<T extends Activity>(own: Column<T>): Column<T>[] {
  return [
    { head: 'WHEN (UTC)', value: ({ occurred_at }) => utc(occurred_at) },
    { head: 'KIND', value: ({ kind }) => inWords(kind) },
    own,
    { head: 'WHAT', value: ({ summary }) => summary, shrink: true },
    { head: 'WHO', value: ({ actor }) => actor, shrink: true, optional: true },
  ];
}
