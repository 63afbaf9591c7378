export {
  activityKinds,
  errorCodes,
  eventKinds,
  partnerTypes,
  planLimits,
  retrySteps,
  signalStates,
  signalTypes,
  tiers,
  webhookEvents,
} from '../vocabulary.ts';
export { type ChangeOptions, type Client, createClient } from './client.ts';
export { ClientError, type ClientErrorCode } from './client-error.ts';
export type { LoadOptions } from './load.ts';
export { createOperatorClient, type OperatorClient } from './operator-client.ts';
export type { Pages } from './pages.ts';
export type { CallOptions, ClientOptions } from './send.ts';
export type * from './types.ts';
export { type VerifyOptions, verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';
