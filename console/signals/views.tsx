import { Button, CloseButton, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { Choice } from '../ui/choices.tsx';
import { Form, textOf } from '../ui/form.tsx';
import type { SignalSearch } from './search.ts';

type View = { name: string; filters: SignalSearch };

/** Filters under a name. Each is a URL, so that you can share it; the names stay in this browser. */
export function Views({ filters }: { filters: SignalSearch }) {
  const [views, setViews] = useLocalStorage<View[]>({
    key: 'partner-signals.views',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const [naming, setNaming] = useState(false);
  const current = views.find((view) => isSame(view.filters, filters));
  const canSave = !current && !isSame(filters, {});
  if (views.length === 0 && !canSave) return null;

  function save(form: FormData) {
    const name = textOf(form, 'name');
    setViews([...views.filter((view) => view.name !== name), { name, filters }]);
    setNaming(false);
  }

  return (
    <nav className="line views" aria-label="Views">
      {views.map((view) => (
        <span key={view.name} className="view">
          <Choice to="/signals" search={view.filters} chosen={view === current}>
            <bdi>{view.name}</bdi>
          </Choice>
          {view === current && (
            <CloseButton
              aria-label={`Delete view ${view.name}`}
              onClick={() => setViews(views.filter((kept) => kept !== view))}
            />
          )}
        </span>
      ))}
      {naming ? (
        <Form className="view" onSend={save}>
          <TextInput
            name="name"
            label="Name of the view"
            required
            withAsterisk={false}
            maxLength={60}
            autoFocus
            className="view-name"
          />
          <Button type="submit">Save</Button>
          <Button variant="default" onClick={() => setNaming(false)}>
            Cancel
          </Button>
        </Form>
      ) : (
        canSave && (
          <Button variant="subtle" className="quiet" onClick={() => setNaming(true)}>
            Save view
          </Button>
        )
      )}
    </nav>
  );
}

function isSame(a: SignalSearch, b: SignalSearch): boolean {
  const text = (filters: SignalSearch) =>
    JSON.stringify(
      Object.entries(filters)
        .filter(([, value]) => value !== undefined)
        .sort(),
    );
  return text(a) === text(b);
}
