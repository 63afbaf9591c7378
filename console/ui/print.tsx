import { Button } from '@mantine/core';

/** For the other side: as paper or as a PDF. What is no use on paper is left out by the print styles. */
export function PrintButton() {
  return (
    <Button variant="subtle" className="quiet print-button" onClick={() => window.print()}>
      Print
    </Button>
  );
}
