import { Button, Radio, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Redeliver } from '../../src/contract/webhook.ts';
import { showOutcome } from '../session/queries.ts';
import { useSession } from '../session/session.tsx';
import { fieldError, Saved } from '../ui/outcome.tsx';
import { formatNumber, keysOf, redeliverWords } from '../ui/words.ts';
import { rereadDisabled, WebhookRefused } from './webhook-refused.tsx';

const dayMs = 86_400_000;

export function RedeliverSpan({ webhookId }: { webhookId: string }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [now] = useState(() => Date.now());
  const redeliver = useMutation({
    mutationFn: (span: Redeliver) => client.webhooks.redeliverSpan(webhookId, span),
    onSuccess: () => showOutcome(queries, webhookId),
    onError: rereadDisabled(queries, webhookId),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    redeliver.mutate({
      since: toMoment(form.get('since')),
      until: toMoment(form.get('until')),
      only: form.get('only') as Redeliver['only'],
    });
  }

  return (
    <section className="card section" aria-labelledby="span-title">
      <h2 id="span-title">Redeliver a span of time</h2>
      <form className="form" onSubmit={submit} noValidate>
        <div className="span">
          <TextInput
            type="datetime-local"
            name="since"
            label="Events from"
            defaultValue={toField(now - dayMs)}
            error={fieldError(redeliver.error, 'since')}
          />
          <TextInput
            type="datetime-local"
            name="until"
            label="Until"
            defaultValue={toField(now + 60_000)}
            error={fieldError(redeliver.error, 'until')}
          />
        </div>
        <Radio.Group
          name="only"
          label="Which"
          defaultValue="failed"
          error={fieldError(redeliver.error, 'only')}
        >
          <div className="options">
            {keysOf(redeliverWords).map((only) => (
              <Radio key={only} value={only} label={redeliverWords[only]} />
            ))}
          </div>
        </Radio.Group>
        {redeliver.data && <Saved of={redeliver.data}>{outcome(redeliver.data.data.queued)}</Saved>}
        <WebhookRefused error={redeliver.error} fields={['since', 'until', 'only']} />
        <div className="buttons">
          <Button type="submit" variant="default" loading={redeliver.isPending}>
            Redeliver the span
          </Button>
        </div>
      </form>
    </section>
  );
}

function outcome(queued: number): string {
  if (queued === 0) return 'There is nothing of that kind in this span.';
  return queued === 1 ? '1 delivery is queued.' : `${formatNumber(queued)} deliveries are queued.`;
}

/** In the time of whoever looks, as such a field has it. */
function toField(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** An empty field is left to the service, which says what it wants. */
function toMoment(field: FormDataEntryValue | null): string {
  const time = new Date(String(field));
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
