import type { Tier } from '../../src/contract/activity.ts';
import type { AttributionRecord, DisputeStatus } from '../../src/contract/attribution.ts';
import type { PartnerType } from '../../src/contract/partner.ts';
import type { SignalState, SignalType } from '../../src/contract/signal.ts';
import type { Delivery, Redeliver, Webhook, WebhookEvent } from '../../src/contract/webhook.ts';

export const typeWords: Record<SignalType, string> = {
  co_sell: 'Co-sell',
  overlap: 'Overlap',
  pre_intent: 'Pre-intent',
};

export const stateWords: Record<SignalState, string> = {
  new: 'New',
  in_progress: 'In progress',
  handled: 'Handled',
  expired: 'Expired',
};

export const partnerTypeWords: Record<PartnerType, string> = {
  solution_provider: 'Solution provider',
  technology_partner: 'Technology partner',
  hyperscaler: 'Hyperscaler',
  gsi: 'Global integrator',
};

export const tierWords: Record<Tier, string> = {
  sourced: 'Sourced',
  co_sell: 'Co-sell',
  influenced: 'Influenced',
};

export const disputeWords: Record<DisputeStatus, string> = {
  open: 'Open',
  accepted: 'Accepted',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
};

const recordWords: Record<AttributionRecord['status'], string> = { active: 'Active', reversed: 'Reversed' };
const webhookWords: Record<Webhook['status'], string> = { enabled: 'Enabled', disabled: 'Disabled' };
const deliveryWords: Record<Delivery['status'], string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
};

/** Everything that has a state has its own names for them, so that one mark can show them all. */
export const markWords = {
  ...stateWords,
  ...disputeWords,
  ...recordWords,
  ...webhookWords,
  ...deliveryWords,
};

export const eventWords: Record<WebhookEvent, string> = {
  'signal.created': 'a signal fires',
  'attribution.created': 'a partner is credited',
  'attribution.updated': 'a credit changes',
};

export const redeliverWords: Record<Redeliver['only'], string> = {
  failed: 'What failed for good',
  missed: 'What it missed while it was disabled',
  all: 'Everything, delivered or not',
};

/** The changes that a person can ask for, by the present state, the most usual first. */
export const stateChanges: Record<SignalState, { to: SignalState; label: string }[]> = {
  new: [
    { to: 'in_progress', label: 'Take up' },
    { to: 'handled', label: 'Mark handled' },
    { to: 'expired', label: 'Dismiss' },
  ],
  in_progress: [
    { to: 'handled', label: 'Mark handled' },
    { to: 'new', label: 'Release' },
    { to: 'expired', label: 'Dismiss' },
  ],
  handled: [{ to: 'in_progress', label: 'Reopen' }],
  expired: [],
};

/** Codes of open lists, such as kinds of activity and stages: `joint_meeting` reads “Joint meeting”. */
export function inWords(code: string): string {
  return exceptions[code] ?? capitalize(code.replaceAll('_', ' '));
}

export function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const exceptions: Record<string, string> = {
  crm: 'CRM',
  pre_intent: 'Pre-intent',
  exec_intro: 'Executive introduction',
  co_sell_share: 'Co-sell share',
};

export function keysOf<K extends string>(words: Record<K, string>): K[] {
  return Object.keys(words) as K[];
}

/** The contract's values carry no currency. */
export const formatNumber = new Intl.NumberFormat('en').format;
