import { Link } from '@tanstack/react-router';
import { useMay } from '../session/session.tsx';

/** Why there are no values to compare. `none` if no partner has been credited at all. */
export function NoCurrency({ none }: { none: boolean }) {
  const maySet = useMay('admin');
  if (none)
    return (
      <p className="soft">
        No partner has been credited in the last 12 months. Credit appears when a deal that a partner helped
        with is won.
      </p>
    );
  return (
    <p className="soft">
      Your deals are in several currencies, or have none, so their values cannot be added up.{' '}
      {maySet ? (
        <>
          <Link to="/policy">Set a reporting currency</Link> to compare them.
        </>
      ) : (
        'Ask an admin to set a reporting currency.'
      )}
    </p>
  );
}
