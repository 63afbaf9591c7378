import type { MatchKey } from '../../src/rules/matching/matching.ts';
import { matchKinds, matchKindTable } from '../../src/vocabulary.ts';

/** The same result as the database's query, in TypeScript, as an oracle for tests. */
export function bestMatch(account: MatchKey[], partnerAccount: MatchKey[]) {
  const partnerKeys = new Set(partnerAccount.map(({ key }) => key));
  for (const kind of matchKinds) {
    const shared = account.find((own) => own.kind === kind && partnerKeys.has(own.key));
    if (shared) return { kind, key: shared.key, confidence: matchKindTable[kind].confidence };
  }
  return null;
}
