import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChangeSignal, ChangeSignalSchema } from '../../src/contract/signal.ts';
import { startTestService, type TestService } from '../harness.ts';
import { type Assistant, type Content, connect, ways } from './assistants.ts';
import { createWorld, type World } from './world.ts';

let service: TestService;
let world: World;
let assistant: Assistant;
let asked: string[];
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

beforeEach(async () => {
  world = await createWorld(service);
  asked = [];
  assistant = await connect(ways[0], service, world.org.key, {
    confirm: (message) => {
      asked.push(message);
      return 'accept';
    },
  });
  return () => assistant.close();
});

const noor = { name: 'Noor Halvorsen', email: 'noor@brightwater.example' };
const ada = { name: 'Ada Moss', email: 'ada@brightwater.example' };

/** Each field in the smallest change that has it, the lines that a person is asked about, and what the signal shows then. */
const fields: Record<keyof ChangeSignal, { change: ChangeSignal; lines: string[]; shows: Content }> = {
  state: {
    change: { state: 'in_progress' },
    lines: ['State: new → in progress.'],
    shows: { state: 'in_progress' },
  },
  note: {
    change: { note: 'Met\nthem' },
    lines: ['Note: “Met them”.'],
    shows: { history: [{ note: 'Met\nthem' }] },
  },
  assignee: {
    change: { assignee: noor },
    lines: ['Assignee: nobody → “Noor Halvorsen <noor@brightwater.example>”.'],
    shows: { assignee: noor },
  },
  dismiss_reason: {
    change: { state: 'expired', dismiss_reason: 'wrong_match' },
    lines: ['State: new → expired.', 'Reason: wrong match.'],
    shows: { state: 'expired', dismiss_reason: 'wrong_match' },
  },
};

describe.each(Object.keys(ChangeSignalSchema.properties) as (keyof ChangeSignal)[])(
  'the field %s',
  (name) => {
    test('is shown to the person, applied, and not applied again by the same call', async () => {
      const { change, lines, shows } = fields[name];
      const first = await update(change);
      expect(asked).toEqual([
        ['Change the co-sell signal of “Zephyr Cloud” on “Harbour Mills”?', ...lines].join('\n'),
      ]);
      expect(await signal()).toMatchObject({ ...shows, history: [{}] });
      expect((await update(change)).data).toEqual(first.data);
      expect((await signal()).history).toHaveLength(1);
    });

    test('is applied after the same other fields were', async () => {
      const { change, shows } = fields[name];
      const others = name === 'dismiss_reason' ? { note: 'Same' } : { note: 'Same', state: 'new' as const };
      await update(others);
      await update({ ...others, ...change });
      const { history, ...after } = await signal();
      expect(history).toHaveLength(2);
      expect({ ...after, history: history.slice(1) }).toMatchObject(shows);
    });
  },
);

test('an assignee given with the state that the signal already has is assigned', async () => {
  await update({ state: 'in_progress' });
  await update({ state: 'in_progress', assignee: noor });
  await update({ assignee: ada });
  await update({ assignee: null });
  expect((await signal()).history.map(({ to, assignee }: Content) => [to, assignee])).toEqual([
    ['in_progress', undefined],
    ['in_progress', noor],
    ['in_progress', ada],
    ['in_progress', null],
  ]);
  expect(asked.slice(2).map((message) => message.split('\n')[1])).toEqual([
    'Assignee: “Noor Halvorsen <noor@brightwater.example>” → “Ada Moss <ada@brightwater.example>”.',
    'Assignee: “Ada Moss <ada@brightwater.example>” → nobody.',
  ]);
});

test('what stays the same is shown as such', async () => {
  await update({ assignee: noor });
  await update({ state: 'new', assignee: noor, note: 'Called' });
  expect(asked[1]?.split('\n').slice(1)).toEqual([
    'State: stays new.',
    'Assignee: stays “Noor Halvorsen <noor@brightwater.example>”.',
    'Note: “Called”.',
  ]);
});

test('the person is asked again if what they were shown has changed meanwhile', async () => {
  (assistant.client as Content).setRequestHandler('elicitation/create', async ({ params }: Content) => {
    asked.push(params.message.split('\n')[1]);
    if (asked.length === 1)
      await world.org.call('PATCH', `/v1/signals/${world.signal.id}`, { body: { assignee: ada } });
    return { action: 'accept', content: {} };
  });
  await update({ assignee: noor });
  expect(asked).toEqual([
    'Assignee: nobody → “Noor Halvorsen <noor@brightwater.example>”.',
    'Assignee: “Ada Moss <ada@brightwater.example>” → “Noor Halvorsen <noor@brightwater.example>”.',
  ]);
});

test('a call without a change is refused, and says which fields it can have', async () => {
  const { isError, text } = await assistant.call('update_signal', { signal_id: world.signal.id });
  expect(isError).toBe(true);
  expect(JSON.parse(text).error).toMatchObject({
    code: 'invalid_request',
    details: [{ code: 'required', message: 'needs at least one of: state, note, assignee, dismiss_reason' }],
  });
  expect(asked).toEqual([]);
});

test('a reason is for dismissing only, and stays what it was', async () => {
  const alone = await assistant.call('update_signal', {
    signal_id: world.signal.id,
    dismiss_reason: 'too_late',
  });
  expect(JSON.parse(alone.text).error.details).toMatchObject([{ field: 'dismiss_reason' }]);
  await update({ state: 'expired', dismiss_reason: 'too_late', note: 'Done' });
  const other = { signal_id: world.signal.id, state: 'expired', dismiss_reason: 'wrong_match', note: 'Done' };
  expect((await assistant.call('update_signal', other)).text).toContain('invalid_transition');
});

async function update(change: ChangeSignal) {
  const answer = await assistant.call('update_signal', { signal_id: world.signal.id, ...change });
  expect(answer.isError, answer.text).toBe(false);
  return answer;
}

async function signal(): Promise<Content> {
  return (await world.org.get(`/v1/signals/${world.signal.id}`)).body.data;
}
