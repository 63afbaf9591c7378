import type { Tier } from '../contract/activity.ts';
import type { ResolveDispute } from '../contract/attribution.ts';
import type { Scope } from '../contract/key.ts';
import type { Plan } from '../contract/organization.ts';
import type { PartnerType } from '../contract/partner.ts';
import type { SignalState, SignalType } from '../contract/signal.ts';
import type { Redeliver, WebhookEvent } from '../contract/webhook.ts';

// Spelled out, because the contract's own lists bring its schemas along, which take longer to load than a command
// takes to run. The types keep them complete.
export const signalTypes = every<SignalType>({ co_sell: 0, overlap: 0, pre_intent: 0 });
export const signalStates = every<SignalState>({ new: 0, in_progress: 0, handled: 0, expired: 0 });
export const partnerTypes = every<PartnerType>({
  solution_provider: 0,
  technology_partner: 0,
  hyperscaler: 0,
  gsi: 0,
});
export const attributionTiers = every<Tier>({ sourced: 0, co_sell: 0, influenced: 0 });
export const resolutions = every<ResolveDispute['status']>({ accepted: 0, rejected: 0, withdrawn: 0 });
export const webhookEvents = every<WebhookEvent>({
  'signal.created': 0,
  'attribution.created': 0,
  'attribution.updated': 0,
});
export const redeliveries = every<Redeliver['only']>({ failed: 0, missed: 0, all: 0 });
export const scopes = every<Scope>({ read: 0, write: 0, ingest: 0, admin: 0 });
export const plans = every<Plan>({ standard: 0, enterprise: 0 });

function every<T extends string>(values: Record<T, 0>): T[] {
  return Object.keys(values) as T[];
}
