import type { Evidence, Signal } from '../../../src/client/types.ts';
import {
  activityKindTable,
  type DeliveryStatus,
  type DisputeStatus,
  type RecordStatus,
  type SignalState,
  signalStateWords,
  type WebhookStatus,
} from '../../../src/vocabulary.ts';

export type Status =
  | SignalState
  | 'dismissed'
  | DisputeStatus
  | RecordStatus
  | WebhookStatus
  | DeliveryStatus;

/** The API calls a dismissed signal expired; people do not. */
export function signalStatus({ state, end_reason }: Pick<Signal, 'state' | 'end_reason'>): Status {
  return end_reason === 'dismissed' ? 'dismissed' : state;
}

/** Only signal states have words that differ from their value. */
export function statusLabel(status: Status): string {
  const words: Partial<Record<Status, string>> = signalStateWords;
  return capitalize(words[status] ?? status);
}

/** Evidence is an activity, a signal or a dispute. */
export function evidenceLabel(kind: Evidence['kind']): string {
  if (kind === 'pre_intent') return 'Pre-intent signal';
  if (kind === 'dispute') return 'Dispute';
  return capitalize(activityKindTable[kind].words);
}

/** Words of the vocabulary are written for use inside a sentence; labels start with a capital letter. */
export function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

export function countryName(code: string): string | undefined {
  return countryNames.of(code);
}
