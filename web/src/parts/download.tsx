import { Button } from '@mantine/core';
import { addressOf } from '../../../src/contract/shared/address.ts';
import { CSV_START } from '../../../src/kernel/csv.ts';
import type { Address } from '../api/answers.ts';
import { filledIn } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Icon } from './icons.tsx';

/** The file that an operation answers with; who may not use it is not offered it. */
export function Download(props: {
  readonly of: Address;
  readonly params?: object;
  readonly query?: object;
  readonly label?: string;
}) {
  if (!useMay(props.of)) return null;
  const [, path = ''] = props.of.split(' ');
  return (
    <Button
      component="a"
      href={addressOf(path, props.params ?? {}, filledIn(props.query ?? {}))}
      download
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      {props.label ?? 'Download CSV'}
    </Button>
  );
}

/** Text that is nowhere but in this page, as a file. */
export function SaveText(props: { readonly name: string; readonly text: () => string; readonly label: string }) {
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([CSV_START, props.text()], { type: 'text/csv' }));
    link.download = props.name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={save}>
      {props.label}
    </Button>
  );
}
