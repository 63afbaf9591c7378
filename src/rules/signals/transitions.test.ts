import { expect, test } from 'vitest';
import { type SignalState, signalStates } from '../../vocabulary.ts';
import { allowedTargets, transition } from './transitions.ts';

const table: Record<SignalState, Record<SignalState, ReturnType<typeof transition>>> = {
  new: { new: 'unchanged', in_progress: 'changed', handled: 'changed', expired: 'changed' },
  in_progress: { new: 'changed', in_progress: 'unchanged', handled: 'changed', expired: 'changed' },
  handled: { new: 'refused', in_progress: 'changed', handled: 'unchanged', expired: 'refused' },
  expired: { new: 'refused', in_progress: 'refused', handled: 'refused', expired: 'unchanged' },
};

test.each(signalStates)('a client changes the state from %s as the contract says', (from) => {
  for (const to of signalStates) expect(transition(from, to), `${from} to ${to}`).toBe(table[from][to]);
});

test('a dismissed signal can be restored, and nothing else', () => {
  const to = (state: SignalState) => transition('expired', state, 'dismissed');
  expect(signalStates.map(to)).toEqual(['changed', 'refused', 'refused', 'unchanged']);
  expect(allowedTargets('expired', 'dismissed')).toEqual(['new']);
  for (const ended of ['time', 'facts'] as const) expect(transition('expired', 'new', ended)).toBe('refused');
});

test.each(signalStates)('the targets that a refusal lists for %s are those that would be changes', (from) => {
  expect(allowedTargets(from).toSorted()).toEqual(
    signalStates.filter((to) => table[from][to] === 'changed').toSorted(),
  );
});
