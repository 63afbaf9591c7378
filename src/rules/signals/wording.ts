/**
 * Makes text of unknown origin safe for a single line: no line breaks, control characters, direction overrides or half
 * characters, and at most `maxLength` characters, cut between words where that loses little.
 */
export function oneLine(text: string, maxLength: number): string {
  const characters = [...text.replace(unprintable, ' ').trim()];
  if (characters.length <= maxLength) return characters.join('');
  const head = characters.slice(0, maxLength - 3).join('');
  const lastSpace = head.lastIndexOf(' ');
  return `${(lastSpace > head.length / 2 ? head.slice(0, lastSpace) : head).trimEnd()}...`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Adds one full stop, but not after a name that ends with one, such as "B.V.". */
export function sentence(text: string): string {
  return `${capitalized(text)}${text.endsWith('.') ? '' : '.'}`;
}

export function possessive(name: string): string {
  return /s$/i.test(name) ? `${name}'` : `${name}'s`;
}

const unprintable = /[\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;
