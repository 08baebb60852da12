import { Button } from '@mantine/core';
import { addressOf } from '../../../src/contract/shared/address.ts';
import { filledIn } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Icon } from './icons.tsx';

/** All that the page's search finds, as a table for spreadsheets. */
export function DownloadCsv(props: { readonly path: string; readonly filter: object }) {
  if (!useMay('operator')) return null;
  return (
    <Button
      component="a"
      href={addressOf(props.path, {}, filledIn(props.filter))}
      download
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      Download CSV
    </Button>
  );
}
