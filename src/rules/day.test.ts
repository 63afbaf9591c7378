import { expect, test } from 'vitest';
import { ageDays, daysBefore, deadline, isoDay } from './day.ts';

test.each([
  ['2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z', 0],
  ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z', 1],
  ['2026-02-28T23:00:00.000Z', '2026-03-30T01:00:00.000Z', 30],
  ['2026-03-02T00:04:00.000Z', '2026-03-01T23:59:00.000Z', 0],
])('the age of %s at %s is %i whole UTC days', (at, now, age) => {
  expect(ageDays(new Date(at), new Date(now))).toBe(age);
});

test.each([
  ['2026-03-01T00:00:00.000Z', 14, '2026-03-16T00:00:00.000Z'],
  ['2026-03-01T23:59:59.999Z', 14, '2026-03-16T00:00:00.000Z'],
  ['2024-02-28T12:00:00.000Z', 1, '2024-03-01T00:00:00.000Z'],
  ['1969-12-31T12:00:00.000Z', 1, '1970-01-02T00:00:00.000Z'],
])('what lives %2$i days from %1$s on lives to the end of its last day', (from, days, end) => {
  expect(deadline(new Date(from), days).toISOString()).toBe(end);
});

test.each([
  ['9999-12-31T00:00:00.000Z', 0],
  ['9999-12-01T00:00:00.000Z', 3650],
])('what lives %2$i days from %1$s on lives to the last moment that there is', (from, days) => {
  expect(deadline(new Date(from), days).toISOString()).toBe('9999-12-31T23:59:59.999Z');
});

test.each([
  ['2024-03-01', 1, '2024-02-29'],
  ['0001-01-08', 7, '0001-01-01'],
  ['0001-01-08', 8, '0001-01-01'],
  ['9999-12-31', 0, '9999-12-31'],
  ['9999-12-31', -1, '9999-12-31'],
])('counted from %s, the day %i days before is %s', (day, days, before) => {
  expect(daysBefore(day, days)).toBe(before);
});

test('a deadline passes exactly when the age exceeds its days', () => {
  const from = new Date('2026-03-01T09:30:00Z');
  const end = deadline(from, 30);
  expect(ageDays(from, new Date(end.getTime() - 1))).toBe(30);
  expect(ageDays(from, end)).toBe(31);
});

test('a day is written in UTC', () => {
  expect(isoDay(new Date('2026-03-01T23:30:00-05:00'))).toBe('2026-03-02');
});
