import { expect, test } from 'vitest';
import { partnerTypeWords, stateChanges, stateWords, tierWords, typeWords } from '../../console/ui/words.ts';
import { tiers } from '../../src/contract/activity.ts';
import { partnerTypes } from '../../src/contract/partner.ts';
import { signalStates, signalTypes } from '../../src/contract/signal.ts';
import { allowedTargets } from '../../src/rules/transitions.ts';

test.each(signalStates)(
  'a signal that is %s has a button for each change that the service allows',
  (state) => {
    expect(stateChanges[state].map(({ to }) => to).sort()).toEqual([...allowedTargets(state)].sort());
  },
);

test('every type and state can be chosen as a filter', () => {
  expect(Object.keys(typeWords)).toEqual([...signalTypes]);
  expect(Object.keys(stateWords)).toEqual([...signalStates]);
  expect(Object.keys(partnerTypeWords)).toEqual([...partnerTypes]);
  expect(Object.keys(tierWords).sort()).toEqual([...tiers].sort());
});
