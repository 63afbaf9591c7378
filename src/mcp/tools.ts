import type { Tool } from './tool.ts';
import { accountContextTool } from './tools/account-context.ts';
import { explainCreditTool } from './tools/explain-credit.ts';
import { explainSignalTool } from './tools/explain-signal.ts';
import { findPartnerForDealTool } from './tools/find-partner-for-deal.ts';
import { listSignalsTool } from './tools/list-signals.ts';
import { openDisputeTool } from './tools/open-dispute.ts';
import { partnerSummaryTool } from './tools/partner-summary.ts';
import { searchTool } from './tools/search.ts';
import { simulatePolicyTool } from './tools/simulate-policy.ts';
import { updateSignalTool } from './tools/update-signal.ts';

/** Deciding a dispute, changing a policy and managing keys are left to people: there are no tools for them. */
export const tools: Tool[] = [
  findPartnerForDealTool,
  listSignalsTool,
  explainSignalTool,
  accountContextTool,
  partnerSummaryTool,
  explainCreditTool,
  searchTool,
  simulatePolicyTool,
  updateSignalTool,
  openDisputeTool,
];
