import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  endReasonWords,
  signalStates,
  signalStateWords,
  signalTypes,
  signalTypeWords,
  textLimits,
} from '../../src/vocabulary.ts';
import { accountDetail } from '../accounts/queries.ts';
import { PartnerSelect } from '../partners/partner-select.tsx';
import { useMe } from '../session/me.ts';
import { useSession } from '../session/session.tsx';
import { Choice, Choices } from '../ui/choices.tsx';
import { Filters } from '../ui/filters.tsx';
import { Form, textOf } from '../ui/form.tsx';
import { formatNumber } from '../ui/format/numbers.ts';
import { WhoDialog } from './change-dialogs.tsx';
import { signalSummary } from './queries.ts';
import { expiryReasons, openStates, type SignalSearch, totalOf } from './search.ts';

type Props = { filters: SignalSearch };

export function SignalFilters({ filters }: Props) {
  const { client } = useSession();
  const navigate = useNavigate();
  const { data: summary, isPending } = useQuery(signalSummary(client));
  // The counts cover the whole organization, so they would be wrong next to a narrower list.
  const { q, end_reason, partner_id, account_id, owner, assignee } = filters;
  const isNarrow = q || end_reason || partner_id || account_id || owner || assignee;
  const total = (type: SignalSearch['type'], state: SignalSearch['state']) => {
    if (isNarrow) return undefined;
    // Keeps the place of the count.
    if (!summary) return isPending ? '' : undefined;
    const states = state === 'all' ? signalStates : state ? [state] : openStates;
    return formatNumber(totalOf(summary, states, type && [type]));
  };
  return (
    <Filters
      active={[filters.state, end_reason, filters.type, partner_id, account_id, owner ?? assignee]}
      first={<Search filters={filters} />}
    >
      <div className="line choices">
        <PartnerSelect
          partnerId={partner_id}
          onChange={(partner_id) => void navigate({ to: '/signals', search: { ...filters, partner_id } })}
        />
        {account_id && <OneAccount filters={filters} accountId={account_id} />}
      </div>
      <Whose filters={filters} />
      <Choices
        label="State"
        to="/signals"
        search={{ ...filters, end_reason: undefined }}
        name="state"
        values={[...signalStates, 'all']}
        words={{ ...signalStateWords, all: 'all' }}
        all="Open"
        count={(state) => total(filters.type, state)}
      />
      {filters.state === 'expired' && (
        <Choices
          label="Reason"
          to="/signals"
          search={filters}
          name="end_reason"
          values={expiryReasons}
          words={endReasonWords}
        />
      )}
      <Choices
        label="Type"
        to="/signals"
        search={filters}
        name="type"
        values={signalTypes}
        words={signalTypeWords}
        count={(type) => total(type, filters.state)}
      />
    </Filters>
  );
}

/** Searches while you type. */
function Search({ filters }: Props) {
  const navigate = useNavigate();
  // While you type, the field is ahead of the URL.
  const [typed, setTyped] = useState<string>();
  const search = useDebouncedCallback((text: string) => {
    const q = text.trim() || undefined;
    void navigate({ to: '/signals', search: { ...filters, q }, replace: true });
  }, 250);
  return (
    <TextInput
      className="signal-search"
      type="search"
      aria-label="Search accounts"
      placeholder="Account name, domain or CRM ID"
      maxLength={textLimits.search}
      rightSection={<kbd>/</kbd>}
      value={typed ?? filters.q ?? ''}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        search(value);
      }}
      onBlur={() => setTyped(undefined)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur();
      }}
    />
  );
}

function OneAccount({ filters, accountId }: Props & { accountId: string }) {
  const { client } = useSession();
  const account = useQuery(accountDetail(client, accountId)).data;
  return (
    <Link className="choice" to="/signals" search={{ ...filters, account_id: undefined }}>
      <bdi>{account?.name ?? 'One account'}</bdi> <span aria-hidden="true">×</span>
      <span className="unseen">, show all accounts</span>
    </Link>
  );
}

/** Everyone's signals, mine, or those of one owner or assignee. */
function Whose({ filters }: Props) {
  const [me] = useMe();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const { owner, assignee } = filters;
  const show = (change: Pick<SignalSearch, 'owner' | 'assignee'>) =>
    void navigate({
      to: '/signals',
      search: { ...filters, owner: undefined, assignee: undefined, ...change },
    });
  const isMine = me !== null && assignee === me.email && !owner;
  const isOther = (owner !== undefined || assignee !== undefined) && !isMine;
  return (
    <fieldset className="line choices">
      <legend>Owner or assignee</legend>
      <Choice
        to="/signals"
        search={{ ...filters, owner: undefined, assignee: undefined }}
        chosen={!owner && !assignee}
      >
        Everyone
      </Choice>
      {me ? (
        <Choice
          to="/signals"
          search={{ ...filters, owner: undefined, assignee: me.email }}
          chosen={isMine}
          title={`Assigned to ${me.email}`}
        >
          Mine
        </Choice>
      ) : (
        <button type="button" className="choice" onClick={() => setAsked(true)}>
          Mine
        </button>
      )}
      <details className="whose-other" open={isOther}>
        <summary className="choice">{isOther ? (owner ?? assignee) : 'Someone else'}</summary>
        <OtherPerson
          key={`${owner} ${assignee}`}
          filters={isMine ? {} : filters}
          onShow={show}
          onMe={() => setAsked(true)}
          me={me?.email}
        />
      </details>
      {asked && (
        <WhoDialog
          onClose={() => setAsked(false)}
          onKnown={({ email }) => {
            setAsked(false);
            show({ assignee: email });
          }}
        />
      )}
    </fieldset>
  );
}

type OtherProps = Props & {
  me: string | undefined;
  onShow(change: Pick<SignalSearch, 'owner' | 'assignee'>): void;
  onMe(): void;
};

function OtherPerson({ filters: { owner, assignee }, me, onShow, onMe }: OtherProps) {
  const send = (form: FormData) =>
    onShow({
      owner: textOf(form, 'owner') || undefined,
      assignee: textOf(form, 'assignee') || undefined,
    });
  return (
    <Form className="card whose-form" onSend={send}>
      <TextInput
        name="owner"
        label="Owner's e-mail"
        description="Owner of the deal or the account in your CRM."
        maxLength={textLimits.email}
        defaultValue={owner}
      />
      <TextInput
        name="assignee"
        label="Assignee's e-mail"
        maxLength={textLimits.email}
        defaultValue={assignee}
      />
      <div className="buttons">
        <Button type="submit">Apply</Button>
        {me && (
          <Button variant="subtle" onClick={onMe}>
            You are {me}. Change
          </Button>
        )}
      </div>
    </Form>
  );
}
