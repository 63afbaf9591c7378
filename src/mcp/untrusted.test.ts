import { expect, test } from 'vitest';
import { cleanText } from './untrusted.ts';

test.each([
  ['a variation selector', '\ufe0f'],
  ['a variation selector beyond the first plane', '\u{e0100}'],
  ['a zero-width non-joiner', '\u200c'],
  ['a zero-width joiner', '\u200d'],
  ['a right-to-left mark', '\u200f'],
  ['an Arabic letter mark', '\u061c'],
  ['a combining grapheme joiner', '\u034f'],
  ['a Hangul filler', '\u115f'],
  ['another Hangul filler', '\u3164'],
  ['a letter of the tags', '\u{e0041}'],
  ['a direction override', '\u202e'],
  ['an annotation', '\ufff9'],
  ['an escape', '\u001b'],
])('%s is replaced', (_name, character) => {
  expect(cleanText(`a${character}b`, 10)).toBe('a\ufffdb');
});

test('of all characters of Unicode, only those that show are left as they are', () => {
  const lineEnd = /^[\r\u2028\u2029]$/;
  const hidden = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\ufff9-\ufffb]$/u;
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    const expected = lineEnd.test(character)
      ? '\n'
      : hidden.test(character) && character !== '\n' && character !== '\t'
        ? '\ufffd'
        : character;
    if (cleanText(character, 2) !== expected) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
