import type { QueryClient } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { MatchSuggestion } from '../../src/client/types.ts';
import { pages, record } from '../session/queries.ts';

export type ReviewSearch = { partner_id?: string | undefined; account_id?: string | undefined };

export function suggestionQueue({ matches }: Client, filters: ReviewSearch) {
  return pages(['suggestions', filters], (page, call) => matches.suggestions({ ...filters, ...page }, call));
}

export function matchQuality({ matches }: Client) {
  return record(['match-quality'], (call) => matches.quality(call));
}

/** A decision changes matches, and with them overlaps and signals. The review queue keeps its position. */
export function showDecision(
  queries: QueryClient,
  { account, partner }: Pair,
  refetchType: 'active' | 'none' = 'active',
): void {
  void queries.invalidateQueries({ queryKey: ['account', account.id], refetchType });
  void queries.invalidateQueries({ queryKey: ['partner', partner.id], refetchType });
  void queries.invalidateQueries({ queryKey: ['signals'], refetchType: 'none' });
  for (const list of ['match-quality', 'match-suggestions', 'suggestions'])
    void queries.invalidateQueries({ queryKey: [list], refetchType: 'none' });
}

export type Pair = {
  account: Pick<MatchSuggestion['account'], 'id' | 'name'>;
  partner: { id: string };
  partner_account: Pick<MatchSuggestion['partner_account'], 'external_id' | 'name'>;
};

export function pairOf({ account, partner, partner_account }: Pair) {
  return {
    account_id: account.id,
    partner_id: partner.id,
    partner_account_external_id: partner_account.external_id,
  };
}
