/** One prefix per resource; `cur_` is absent because a cursor is not an identifier. */
export const prefixes = {
  organization: 'org',
  key: 'key',
  partner: 'prt',
  account: 'acc',
  opportunity: 'opp',
  signal: 'sig',
  activity: 'act',
  attribution: 'atr',
  evidence: 'evd',
  dispute: 'dsp',
  webhook: 'whk',
  event: 'evt',
  delivery: 'dlv',
  request: 'req',
  suggestion: 'sug',
  decision: 'mdc',
} as const;

export type IdKind = keyof typeof prefixes;
export type Prefix = (typeof prefixes)[IdKind];
export type Id<P extends Prefix> = `${P}_${string}`;
export type IdOf<K extends IdKind> = Id<(typeof prefixes)[K]>;
