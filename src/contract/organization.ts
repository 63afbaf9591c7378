import { Type } from 'typebox';
import { name, strict } from './envelope.ts';
import { id, moment, text } from './field.ts';
import type { OrganizationId } from './ids.ts';

const plans = ['standard', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** How many webhooks an organization can have. */
export const webhooksByPlan: Record<Plan, number> = { standard: 25, enterprise: 250 };

const PlanSchema = Type.Enum([...plans], {
  title: 'Plan',
  description: `Sets the limits of the organization: standard 60 requests a minute, 10,000 a day and ${webhooksByPlan.standard} webhooks; enterprise 300, 100,000 and ${webhooksByPlan.enterprise}.`,
});

export type Organization = {
  id: OrganizationId;
  name: string;
  plan: Plan;
  created_at: Date;
  updated_at: Date;
};

export const OrganizationSchema = Type.Object(
  {
    id: id('organization'),
    name: text('What people call it.', 'Fernleaf Software'),
    plan: PlanSchema,
    created_at: moment('When it was created.', '2026-01-12T08:00:00.000Z'),
    updated_at: moment('When its name or plan last changed.', '2026-01-12T08:00:00.000Z'),
  },
  { title: 'Organization', description: 'A tenant: its data, keys and limits are its own.' },
);

const Name = name('What people call it.', 'Fernleaf Software');

export const CreateOrganizationSchema = Type.Object(
  { name: Name, plan: PlanSchema },
  { ...strict, title: 'CreateOrganization' },
);

export const ChangeOrganizationSchema = Type.Object(
  { name: Type.Optional(Name), plan: Type.Optional(PlanSchema) },
  { ...strict, minProperties: 1, title: 'ChangeOrganization' },
);
