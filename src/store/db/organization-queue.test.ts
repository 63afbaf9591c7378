import { expect, test } from 'vitest';
import { createOrganizationQueue } from './organization-queue.ts';

/** Work that ends when the test says so. */
function piece() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let started = false;
  const work = () => {
    started = true;
    return ended;
  };
  return { work, end, hasStarted: () => started };
}

test('only so many pieces of an organization run at a time, the others follow in their order, and nobody else waits', async () => {
  const queue = createOrganizationQueue(2);
  const pieces = [piece(), piece(), piece(), piece()];
  const other = piece();
  const done = pieces.map(({ work }) => queue.run('org_a', work));
  void queue.run('org_b', other.work);
  const started = () => pieces.map(({ hasStarted }) => hasStarted());
  expect(started()).toEqual([true, true, false, false]);
  expect(other.hasStarted()).toBe(true);
  pieces[1]?.end();
  await done[1];
  expect(started()).toEqual([true, true, true, false]);
  pieces[0]?.end();
  await done[0];
  expect(started()).toEqual([true, true, true, true]);
});

test('a piece that fails makes way for the next one', async () => {
  const queue = createOrganizationQueue(1);
  const failing = queue.run('org_a', () => Promise.reject(new Error('on purpose')));
  const next = queue.run('org_a', async () => 'done');
  await expect(failing).rejects.toThrow('on purpose');
  expect(await next).toBe('done');
});

test('it knows who is at work', async () => {
  const queue = createOrganizationQueue(1);
  const { work, end } = piece();
  const done = queue.run('org_a', work);
  expect([queue.isBusy(), queue.isBusyWith('org_a'), queue.isBusyWith('org_b')]).toEqual([true, true, false]);
  end();
  await done;
  expect([queue.isBusy(), queue.isBusyWith('org_a')]).toEqual([false, false]);
});
