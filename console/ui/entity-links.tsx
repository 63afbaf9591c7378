import { Link } from '@tanstack/react-router';

type Named = { id: string; name: string };

export function AccountLink({ account }: { account: Named }) {
  return (
    <Link to="/accounts/$accountId" params={{ accountId: account.id }}>
      <bdi>{account.name}</bdi>
    </Link>
  );
}

export function DealLink({ deal }: { deal: Named }) {
  return (
    <Link to="/deals/$dealId" params={{ dealId: deal.id }}>
      <bdi>{deal.name}</bdi>
    </Link>
  );
}

export function PartnerLink({ partner }: { partner: Named }) {
  return (
    <Link to="/partners/$partnerId" params={{ partnerId: partner.id }}>
      <bdi>{partner.name}</bdi>
    </Link>
  );
}
