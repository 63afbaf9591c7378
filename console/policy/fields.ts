import type { Settings } from '../../src/client/types.ts';
import {
  type PriorityPart,
  priorityParts,
  priorityPartTable,
  settingRanges,
  tiers,
  tierWords,
} from '../../src/vocabulary.ts';
import { capitalize } from '../ui/format/words.ts';

type Base = { path: string; label: string; does: string };
export type Field = Base &
  (
    | { kind: 'number'; unit: string; min: number; max: number; step: number }
    | { kind: 'choice'; choices: Record<string, string> }
    | { kind: 'switch' }
    | { kind: 'currency' }
  );
export type Section = { question: string; about: string; fields: Field[] };

const number =
  (unit: string, { minimum, maximum }: { minimum: number; maximum: number }, step: number) =>
  (path: string, label: string, does: string): Field => ({
    path,
    label,
    does,
    kind: 'number',
    unit,
    min: minimum,
    max: maximum,
    step,
  });
const days = number('days', settingRanges.days, 1);
const fractionsOfDays = number('days', settingRanges.halfLife, 0.1);
const points = number('points', settingRanges.threshold, 0.01);
const weight = number('weight', settingRanges.weight, 0.1);

const priorityDoes: Record<PriorityPart, string> = {
  value: 'Puts larger deals first.',
  stage: 'Puts deals in later stages first.',
  expected_close: 'Puts deals that are expected to close soon first.',
  freshness: 'Puts recent partner activity first.',
  strength: 'Puts sourcing and joint activity before weaker kinds.',
  certainty: 'Puts accounts with a more certain match first.',
  partner_tier: 'Puts partners in a higher program tier first.',
  partner_record: 'Puts partners that have earned more credit first.',
  time_left: 'Puts signals that expire soon first.',
};

/** Every setting, in the order and words of the form. */
export const sections: Section[] = [
  {
    question: 'How long does a partner’s help count?',
    about: 'Decides which partners get credit for a won deal, and at which tier.',
    fields: [
      days(
        'attribution.sourced.lookback_days',
        'Sourcing window',
        'A referral, introduction or deal registration counts as sourcing up to this long before the deal was opened.',
      ),
      days(
        'attribution.sourced.lock_days',
        'Sourcing lock',
        'Sourcing must be recorded at most this long after the deal was opened, so nobody can claim it later.',
      ),
      days(
        'attribution.influenced.window_days',
        'Influence window',
        'Any activity counts as influence up to this long before the deal was closed.',
      ),
    ],
  },
  {
    question: 'How much of a deal does each partner get?',
    about: 'Decides the credited value if several partners helped with the same deal.',
    fields: [
      {
        path: 'attribution.split.method',
        label: 'Shared deals',
        does: 'How the value of a deal is credited if several partners worked on it.',
        kind: 'choice',
        choices: {
          full: 'Each partner is credited with the full value',
          equal: 'Partners share the value equally',
          tiers: 'Partners share the value by the weights of their tiers',
        },
      },
      ...tiers.map((tier) =>
        weight(
          `attribution.split.weights.${tier}`,
          `${capitalize(tierWords[tier])} share`,
          'Used only if partners share the value by tier. A weight of 3 gets three times the share of a weight of 1.',
        ),
      ),
    ],
  },
  {
    question: 'How are totals reported?',
    about: 'Decides the currency of totals, and how recent partner activity must be.',
    fields: [
      {
        path: 'reporting_currency',
        label: 'Reporting currency',
        does: 'Totals are converted to this currency. Enter a code of three letters, such as EUR; leave blank for none.',
        kind: 'currency',
      },
      days(
        'density.window_days',
        'Co-sell density window',
        'Partner activity on open deals counts for the co-sell density for this long.',
      ),
    ],
  },
  {
    question: 'When does a shared account become a signal?',
    about: 'An overlap signal fires when one of your accounts is also on a partner’s list.',
    fields: [
      days(
        'signals.overlap.life_days',
        'Overlap expires after',
        'An overlap signal expires this long after it fires.',
      ),
      days(
        'signals.overlap.return_days',
        'Overlap counts as new after',
        'A shared account that disappears and returns sooner does not fire again.',
      ),
    ],
  },
  {
    question: 'When does joint work on a deal become a signal?',
    about: 'A co-sell signal fires when a partner works on one of your open deals.',
    fields: [
      days(
        'signals.co_sell.window_days',
        'Co-sell window',
        'A co-sell signal fires only if the latest joint activity is at most this old.',
      ),
      days(
        'signals.co_sell.life_days',
        'Co-sell expires after',
        'A co-sell signal expires this long after the latest joint activity.',
      ),
    ],
  },
  {
    question: 'When does interest without a deal become a signal?',
    about: 'A pre-intent signal fires when partner activity adds up on an account without an open deal.',
    fields: [
      points(
        'signals.pre_intent.threshold',
        'Pre-intent threshold',
        'A pre-intent signal fires when the weights of recent activities add up to this.',
      ),
      fractionsOfDays(
        'signals.pre_intent.half_life_days',
        'Half-life of activity',
        'Older activities count less: half after this long, a quarter after twice as long.',
      ),
      ...tiers.map((tier) =>
        weight(
          `signals.pre_intent.weights.${tier}`,
          `Weight of ${tierWords[tier]} activity`,
          'What a fresh activity of this kind adds toward the pre-intent threshold.',
        ),
      ),
      days(
        'signals.pre_intent.life_days',
        'Pre-intent expires after',
        'A pre-intent signal expires this long after the latest activity.',
      ),
    ],
  },
  {
    question: 'How soon can the same signal fire again?',
    about: 'Keeps a signal that is done from coming back the next day.',
    fields: [
      days(
        'signals.quiet_days',
        'Pause after a signal',
        'After a signal is handled or expires, the same one does not fire again for this long.',
      ),
    ],
  },
  {
    question: 'Which signals come first?',
    about: 'Decides the priority of signals. Only the proportions of the weights matter.',
    fields: priorityParts.map((part) =>
      weight(`priority.weights.${part}`, capitalize(priorityPartTable[part].words), priorityDoes[part]),
    ),
  },
  {
    question: 'Who decides disputes, and which dates count?',
    about: 'Decides who can resolve a dispute, and when evidence counts as recorded.',
    fields: [
      {
        path: 'disputes.self_decision',
        label: 'Deciding your own dispute',
        does: 'Whether the key that opened a dispute can also accept or reject it. Allow this only in one-person organizations.',
        kind: 'choice',
        choices: { never: 'Never: someone with another admin key must decide', always: 'Always' },
      },
      {
        path: 'trust_source_recorded_at',
        label: 'Trust the recording dates of your sources',
        does: 'Evidence counts by the date your CRM says it was recorded, instead of the date it was loaded.',
        kind: 'switch',
      },
    ],
  },
];

const fields = sections.flatMap((section) => section.fields);
export const paths = fields.map(({ path }) => path);

export function valueAt(settings: Settings, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], settings);
}

/** The settings of the form. Settings that it does not show stay as they are. */
export function settingsFrom(form: FormData, current: Settings): Settings {
  const settings = structuredClone(current);
  for (const field of fields) {
    const names = field.path.split('.');
    const last = names.pop() as string;
    const parent = names.reduce<Record<string, unknown>>(
      (value, name) => value[name] as Record<string, unknown>,
      settings as unknown as Record<string, unknown>,
    );
    parent[last] = parse(field, form.get(field.path));
  }
  return settings;
}

function parse({ kind }: Field, entry: FormDataEntryValue | null): unknown {
  if (kind === 'switch') return entry !== null;
  const text = String(entry ?? '').trim();
  if (kind === 'currency') return text === '' ? null : text.toUpperCase();
  return kind === 'number' ? Number(text) : text;
}

/** The differences between two versions, in words. */
export function changesBetween(before: Settings, after: Settings): string[] {
  return fields.flatMap((field) => {
    const [old, now] = [valueAt(before, field.path), valueAt(after, field.path)];
    return old === now ? [] : [`${field.label}: ${inWords(field, old)} → ${inWords(field, now)}`];
  });
}

function inWords(field: Field, value: unknown): string {
  if (field.kind === 'switch') return value ? 'yes' : 'no';
  if (field.kind === 'choice') return field.choices[String(value)] ?? String(value);
  if (field.kind === 'number' && field.unit !== 'weight') return `${value} ${field.unit}`;
  return value === null ? 'none' : String(value);
}
