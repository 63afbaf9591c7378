import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { textLimits } from '../../src/vocabulary.ts';
import { useMay, useSession } from '../session/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Refused } from '../ui/outcome.tsx';
import { type Pair, pairOf, showDecision } from './queries.ts';

/** Ends a match for good, and lets you undo that. */
export function NotTheSame({ pair }: { pair: Pair }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const decide = useMutation({
    mutationFn: (note: string) =>
      client.matches.decide({ ...pairOf(pair), decision: 'different', ...(note.trim() !== '' && { note }) }),
    onSuccess: () => {
      setAsked(false);
      // The row stays until the list reloads, so that you can undo.
      showDecision(queries, pair, 'none');
    },
  });
  const revert = useMutation({
    mutationFn: (id: string) => client.matches.revert(id),
    onSuccess: () => {
      decide.reset();
      showDecision(queries, pair);
    },
  });
  if (!mayWrite) return null;
  const { account, partner_account } = pair;
  if (decide.data)
    return (
      <span role="status" className="small">
        Marked as different.{' '}
        <button
          type="button"
          className="link-button"
          disabled={revert.isPending}
          onClick={() => revert.mutate(decide.data.data.id)}
        >
          Undo
        </button>
        <Refused error={revert.error} />
      </span>
    );
  return (
    <>
      <button
        type="button"
        className="link-button small"
        aria-label={`${account.name} and ${partner_account.name}: not the same company?`}
        onClick={() => setAsked(true)}
      >
        Not the same company?
      </button>
      {asked && (
        <Dialog title="Not the same company?" onClose={() => setAsked(false)}>
          <p>
            <bdi className="strong">{account.name}</bdi> and{' '}
            <bdi className="strong">{partner_account.name}</bdi> will no longer match, whatever data arrives
            later. Signals and credit that come from activity do not change. You can undo this.
          </p>
          <Form className="form" onSend={(form) => decide.mutate(String(form.get('note')))}>
            <Textarea name="note" label="Note" description="Optional." rows={2} maxLength={textLimits.note} />
            <Refused error={decide.error} />
            <div className="buttons">
              <Button type="submit" loading={decide.isPending}>
                Mark as different
              </Button>
              <Button variant="default" onClick={() => setAsked(false)}>
                Cancel
              </Button>
            </div>
          </Form>
        </Dialog>
      )}
    </>
  );
}
