/** Written by `bench/matching/train.ts` from the lists in `bench/matching/data`; do not edit by hand. */
export const suggestionWeights = {
  bias: -6,
  words_of_shorter: 3,
  words_of_longer: 3,
  first_word: 1,
  spelling: 3,
  only_affixes: 1,
  acronym: 4,
  same_country: 0.5,
  other_country: -1,
  same_domain: 4,
  other_domain: -0.5,
};
