import type { FactKind } from '../../src/vocabulary.ts';
import { NeedsIngest } from '../session/session.tsx';
import { ImportCommand } from '../ui/import-command.tsx';
import { Section } from '../ui/section.tsx';

/** In this order, because a row can only refer to what is already there. */
const steps: [kind: FactKind, what: string][] = [
  ['partners', 'Your partners, with their type and tier'],
  ['accounts', 'Your accounts, from your CRM'],
  ['opportunities', 'Your deals, open and closed, from your CRM'],
  ['partner_accounts', 'The accounts of each partner, to find the ones you share'],
  ['activities', 'What your partners did: referrals, meetings, deal registrations'],
];

/** The first page of an organization without data. */
export function ImportData() {
  return (
    <Section id="import" title="Import your data">
      <p>
        Import data to get your first signal. Export it as CSV from your CRM, then run these commands in a
        terminal, in this order:
      </p>
      <ol className="import-steps">
        {steps.map(([kind, what]) => (
          <li key={kind}>
            <p>{what}</p>
            <ImportCommand kind={kind} />
          </li>
        ))}
      </ol>
      <p className="soft small">
        The commands recognize the columns of Salesforce and HubSpot, and show what they will import before
        they send anything. The guide “Loading your data” (<code>docs/guides/loading-data.md</code>) explains
        the rest.
      </p>
      <NeedsIngest />
    </Section>
  );
}
