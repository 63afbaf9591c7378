import { Button } from '@mantine/core';

/** Prints or saves as PDF, for sharing with a partner. The print styles hide what is useless on paper. */
export function PrintButton() {
  return (
    <Button variant="subtle" className="quiet print-button" onClick={() => window.print()}>
      Print
    </Button>
  );
}
