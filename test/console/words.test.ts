import { expect, test } from 'vitest';
import { evidenceLabel, statusLabel } from '../../console/ui/format/words.ts';

test.each([
  ['in_progress', 'In progress'],
  ['expired', 'Expired'],
  ['withdrawn', 'Withdrawn'],
  ['reversed', 'Reversed'],
] as const)('the status %s reads “%s”', (status, label) => {
  expect(statusLabel(status)).toBe(label);
});

test.each([
  ['exec_intro', 'Executive introduction'],
  ['co_sell_share', 'Co-sell share'],
  ['pre_intent', 'Pre-intent signal'],
  ['dispute', 'Dispute'],
] as const)('evidence of the kind %s reads “%s”', (kind, label) => {
  expect(evidenceLabel(kind)).toBe(label);
});
