import { Skeleton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SettingsVersion } from '../../src/client/types.ts';
import { useSession } from '../session/session.tsx';
import { Download } from '../ui/download.tsx';
import { Exact } from '../ui/format/time.tsx';
import { Listing, Loaded } from '../ui/listing.tsx';
import { Saved } from '../ui/outcome.tsx';
import { Section } from '../ui/section.tsx';
import { changesBetween } from './fields.ts';
import { PolicyForm } from './policy-form.tsx';
import { currentSettings, settingsVersions } from './queries.ts';

export function PolicyPage() {
  const { client } = useSession();
  const query = useQuery(currentSettings(client));
  // Kept outside the form, which starts over with the new version.
  const [saved, setSaved] = useState<SettingsVersion>();
  return (
    <div className="policy">
      <title>Policy · Partner Signals</title>
      <div className="page-head">
        <h1>Policy</h1>
      </div>
      <p className="soft">
        The rules for signals and credit. Every change creates a new version. Existing records keep the
        version that decided them.
      </p>
      {saved && <Saved of={saved}>Saved as version {saved.version}.</Saved>}
      <Loaded query={query} loading={<LoadingForm />}>
        {({ data, etag }) => <PolicyForm key={etag} version={data} etag={etag} onSaved={setSaved} />}
      </Loaded>
      {/* Not before the form, which would push it down. */}
      {!query.isPending && <Versions />}
    </div>
  );
}

function LoadingForm() {
  return (
    <div className="stack" role="status" aria-label="Loading">
      {[3, 4, 2].map((fields) => (
        <div key={fields} className="card section">
          <Skeleton height={20} width="min(22rem, 80%)" />
          <div className="policy-fields">
            {Array.from({ length: fields }, (_, field) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the fields are all alike and never move
              <Skeleton key={field} height={96} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function Versions() {
  const { client } = useSession();
  const query = useInfiniteQuery(settingsVersions(client));
  return (
    <Section
      id="versions"
      title="Versions"
      action={<Download name="policy-versions" csv={() => client.settings.versions().csv()} />}
      className="below"
    >
      <Listing query={query} empty={null} more="versions">
        {(versions) => (
          <ol className="timeline" aria-label="Versions, newest first">
            {versions.map((version, index) => (
              <Version
                key={version.version}
                version={version}
                before={versions[index + 1]}
                isCurrent={index === 0}
              />
            ))}
          </ol>
        )}
      </Listing>
    </Section>
  );
}

type VersionProps = { version: SettingsVersion; before: SettingsVersion | undefined; isCurrent: boolean };

function Version({ version: saved, before, isCurrent }: VersionProps) {
  const { version, settings, created_at, created_by } = saved;
  const changes = before ? changesBetween(before.settings, settings) : [];
  return (
    <li data-noted={isCurrent}>
      <p className="timeline-head">
        <span className="strong">Version {version}</span>
        {isCurrent && <span className="note-tag">Current</span>}
        <span className="soft small">
          <Exact at={created_at} /> by <bdi>{created_by}</bdi>
        </span>
      </p>
      {version === 1 && <p className="soft">The first settings of your organization.</p>}
      {before && changes.length === 0 && <p className="soft">Nothing changed.</p>}
      {changes.length > 0 && (
        <ul className="small">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
    </li>
  );
}
