import type { QueryClient } from '@tanstack/react-query';
import { hasCode, Refused } from '../ui/outcome.tsx';

/** Says why nothing was sent. The webhook may have been disabled since the page loaded. */
export function WebhookRefused({ error, fields }: { error: Error | null; fields?: readonly string[] }) {
  return (
    <Refused error={error} {...(fields && { fields })}>
      {isDisabled(error) && 'This webhook is disabled. Enable it, then try again.'}
    </Refused>
  );
}

/** For `onError`: reloads a webhook that turns out to be disabled. */
export function reloadDisabled(queries: QueryClient, webhookId: string) {
  return (error: Error) => {
    if (isDisabled(error)) void queries.invalidateQueries({ queryKey: ['webhook', webhookId], exact: true });
  };
}

function isDisabled(error: Error | null): boolean {
  return hasCode(error, 'webhook_disabled');
}
