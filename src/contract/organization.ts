import { Type } from 'typebox';
import { Name, strict, Timestamp } from './envelope.ts';
import type { OrganizationId } from './ids.ts';

const plans = ['standard', 'enterprise'] as const;
export type Plan = (typeof plans)[number];
const PlanSchema = Type.Enum([...plans], { description: 'Sets the request limits of the organization.' });

export type Organization = {
  id: OrganizationId;
  name: string;
  plan: Plan;
  created_at: Date;
  updated_at: Date;
};

export const OrganizationSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: PlanSchema,
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const CreateOrganizationSchema = Type.Object({ name: Name, plan: PlanSchema }, strict);

export const ChangeOrganizationSchema = Type.Object(
  { name: Type.Optional(Name), plan: Type.Optional(PlanSchema) },
  { ...strict, minProperties: 1 },
);
