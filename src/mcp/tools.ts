import type { Tool } from './tool.ts';
import { accountContext } from './tools/account-context.ts';
import { explainCredit } from './tools/explain-credit.ts';
import { explainSignal } from './tools/explain-signal.ts';
import { findPartnerForDeal } from './tools/find-partner-for-deal.ts';
import { listSignals } from './tools/list-signals.ts';
import { openDispute } from './tools/open-dispute.ts';
import { partnerSummary } from './tools/partner-summary.ts';
import { search } from './tools/search.ts';
import { simulatePolicy } from './tools/simulate-policy.ts';
import { updateSignal } from './tools/update-signal.ts';

/** Deciding a dispute, changing a policy and managing keys are left to people: there are no tools for them. */
export const tools: Tool[] = [
  findPartnerForDeal,
  listSignals,
  explainSignal,
  accountContext,
  partnerSummary,
  explainCredit,
  search,
  simulatePolicy,
  updateSignal,
  openDispute,
];
