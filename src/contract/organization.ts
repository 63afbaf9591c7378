import { type Static, Type } from 'typebox';
import { type Plan, planLimits, plans, textLimits } from '../vocabulary.ts';
import { strict } from './envelope.ts';
import { filledText, id, moment, text } from './values/field.ts';

export const PlanSchema = Type.Enum(plans, {
  title: 'Plan',
  description: `Sets the limits of the organization. ${plans.map(limitsInWords).join(' ')}`,
});

/** “standard: 60 requests a minute, 10,000 a day, 25 webhooks.” */
export function limitsInWords(plan: Plan): string {
  const { requestsPerMinute, requestsPerDay, webhooks } = planLimits[plan];
  return `${plan}: ${requestsPerMinute} requests a minute, ${requestsPerDay.toLocaleString('en')} a day, ${webhooks} webhooks.`;
}

export const OrganizationSchema = Type.Object(
  {
    id: id('organization'),
    name: text('Display name.', 'Fernleaf Software'),
    plan: PlanSchema,
    created_at: moment('When it was created.', '2026-01-12T08:00:00.000Z'),
    updated_at: moment('When the name or plan last changed.', '2026-01-12T08:00:00.000Z'),
  },
  { title: 'Organization', description: 'A tenant with its own data, keys and limits.' },
);
export type Organization = Static<typeof OrganizationSchema>;

const Name = filledText('Display name.', 'Fernleaf Software', textLimits.name);

export const CreateOrganizationSchema = Type.Object(
  { name: Name, plan: PlanSchema },
  { ...strict, title: 'CreateOrganization' },
);

export const ChangeOrganizationSchema = Type.Object(
  { name: Type.Optional(Name), plan: Type.Optional(PlanSchema) },
  { ...strict, minProperties: 1, title: 'ChangeOrganization' },
);
