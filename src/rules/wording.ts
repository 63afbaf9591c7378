import type { ActivityKind } from '../contract/activity.ts';

/**
 * Text of unknown origin, fit to stand inside one line: no line breaks, control characters, direction overrides
 * or halves of characters, and no longer than `maxLength`, cut between words where that loses little.
 */
export function oneLine(text: string, maxLength: number): string {
  const characters = [...text.replace(unprintable, ' ').trim()];
  if (characters.length <= maxLength) return characters.join('');
  const head = characters.slice(0, maxLength - 1).join('');
  const lastSpace = head.lastIndexOf(' ');
  return `${(lastSpace > head.length / 2 ? head.slice(0, lastSpace) : head).trimEnd()}…`;
}

export const kindInWords: Record<ActivityKind, string> = {
  deal_registration: 'deal registration',
  referral: 'referral',
  introduction: 'introduction',
  joint_meeting: 'joint meeting',
  exec_intro: 'executive introduction',
  proposal_support: 'proposal support',
  technical_validation: 'technical validation',
  co_sell_share: 'co-sell share',
  marketplace_offer: 'marketplace offer',
  content_touch: 'content touch',
  event_attendance: 'event attendance',
  integration_usage: 'integration usage',
  marketplace_listing: 'marketplace listing',
};

export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

const unprintable = /[\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;
