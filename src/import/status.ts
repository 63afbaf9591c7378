import type { OpportunityStatus } from '../vocabulary.ts';
import { mappable, mappedTo, type ValueMap } from './choices.ts';
import { plain } from './columns.ts';
import { openStages, synonyms } from './synonyms.ts';

type Flags = { is_won?: unknown; is_lost?: unknown; is_closed?: unknown };

const known = new Map<string, OpportunityStatus>([
  ...openStages.map((stage) => [plain(stage), 'open'] as const),
  ...(synonyms.status.won ?? []).map((stage) => [plain(stage), 'won'] as const),
  ...(synonyms.status.lost ?? []).map((stage) => [plain(stage), 'lost'] as const),
]);

/**
 * The flags of the CRM decide; the stage is used only if they are inconclusive. Undefined if the stage is unknown:
 * assuming "open" would hide a won deal or keep a lost one alive.
 */
export function statusOf(
  { is_won, is_lost, is_closed }: Flags,
  stage: string,
  values: ValueMap,
): OpportunityStatus | undefined {
  if (is_won === true) return 'won';
  if (is_lost === true) return 'lost';
  if (is_closed === false) return 'open';
  if (is_closed === true && is_won === false) return 'lost';
  const named = statusOfStage(stage, values);
  const contradicted =
    (named === 'won' && is_won === false) ||
    (named === 'lost' && is_lost === false) ||
    (named === 'open' && is_closed === true);
  return contradicted ? undefined : named;
}

function statusOfStage(stage: string, values: ValueMap): OpportunityStatus | undefined {
  const mapped = mappedTo(values, 'stage', stage);
  if (mapped !== undefined) return mappable.stage?.read(mapped) as OpportunityStatus | undefined;
  const told = /\b(?:closed)?\W*(won|lost)\b(?!['’])/i.exec(stage)?.[1]?.toLowerCase();
  return (told as OpportunityStatus | undefined) ?? known.get(plain(bareName(stage)));
}

/** Salesforce pipelines are often numbered ("3 - Proposal"), HubSpot adds the pipeline ("Contract Sent (Sales)"). */
function bareName(stage: string): string {
  return stage.replace(/^\s*\d+\s*[-–.:)]\s*/, '').replace(/\s*\([^()]*\)\s*$/, '');
}
