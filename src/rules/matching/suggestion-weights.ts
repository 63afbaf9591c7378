/** Written by `bench/matching/train.ts` from the lists in `bench/matching/data`; do not edit by hand. */
export const suggestionWeights = {
  bias: -8.32,
  words_of_shorter: 0.37,
  rare_word: 2.39,
  shortened_word: 1.91,
  first_word: 2.78,
  spelling: 3.75,
  only_affixes: 0.34,
  words_left_on_both: -2.27,
  acronym: 6,
  other_country: -2,
  same_domain: 11,
  other_domain: -0.5,
};
