/** Why the service itself changed the state of a signal, for its history. */
export const changeNotes = {
  time: 'Its time was up.',
  deal: 'Its deal is closed.',
  facts: 'The facts no longer call for it.',
  again: 'The facts call for it again.',
} as const;
