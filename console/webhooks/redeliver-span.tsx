import { Button, Radio, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RedeliverEvents } from '../../src/client/types.ts';
import { type RedeliverOnly, redeliverChoices, redeliverWords } from '../../src/vocabulary.ts';
import { useMay, useSession } from '../session/session.tsx';
import { Form } from '../ui/form.tsx';
import { plural } from '../ui/format/numbers.ts';
import { capitalize } from '../ui/format/words.ts';
import { fieldError, Saved } from '../ui/outcome.tsx';
import { Section } from '../ui/section.tsx';
import { showOutcome } from './queries.ts';
import { reloadDisabled, WebhookRefused } from './webhook-refused.tsx';

const dayMs = 86_400_000;

export function RedeliverSpan({ webhookId }: { webhookId: string }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const [now] = useState(() => Date.now());
  const redeliver = useMutation({
    mutationFn: (span: RedeliverEvents) => client.webhooks.redeliverSpan(webhookId, span),
    onSuccess: () => showOutcome(queries, webhookId),
    onError: reloadDisabled(queries, webhookId),
  });

  function send(form: FormData) {
    redeliver.mutate({
      since: toMoment(form.get('since')),
      until: toMoment(form.get('until')),
      only: form.get('only') as RedeliverOnly,
    });
  }

  return (
    <Section id="span" title="Redeliver events">
      <Form className="form" onSend={send} noValidate>
        <div className="span">
          <TextInput
            type="datetime-local"
            name="since"
            label="From"
            defaultValue={toField(now - dayMs)}
            error={fieldError(redeliver.error, 'since', 'Enter a date and time.')}
          />
          <TextInput
            type="datetime-local"
            name="until"
            label="To"
            defaultValue={toField(now + 60_000)}
            error={fieldError(redeliver.error, 'until', 'Enter a date and time after From.')}
          />
        </div>
        <Radio.Group
          name="only"
          label="Events to redeliver"
          defaultValue="failed"
          error={fieldError(redeliver.error, 'only')}
        >
          <div className="options">
            {redeliverChoices.map((only) => (
              <Radio key={only} value={only} label={capitalize(redeliverWords[only])} />
            ))}
          </div>
        </Radio.Group>
        {redeliver.data && <Saved of={redeliver.data}>{outcome(redeliver.data.data.queued)}</Saved>}
        <WebhookRefused error={redeliver.error} fields={['since', 'until', 'only']} />
        <div className="buttons">
          <Button type="submit" variant="default" disabled={!mayWrite} loading={redeliver.isPending}>
            Redeliver
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function outcome(queued: number): string {
  if (queued === 0) return 'No matching events in this period.';
  return `${plural(queued, 'delivery', 'deliveries')} queued.`;
}

/** The local time, in the format of a datetime-local field. */
function toField(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** An empty field is sent as it is, and the service says what is missing. */
function toMoment(field: FormDataEntryValue | null): string {
  const time = new Date(String(field));
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
