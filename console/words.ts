import type { PartnerType } from '../src/contract/partner.ts';
import type { SignalState, SignalType } from '../src/contract/signal.ts';

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
  const words = code.replaceAll('_', ' ');
  return exceptions[code] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const exceptions: Record<string, string> = {
  crm: 'CRM',
  exec_intro: 'Executive introduction',
  co_sell_share: 'Co-sell share',
};

export function keysOf<K extends string>(words: Record<K, string>): K[] {
  return Object.keys(words) as K[];
}

/** The contract's values carry no currency. */
export const formatNumber = new Intl.NumberFormat('en').format;
