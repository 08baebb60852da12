import { Button } from '@mantine/core';
import { addressOf } from '../../../src/contract/shared/address.ts';
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
