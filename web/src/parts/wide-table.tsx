import { Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** On a phone the columns that matter stay and fit; on a wider screen all are there, and scroll if they must. */
export function WideTable({ minWidth, children }: { readonly minWidth: number; readonly children: ReactNode }) {
  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false });
  return (
    <Table.ScrollContainer minWidth={isNarrow ? 0 : minWidth}>
      <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}
