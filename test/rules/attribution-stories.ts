import { describe, expect, test } from 'vitest';
import { defaultSettings, type Settings } from '../../src/contract/settings.ts';
import { type Credit, creditOpportunity } from '../../src/rules/credit/attribution.ts';
import type { ActivityKind, Tier } from '../../src/vocabulary.ts';
import { on, partnerOf, wonOpportunity } from './won-opportunity.ts';

/** Kind, day of the activity, and day of recording if it differs. */
type Done = [kind: ActivityKind, occurred: number, recorded?: number];
export type Story = {
  name: string;
  /** By default, the deal closes on day 100 and the organization started long before. */
  closed?: number;
  created?: number;
  pinned?: Record<string, Tier>;
  done: Record<string, Done[]>;
  settings?: Settings;
  tiers: Record<string, Tier | null>;
  /** By partner: `+` for a counted line, `-` for another; the tier that it supports; the reason. */
  lines?: Record<string, string[]>;
};

export const long = 100;
export const short = 30;

/** Runs each story as a test, at several hours: the hour must not matter. */
export function checkStories(stories: Story[]): void {
  describe('whatever the hour,', () => {
    test.each(stories)('$name', (story) => {
      for (const time of ['00:00:00Z', '23:59:59.999Z']) {
        const credits = credit(story, time);
        expect(
          Object.fromEntries(credits.map(({ partner_id, tier }) => [partner_id.slice(4), tier])),
        ).toEqual(story.tiers);
        for (const [partner, lines] of Object.entries(story.lines ?? {}))
          expect(linesOf(credits, partner)).toEqual(lines);
      }
    });
  });
}

export function attribution({
  lookback_days,
  window_days,
}: {
  lookback_days: number;
  window_days: number;
}): Settings {
  return {
    ...defaultSettings,
    attribution: {
      ...defaultSettings.attribution,
      sourced: { lookback_days, lock_days: 14 },
      influenced: { window_days },
    },
  };
}

function credit(story: Story, time: string): Credit[] {
  const partners = Object.entries(story.done).map(([name, done]) =>
    partnerOf(
      name,
      story.pinned?.[name] ?? null,
      done.map(([kind, occurred, recorded = occurred], index) => ({
        id: `act_${name}${index}`,
        external_id: `${name}${index}`,
        kind,
        occurred_at: on(occurred, time),
        recorded_at: on(recorded, time),
        summary: kind,
      })),
    ),
  );
  return creditOpportunity(
    wonOpportunity(story.closed ?? long, story.created ?? -500),
    partners,
    story.settings ?? defaultSettings,
  );
}

function linesOf(credits: Credit[], name: string): string[] | undefined {
  return credits
    .find(({ partner_id }) => partner_id === `prt_${name}`)
    ?.evidence.map((line) => `${line.counted ? '+' : '-'} ${line.tier_supported}: ${line.reason}`);
}
