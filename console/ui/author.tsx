import type { Dispute, SignalDetail } from '../../src/client/types.ts';

type By = Dispute['resolved_by'] | SignalDetail['history'][number]['changed_by'];

/** Names the person if the request named one, and always the key. */
export function Author({ by }: { by: By }) {
  if (!by?.key_name) return 'the service';
  const key = (
    <>
      key <bdi>{by.key_name}</bdi>
    </>
  );
  if (!by.actor) return key;
  return (
    <>
      <bdi>{by.actor}</bdi> ({key})
    </>
  );
}
