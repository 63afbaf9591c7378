import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type Named = { id: string; name: string };
type Style = { className?: string };

const NamedLink = createLink(({ name, ...link }: ComponentProps<'a'> & { name: string }) => (
  <a {...link}>
    <bdi>{name}</bdi>
  </a>
));

export function AccountLink({ account: { id, name }, ...style }: Style & { account: Named }) {
  return <NamedLink to="/accounts/$accountId" params={{ accountId: id }} name={name} {...style} />;
}

export function DealLink({ deal: { id, name }, ...style }: Style & { deal: Named }) {
  return <NamedLink to="/deals/$dealId" params={{ dealId: id }} name={name} {...style} />;
}

export function PartnerLink({ partner: { id, name }, ...style }: Style & { partner: Named }) {
  return <NamedLink to="/partners/$partnerId" params={{ partnerId: id }} name={name} {...style} />;
}
