import { Type } from 'typebox';
import { List, One } from '../../contract/envelope.ts';
import {
  DecideMatchesSchema,
  DecideMatchSchema,
  DecisionQuerySchema,
  MatchDecisionDetailSchema,
  MatchDecisionSchema,
  MatchOutcomesSchema,
  MatchQualitySchema,
  MatchSuggestionSchema,
  SuggestionQuerySchema,
} from '../../contract/match.ts';
import { decideMatch, decideMatches, revertMatch } from '../../domain/match-decisions.ts';
import { readQuality } from '../../domain/match-suggestions.ts';
import { type DecisionFilters, findDecision, listDecisions } from '../../store/matching/match-decisions.ts';
import { listSuggestions, type SuggestionFilters } from '../../store/matching/match-suggestions.ts';
import { batchLimit, suggestionsOfPair } from '../../vocabulary.ts';
import { changedBy } from '../admission/actor.ts';
import { byId, canMatch } from '../call.ts';
import type { Context } from '../context.ts';
import { read, routeTable, write } from '../route-table.ts';
import type { Router } from '../router.ts';

export function matchRoutes(app: Router, ctx: Context): void {
  const route = routeTable(app, ctx, 'Matches');
  const position = (suggestion: { rank: number; id: string }) => [String(suggestion.rank), suggestion.id];

  route('GET /v1/match_suggestions', 'listMatchSuggestions', read, {
    cached: true,
    summary: 'List match suggestions',
    description: `Lists pairs that may be the same company, best first, at most ${suggestionsOfPair} for each account and partner. Matches that somebody reported as wrong come first.`,
    querystring: SuggestionQuerySchema,
    response: { 200: List(MatchSuggestionSchema, 'A page of suggestions.') },
    handler: (call) =>
      call.page(async (...page) => {
        const { query } = call;
        return canMatch<SuggestionFilters>(query)
          ? listSuggestions(call.read, call.orgId, query, ...page)
          : [];
      }, position),
  });

  route('GET /v1/match_decisions', 'listMatchDecisions', read, {
    cached: true,
    summary: 'List match decisions',
    description: 'Lists what people decided, newest first, including decisions that no longer apply.',
    querystring: DecisionQuerySchema,
    response: { 200: List(MatchDecisionSchema, 'A page of decisions.') },
    handler: (call) =>
      call.page(async (...page) => {
        const { query } = call;
        return canMatch<DecisionFilters>(query) ? listDecisions(call.read, call.orgId, query, ...page) : [];
      }, byId),
  });

  route('GET /v1/match_decisions/:decision_id', 'getMatchDecision', read, {
    cached: true,
    summary: 'Get a match decision',
    description: 'Returns a decision with the history of its pair.',
    response: { 200: One(MatchDecisionDetailSchema, 'The decision.') },
    handler: async (call) => call.one(await findDecision(call.read, call.orgId, call.ids.decision_id)),
  });

  route('POST /v1/match_decisions', 'decideMatch', write, {
    summary: 'Decide on a match',
    description: `Records whether an account and a company in a partner's data are the same.

- same: they match from now on, with the kind \`confirmed\` and the confidence 1. If the partner later replaces the record with one of the same name, that record matches this account, too.
- different: they never match, whatever data you load later. If they match now, the match ends. Its overlap signal expires if it is still new and no other company of the partner matches the account.

A newer decision on the same pair replaces the older one. Co-sell and pre-intent signals and credit do not change.`,
    body: DecideMatchSchema,
    response: { 201: One(MatchDecisionDetailSchema, 'The decision.') },
    config: { honours: ['X-Actor'], refuses: ['not_found'] },
    handler: async (call) => {
      const { orgId, body } = call;
      const by = changedBy(call.request);
      return call.postFacts(201, (tx) => decideMatch(tx, orgId, body, by));
    },
  });

  route('POST /v1/match_decisions/batch', 'decideMatches', write, {
    summary: 'Decide on several matches',
    description: `Records up to ${batchLimit} decisions. Each is recorded or refused separately.`,
    body: DecideMatchesSchema,
    response: { 200: One(MatchOutcomesSchema, 'The outcome of each decision.') },
    config: { honours: ['X-Actor'] },
    handler: async (call) => {
      const { orgId, body } = call;
      const by = changedBy(call.request);
      return call.postFacts(200, (tx) => decideMatches(tx, orgId, body.items, by));
    },
  });

  route('DELETE /v1/match_decisions/:decision_id', 'revertMatchDecision', write, {
    summary: 'Revert a match decision',
    description:
      'Reverts the decision: the data alone decides again whether the two match. The decision stays in the history. An older decision does not come back.',
    response: { 204: Type.Null({ description: 'The decision no longer applies.' }) },
    config: { honours: ['X-Actor'], refuses: ['invalid_transition'] },
    handler: async (call) => {
      const { orgId, ids } = call;
      const by = changedBy(call.request);
      return call.gone(await call.facts((tx) => revertMatch(tx, orgId, ids.decision_id, by)));
    },
  });

  route('GET /v1/matches/quality', 'getMatchQuality', read, {
    cached: true,
    summary: 'Measure match quality',
    description: 'Counts matches and decisions by kind of match, and reports suggestion progress.',
    response: { 200: One(MatchQualitySchema, 'The counts.') },
    csv: {
      columns: ['kind', 'matches', 'decisions', 'confirmed_share'],
      rows: ({ kinds }) => kinds,
    },
    handler: async (call) => call.one(await call.report((db) => readQuality(db, call.orgId))),
  });
}
