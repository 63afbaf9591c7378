import type { QueryClient } from '@tanstack/react-query';
import { ClientError } from '../../src/client/client-error.ts';
import { Refused } from '../ui/outcome.tsx';

/** Why nothing was sent. The service may have disabled the webhook since it was read. */
export function WebhookRefused({ error, fields }: { error: Error | null; fields?: readonly string[] }) {
  return (
    <Refused error={error} {...(fields && { fields })}>
      {isDisabled(error) && 'The webhook is disabled, so nothing is sent to it. Enable it first.'}
    </Refused>
  );
}

/** For `onError`: shows how the webhook stands. */
export function rereadDisabled(queries: QueryClient, webhookId: string) {
  return (error: Error) => {
    if (isDisabled(error)) void queries.invalidateQueries({ queryKey: ['webhook', webhookId], exact: true });
  };
}

function isDisabled(error: Error | null): boolean {
  return error instanceof ClientError && error.code === 'invalid_transition';
}
