import type { ReactNode } from 'react';

type Props = {
  /** The ID of the heading, without its suffix `-title`. */
  id: string;
  title: string;
  /** Next to the heading. */
  action?: ReactNode;
  className?: string;
  children: ReactNode;
};

export function Section({ id, title, action, className = '', children }: Props) {
  return (
    <section className={`card section ${className}`} aria-labelledby={`${id}-title`}>
      <div className="line section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
