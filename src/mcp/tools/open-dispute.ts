import { Type } from 'typebox';
import { DisputeSchema, OpenDisputeSchema } from '../../contract/attribution.ts';
import { strictObject } from '../../contract/envelope.ts';
import { notFound } from '../../contract/error.ts';
import { isId } from '../../contract/ids.ts';
import { reference } from '../../contract/values/field.ts';
import { openDispute as open } from '../../domain/disputes.ts';
import { listDisputes } from '../../store/credit/disputes.ts';
import { tierWords } from '../../vocabulary.ts';
import { resolveRecord } from '../find.ts';
import { Link } from '../shapes.ts';
import { tool } from '../tool.ts';
import { quoted } from '../untrusted.ts';

export const openDisputeTool = tool({
  name: 'open_dispute',
  title: 'Open a dispute',
  description:
    'Claims a different tier for an attribution record, with a justification. No tool can decide a dispute; a person does that in the console. A record can have one open dispute. Repeating the same call changes nothing.',
  scope: 'write',
  input: strictObject({
    record_id: reference('attribution', 'The attribution record.'),
    ...OpenDisputeSchema.properties,
  }),
  output: Type.Object({ dispute: DisputeSchema, link: Link }),
  preview: async (ask, { record_id, claimed_tier, justification }) => {
    const record = await resolveRecord(ask, record_id);
    return [
      `Dispute the credit of ${quoted(record.partner.name)} for ${quoted(record.opportunity.name)}?`,
      `Tier: ${tierWords[record.tier]} → ${tierWords[claimed_tier]}, if the dispute is accepted.`,
      `Justification: ${quoted(justification)}.`,
    ].join('\n');
  },
  run: async ({ orgId, by, link, facts }, { record_id, ...claim }) => {
    if (!isId('atr', record_id)) throw notFound('attribution record', record_id);
    const id = record_id;
    const dispute = await facts(async (tx) => {
      const last = (await listDisputes(tx, orgId, id)).at(-1);
      const isDone =
        last?.status === 'open' &&
        last.claimed_tier === claim.claimed_tier &&
        last.justification === claim.justification &&
        last.opened_by.key_id === by.key_id;
      return isDone ? last : open(tx, orgId, id, claim, by);
    });
    return { dispute, link: link(`attribution/${id}`) };
  },
});
