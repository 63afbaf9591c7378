import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { ChangeSignal, Signal, SignalChange, SignalOutcomes } from '../../src/client/types.ts';
import { batchLimit } from '../../src/vocabulary.ts';
import { useMay, useSession } from '../session/session.tsx';
import { ChangeDialog } from './change-dialogs.tsx';
import { showSignals } from './queries.ts';
import { undoSteps } from './undo.ts';

/** Batches of changes, and the signals as they were before. */
type Job = { steps: SignalChange[][]; before: Signal[]; done: string; isUndo?: boolean };
type Ask = { about: 'dismiss' | 'assign'; signals: Signal[] };
type Outcome = SignalOutcomes['outcomes'][number];

export type SignalActions = {
  selected: ReadonlyMap<string, Signal>;
  /** Selects as many as one request can change. */
  select(signals: Signal[], on: boolean): void;
  change(signals: Signal[], change: ChangeSignal, done: string): void;
  /** Asks why first. */
  dismiss(signals: Signal[]): void;
  /** Asks to whom first. */
  assign(signals: Signal[]): void;
  set(signals: Signal[], state: 'in_progress' | 'handled'): void;
  undo(): void;
  busy: boolean;
  error: Error | null;
  /** The result of the last change, including what was refused and why. */
  result: { done: string; refused: Outcome[]; before: Signal[]; canUndo: boolean } | undefined;
  clear(): void;
};

const ActionsContext = createContext<SignalActions | null>(null);

export function SignalActionsProvider({ children }: { children: ReactNode }) {
  const { client } = useSession();
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const [selected, setSelected] = useState<ReadonlyMap<string, Signal>>(new Map());
  const [ask, setAsk] = useState<Ask>();
  const run = useMutation({
    mutationFn: async ({ steps }: Job) => {
      const outcomes = new Map<string, Outcome>();
      for (const items of steps)
        for (const outcome of (await client.signals.batch(items)).data.outcomes)
          outcomes.set(outcome.id, outcome);
      return [...outcomes.values()];
    },
    onSuccess: (outcomes) => {
      setSelected(new Map());
      showSignals(
        queries,
        outcomes.flatMap(({ signal }) => signal ?? []),
      );
    },
  });
  const { mutate, reset, variables: job, data: outcomes, isPending, error } = run;

  const actions = useMemo((): SignalActions => {
    const change = (before: Signal[], change: ChangeSignal, done: string) => {
      setAsk(undefined);
      mutate({ steps: [before.map(({ id }) => ({ id, ...change }))], before, done });
    };
    const ifAllowed = (signals: Signal[], act: () => void) => {
      if (mayWrite && signals.length > 0 && !isPending) act();
    };
    const changed = outcomes?.flatMap(({ signal }) => signal ?? []) ?? [];
    const steps = job && !job.isUndo ? undoSteps(job.before, changed) : [];
    return {
      selected,
      select: (signals, on) =>
        setSelected((before) => {
          const now = new Map(before);
          for (const signal of signals)
            if (!on) now.delete(signal.id);
            else if (now.size < batchLimit) now.set(signal.id, signal);
          return now;
        }),
      change,
      dismiss: (signals) => ifAllowed(signals, () => setAsk({ about: 'dismiss', signals })),
      assign: (signals) => ifAllowed(signals, () => setAsk({ about: 'assign', signals })),
      set: (signals, state) =>
        ifAllowed(signals, () =>
          change(signals, { state }, state === 'handled' ? 'marked handled' : 'started'),
        ),
      undo: () => {
        if (job && steps.length > 0 && !isPending)
          mutate({ steps, before: changed, done: 'changed back', isUndo: true });
      },
      busy: isPending,
      error,
      result: job &&
        outcomes && {
          done: `${changed.length} ${changed.length === 1 ? 'signal' : 'signals'} ${job.done}.`,
          refused: outcomes.filter((outcome) => outcome.error !== null),
          before: job.before,
          canUndo: steps.length > 0,
        },
      clear: () => {
        setSelected(new Map());
        reset();
      },
    };
  }, [mayWrite, selected, job, outcomes, isPending, error, mutate, reset]);

  return (
    <ActionsContext value={actions}>
      {children}
      {ask && (
        <ChangeDialog
          {...ask}
          onClose={() => setAsk(undefined)}
          onChange={(change) => actions.change(ask.signals, change, doneBy(change))}
        />
      )}
    </ActionsContext>
  );
}

function doneBy({ state, assignee }: ChangeSignal): string {
  if (state) return 'dismissed';
  return assignee ? `assigned to ${assignee.name}` : 'unassigned';
}

export function useSignalActions(): SignalActions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('used outside of the page of signals');
  return actions;
}
