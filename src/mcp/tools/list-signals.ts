import { Type } from 'typebox';
import { page, strictObject } from '../../contract/envelope.ts';
import { SignalQuerySchema } from '../../contract/signal.ts';
import { decodeCursor, encodeCursor } from '../../store/db/cursor.ts';
import { listSignals as findSignals } from '../../store/signals/signal-items.ts';
import { type SignalFilters, signalPosition } from '../../store/signals/signal-page.ts';
import { signalStates } from '../../vocabulary.ts';
import { resolveAccount, resolvePartner } from '../find.ts';
import { limit, named, SignalItem } from '../shapes.ts';
import { tool } from '../tool.ts';

export const listSignalsTool = tool({
  name: 'list_signals',
  title: 'List signals',
  description:
    'Lists signals, highest priority first: which partner can help on which account or deal, and what to do next. Shows new signals by default; set state or end_reason to list others. Signals that have ended are listed newest first. Use explain_signal for the evidence.',
  scope: 'read',
  input: strictObject({
    type: SignalQuerySchema.properties.type,
    state: Type.Enum([...signalStates, 'any'], { default: 'new', description: 'State of the work on it.' }),
    end_reason: SignalQuerySchema.properties.end_reason,
    partner: Type.Optional(named('Only signals for this partner', 'Zephyr Cloud')),
    account: Type.Optional(named('Only signals on this account', 'Harbour Mills')),
    limit: limit(5, 25),
    cursor: SignalQuerySchema.properties.cursor,
  }),
  output: Type.Object({ signals: Type.Array(SignalItem), ...page }),
  run: async (ask, { type, state, end_reason, partner, account, limit, cursor }) => {
    const { db, orgId, keyring, link } = ask;
    // An ended signal is never new, so the default state does not apply.
    const isActive = !end_reason && (state === 'new' || state === 'in_progress');
    const filters: SignalFilters = {
      ...(isActive && { sort: 'priority' }),
      ...(type && { type }),
      ...(end_reason ? { end_reason } : state !== 'any' && { state }),
      ...(partner !== undefined && { partner_id: (await resolvePartner(ask, partner)).id }),
      ...(account !== undefined && { account_id: (await resolveAccount(ask, account)).id }),
    };
    const scope = { orgId, route: 'list_signals', filters };
    const after = cursor === undefined ? null : decodeCursor(keyring, scope, cursor);
    const found = await findSignals(db, orgId, filters, limit + 1, after);
    const signals = found
      .slice(0, limit)
      .map((signal) => ({ ...signal, link: link(`signals/${signal.id}`) }));
    const last = signals.at(-1);
    const has_more = found.length > limit && last !== undefined;
    return {
      signals,
      has_more,
      ...(has_more && { next_cursor: encodeCursor(keyring, scope, signalPosition(last, filters)) }),
    };
  },
});
