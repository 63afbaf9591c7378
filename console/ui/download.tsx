import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Refused } from './outcome.tsx';

/** Saves a list as a CSV file: all of it, with the filters of the page. */
export function Download({ name, csv }: { name: string; csv: () => Promise<string> }) {
  const download = useMutation({
    mutationFn: csv,
    onSuccess: (text) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      link.download = `${name}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
  });
  return (
    <>
      <Button
        variant="subtle"
        className="quiet"
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Download CSV
      </Button>
      <Refused error={download.error} />
    </>
  );
}
