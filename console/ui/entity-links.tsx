import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type Named = { id: string; name: string };
type Style = { className?: string; title?: string };

const NamedLink = createLink(({ name, ...link }: ComponentProps<'a'> & { name: string }) => (
  <a {...link}>
    <bdi>{name}</bdi>
  </a>
));

export function AccountLink({ account: { id, name }, ...style }: Style & { account: Named }) {
  return <NamedLink to="/accounts/$accountId" params={{ accountId: id }} name={name} {...style} />;
}

export function OpportunityLink({ opportunity: { id, name }, ...style }: Style & { opportunity: Named }) {
  return <NamedLink to="/deals/$opportunityId" params={{ opportunityId: id }} name={name} {...style} />;
}

export function PartnerLink({ partner: { id, name }, ...style }: Style & { partner: Named }) {
  return <NamedLink to="/partners/$partnerId" params={{ partnerId: id }} name={name} {...style} />;
}
