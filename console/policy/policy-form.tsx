import { Button, Checkbox, Radio, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Settings, SettingsVersion } from '../../src/client/types.ts';
import { NeedsAdmin, useMay, useSession } from '../session/session.tsx';
import { Form } from '../ui/form.tsx';
import { fieldError, hasCode, Refused } from '../ui/outcome.tsx';
import { changesBetween, type Field, paths, sections, settingsFrom, valueAt } from './fields.ts';
import { SimulationResult } from './simulation-result.tsx';
import { UnsavedChanges } from './unsaved-changes.tsx';

type Props = { version: SettingsVersion; etag: string; onSaved(version: SettingsVersion): void };

export function PolicyForm({ version: { version, settings }, etag, onSaved }: Props) {
  const { client } = useSession();
  const mayChange = useMay('admin');
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [edited, setEdited] = useState<string[]>([]);
  const save = useMutation({
    mutationFn: (body: Settings) => client.settings.replace(body, { ifMatch: etag }),
    onSuccess: ({ data }) => {
      setEdited([]);
      onSaved(data);
      void queries.invalidateQueries();
    },
  });
  const preview = useMutation({
    mutationFn: ({ attribution, signals }: Settings) =>
      client.attribution.simulate({ policy: { attribution, pre_intent: signals.pre_intent } }),
  });
  const entered = () => settingsFrom(new FormData(form.current as HTMLFormElement), settings);

  function tryOut() {
    if (form.current?.reportValidity()) preview.mutate(entered());
  }

  const error = save.error ?? preview.error;
  return (
    <Form
      ref={form}
      className="stack"
      aria-label="Policy"
      onSend={() => save.mutate(entered())}
      onChange={() => setEdited(changesBetween(settings, entered()))}
    >
      <UnsavedChanges changes={edited} />
      {!mayChange && (
        <div className="card section">
          <NeedsAdmin to="change the policy or preview a change" />
        </div>
      )}
      {sections.map(({ question, about, fields }) => (
        <fieldset key={question} className="card section policy-section" disabled={!mayChange}>
          <legend className="unseen">{question}</legend>
          <div>
            <h2>{question}</h2>
            <p className="soft small">{about}</p>
          </div>
          <div className="policy-fields">
            {fields.map((field) => (
              <SettingInput
                key={field.path}
                field={field}
                value={valueAt(settings, field.path)}
                error={fieldError(error, field.path)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      {mayChange && (
        <div className="card section policy-end">
          {edited.length > 0 && (
            <div>
              <h2>Your changes</h2>
              <ul className="small">
                {edited.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            </div>
          )}
          <Refused error={error} fields={paths}>
            {hasCode(error, 'precondition_failed') &&
              'Someone else saved a new version first, so your changes were not saved. Reload the page to see it.'}
          </Refused>
          <div className="buttons">
            <Button type="submit" disabled={save.isPending || edited.length === 0}>
              Save as version {version + 1}
            </Button>
            <Button variant="default" loading={preview.isPending} onClick={tryOut}>
              Preview credit
            </Button>
          </div>
          <p className="soft small">
            The preview shows how all won deals would be credited under the policy above, next to how they are
            credited today. It saves nothing.
          </p>
          {preview.data && <SimulationResult simulation={preview.data.data} />}
        </div>
      )}
    </Form>
  );
}

type InputProps = { field: Field; value: unknown; error: string | undefined };

function SettingInput({ field, value, error }: InputProps) {
  const shared = { name: field.path, label: field.label, description: field.does, error };
  if (field.kind === 'switch') return <Checkbox {...shared} defaultChecked={value === true} />;
  if (field.kind === 'choice')
    return (
      <Radio.Group {...shared} defaultValue={String(value)} className="policy-choice">
        <div className="options">
          {Object.entries(field.choices).map(([choice, words]) => (
            <Radio key={choice} value={choice} label={words} />
          ))}
        </div>
      </Radio.Group>
    );
  if (field.kind === 'currency')
    return (
      <TextInput
        {...shared}
        defaultValue={String(value ?? '')}
        maxLength={3}
        pattern="[A-Za-z]{3}"
        title="Three letters, such as EUR"
        className="policy-input"
      />
    );
  return (
    <TextInput
      {...shared}
      label={field.unit === 'weight' ? field.label : `${field.label} (${field.unit})`}
      type="number"
      required
      withAsterisk={false}
      min={field.min}
      max={field.max}
      step={field.step}
      defaultValue={String(value)}
      className="policy-input"
    />
  );
}
