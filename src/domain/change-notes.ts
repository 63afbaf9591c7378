/** Why the service itself changed the state of a signal, for its history. */
export const changeNotes = {
  time: 'The signal reached its expiry date.',
  opportunity: 'The deal was closed.',
  decision: 'Somebody decided that these are different companies.',
  facts: 'The facts no longer support this signal.',
  again: 'The facts support this signal again.',
} as const;
