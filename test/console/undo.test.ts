import { expect, test } from 'vitest';
import { undoSteps } from '../../console/signals/undo.ts';
import type { Signal } from '../../src/client/types.ts';

const signal = (state: Signal['state'], assignee: Signal['assignee'] = null) =>
  ({ id: 'sig_1', state, assignee }) as Signal;
const ada = { name: 'Ada', email: 'ada@us.example' };

test.each([
  ['started', signal('new'), signal('in_progress'), [['new']]],
  ['handled at once', signal('new'), signal('handled'), [['in_progress'], ['new']]],
  ['handled', signal('in_progress'), signal('handled'), [['in_progress']]],
  ['dismissed', signal('new'), signal('expired'), [['new']]],
  ['dismissed while in progress', signal('in_progress'), signal('expired'), [['new'], ['in_progress']]],
  ['unchanged', signal('handled'), signal('handled'), []],
])('a signal that was %s goes back the way that the service allows', (_, before, after, states) => {
  const steps = undoSteps([before], [after]);
  expect(steps.map((items) => items.map(({ state }) => state))).toEqual(states);
});

test('an assignment goes back to whoever had it', () => {
  expect(undoSteps([signal('new', ada)], [signal('new')])).toEqual([[{ id: 'sig_1', assignee: ada }]]);
  expect(undoSteps([signal('new')], [signal('new', ada)])).toEqual([[{ id: 'sig_1', assignee: null }]]);
});

test('what was refused is left alone', () => {
  expect(undoSteps([signal('new'), { ...signal('new'), id: 'sig_2' }], [signal('handled')])).toEqual([
    [{ id: 'sig_1', state: 'in_progress' }],
    [{ id: 'sig_1', state: 'new' }],
  ]);
});
