import type { ComponentProps } from 'react';

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSend(form: FormData): void };

/** A form that a script submits, with the values of its fields. */
export function Form({ onSend, ...form }: Props) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(new FormData(event.currentTarget));
      }}
    />
  );
}

export function textOf(form: FormData, field: string): string {
  return String(form.get(field)).trim();
}
